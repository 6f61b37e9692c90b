//! Which hubs live and which hub has which device, as this hub sees it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The ticks without an own beat after which this hub knows nothing of the others.
const DEAF: u32 = 6;
/// The ticks without a beat after which a hub is dead.
const DEAD: u32 = 12;
/// The ticks without a change of the hubs after which devices move.
pub(super) const CALM: u32 = 8;

/// A hub that lives, or one that leaves and answers its last calls.
#[derive(Clone, Copy)]
pub(super) struct Hub {
    pub(super) life: u64,
    pub(super) is_leaving: bool,
    /// In ticks of this hub since its last beat, not in a time: neither a clock that jumps nor a process that stalls kills it.
    age: u32,
}

/// What the bucket says of a device.
#[derive(Clone, Default)]
pub(super) struct Owner {
    pub(super) hub: Option<Arc<str>>,
    /// Of its key; 0 if it has none.
    pub(super) revision: u64,
}

pub(super) struct View {
    me: String,
    hubs: BTreeMap<String, Hub>,
    owners: HashMap<String, Owner>,
    /// Devices of this hub that it is giving away.
    giving: HashSet<String>,
    /// The ticks since the last change of the hubs.
    calm: u32,
    /// This hub is cut off, and leaves all as it is.
    is_frozen: bool,
}

/// How much a hub should have a device (rendezvous hashing): of two hubs, the one with more. A hub that comes or goes moves its own devices only.
///
/// FNV-1a with the end of MurmurHash3, the same in all versions of this program.
fn weight(hub: &str, device: &str) -> u64 {
    let bytes = hub.bytes().chain([0]).chain(device.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

/// Whether `hub` rather than `other` should have the device.
pub(super) fn is_before(hub: &str, other: &str, device: &str) -> bool {
    (weight(hub, device), hub) > (weight(other, device), other)
}

impl View {
    pub(super) fn new(me: &str, life: u64) -> Self {
        let hubs = BTreeMap::from([(me.to_owned(), Hub { life, is_leaving: false, age: DEAF })]);
        let (owners, giving) = (HashMap::new(), HashSet::new());
        Self { me: me.to_owned(), hubs, owners, giving, calm: 0, is_frozen: true }
    }

    /// The hub, if it has not vanished.
    pub(super) fn hub(&self, name: &str) -> Option<Hub> {
        self.hubs.get(name).copied()
    }

    /// Whether a hub lives and does not leave.
    pub(super) fn is_live(&self, name: &str) -> bool {
        self.hubs.get(name).is_some_and(|hub| !hub.is_leaving)
    }

    /// The number of live hubs that should have the device rather than this one.
    pub(super) fn rank(&self, device: &str) -> u32 {
        let live = self.hubs.iter().filter(|(_, hub)| !hub.is_leaving);
        live.fold(0, |rank, (name, _)| rank + u32::from(is_before(name, &self.me, device)))
    }

    /// The live hub that has the device, and its life.
    pub(super) fn owner(&self, device: &str) -> Option<(&str, u64)> {
        let name = self.owners.get(device)?.hub.as_deref()?;
        let hub = self.hubs.get(name).filter(|hub| !hub.is_leaving)?;
        (name != self.me || !self.giving.contains(device)).then_some((name, hub.life))
    }

    /// What the bucket says.
    pub(super) fn entry(&self, device: &str) -> Owner {
        self.owners.get(device).cloned().unwrap_or_default()
    }

    /// Notes what the bucket says, and returns what it has said before.
    pub(super) fn set(&mut self, device: &str, owner: Owner) -> Owner {
        match self.owners.get_mut(device) {
            Some(known) => std::mem::replace(known, owner),
            None => self.owners.insert(device.to_owned(), owner).unwrap_or_default(),
        }
    }

    pub(super) fn is_mine(&self, device: &str) -> bool {
        self.owners.get(device).is_some_and(|owner| owner.hub.as_deref() == Some(&self.me))
    }

    /// All devices of which the bucket has said something.
    pub(super) fn devices(&self) -> HashSet<String> {
        self.owners.keys().cloned().collect()
    }

    /// The devices of a hub, with the revisions of their keys.
    pub(super) fn devices_of(&self, hub: &str) -> Vec<(String, u64)> {
        let owned = self.owners.iter().filter(|(_, owner)| owner.hub.as_deref() == Some(hub));
        owned.map(|(device, owner)| (device.clone(), owner.revision)).collect()
    }

    /// Begins to give a device of this hub away; `false` if it is not its own, or already on its way.
    pub(super) fn give(&mut self, device: &str) -> bool {
        self.is_mine(device) && self.giving.insert(device.to_owned())
    }

    /// Ends [`give`](Self::give); `false` if the device was not on its way.
    pub(super) fn given(&mut self, device: &str) -> bool {
        self.giving.remove(device)
    }

    /// Ends it for all devices that this hub still has.
    pub(super) fn given_in_vain(&mut self) -> Vec<String> {
        let giving = std::mem::take(&mut self.giving);
        giving.into_iter().filter(|device| self.is_mine(device)).collect()
    }

    /// The ticks for which the hubs have been the same; `None` while this hub claims nothing.
    pub(super) fn calm(&self) -> Option<u32> {
        (!self.is_frozen && self.is_live(&self.me)).then_some(self.calm)
    }

    /// This hub no longer claims devices.
    pub(super) fn leave(&mut self) {
        if let Some(hub) = self.hubs.get_mut(&self.me) {
            hub.is_leaving = true;
        }
    }

    /// A beat has come. Returns what the hub was before.
    pub(super) fn beat(&mut self, name: &str, life: u64, is_leaving: bool) -> Option<Hub> {
        if name == self.me {
            let me = self.hubs.get_mut(name).filter(|me| me.life == life)?;
            me.age = 0;
            return Some(*me);
        }
        let before = self.hubs.insert(name.to_owned(), Hub { life, is_leaving, age: 0 });
        if !is_leaving && before.is_none_or(|before| before.life != life) {
            self.calm = 0;
        }
        before
    }

    /// A hub says that it has ended. Others may take its devices at once: it does not come back by itself.
    pub(super) fn gone(&mut self, name: &str, life: u64) -> bool {
        let is_it = name != self.me && self.hubs.get(name).is_some_and(|hub| hub.life == life);
        is_it && self.hubs.remove(name).is_some()
    }

    /// Ages the hubs by a tick, and returns those that have died. While this hub does not hear itself, no hub ages.
    pub(super) fn age(&mut self, is_up: bool) -> Vec<String> {
        let Some(me) = self.hubs.get_mut(&self.me) else { return Vec::new() };
        me.age = me.age.saturating_add(1);
        let was_frozen = std::mem::replace(&mut self.is_frozen, !is_up || me.age >= DEAF);
        if self.is_frozen {
            return Vec::new();
        }
        if was_frozen {
            self.calm = 0;
        }
        self.calm = self.calm.saturating_add(1);
        let me = &self.me;
        for (_, hub) in self.hubs.iter_mut().filter(|(name, _)| *name != me) {
            hub.age = if was_frozen { 0 } else { hub.age.saturating_add(1) };
        }
        let dead = |(name, hub): (&String, &Hub)| (name != me && hub.age >= DEAD).then(|| name.clone());
        let dead: Vec<_> = self.hubs.iter().filter_map(dead).collect();
        for name in &dead {
            self.hubs.remove(name);
            self.calm = 0;
        }
        dead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["attic", "cellar", "loft", "shed"];

    /// A hub that hears itself and the others in each tick.
    fn tick(view: &mut View, others: &[&str]) -> Vec<String> {
        view.beat("attic", 1, false);
        for name in others {
            view.beat(name, 2, false);
        }
        view.age(true)
    }

    #[test]
    fn a_device_has_one_first_hub_and_each_hub_has_its_share() {
        let mut counts = [0; 4];
        for number in 0..10_000 {
            let device = format!("d{number}");
            let ranks = NAMES.map(|me| {
                let mut view = View::new(me, 1);
                NAMES.iter().for_each(|name| _ = view.beat(name, 1, false));
                view.rank(&device) as usize
            });
            let first = ranks.iter().position(|rank| *rank == 0).unwrap();
            counts[first] += 1;
            assert_eq!(ranks.iter().sum::<usize>(), 6, "{ranks:?}");
        }
        assert!(counts.iter().all(|count| (2350..2650).contains(count)), "{counts:?}");
        // other versions of this program must agree
        assert_eq!(weight("attic", "d1"), 0xac80_5c48_a35c_5c03);
    }

    #[test]
    fn a_silent_hub_dies_after_3_s_and_devices_move_after_2_s_more() {
        let mut view = View::new("attic", 1);
        assert_eq!(view.calm(), None);
        tick(&mut view, &["shed"]);
        let mut ticks = 1;
        while tick(&mut view, &[]).is_empty() {
            ticks += 1;
            assert!(view.is_live("shed"));
        }
        assert_eq!((ticks, view.is_live("shed"), view.calm()), (DEAD, false, Some(0)));
        (0..CALM).for_each(|_| _ = tick(&mut view, &[]));
        assert_eq!(view.calm(), Some(CALM));
    }

    #[test]
    fn a_hub_that_hears_nothing_declares_nobody_dead() {
        let mut view = View::new("attic", 1);
        (0..CALM).for_each(|_| _ = tick(&mut view, &["shed"]));
        for is_up in [true, false] {
            assert!((0..100).all(|_| view.age(is_up).is_empty()));
            assert_eq!((view.calm(), view.is_live("shed")), (None, true));
        }
        // and when it hears itself again, the others have their time
        assert!((0..DEAD).all(|_| tick(&mut view, &[]).is_empty()));
        assert!(view.is_live("shed") && view.calm().is_some());
        assert_eq!(tick(&mut view, &[]), ["shed"]);
    }

    #[test]
    fn a_hub_that_leaves_disturbs_no_other() {
        let mut view = View::new("attic", 1);
        (0..CALM).for_each(|_| _ = tick(&mut view, &["shed"]));
        view.set("d1", Owner { hub: Some("shed".into()), revision: 1 });
        assert_eq!(view.owner("d1"), Some(("shed", 2)));
        view.beat("shed", 2, true);
        assert!(view.owner("d1").is_none() && view.hub("shed").is_some());
        assert!(!view.gone("shed", 3) && view.gone("shed", 2) && view.hub("shed").is_none());
        assert_eq!(view.calm(), Some(CALM));
        // one that is started again does
        view.beat("shed", 4, false);
        assert_eq!((view.calm(), view.owner("d1")), (Some(0), Some(("shed", 4))));
    }
}

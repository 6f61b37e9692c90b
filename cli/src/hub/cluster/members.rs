//! Each hub says each second that it lives: `NAME LIFE here`, or `leaving`, or at its end `gone`.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::Subscriber;
use futures_util::StreamExt as _;
use tokio::time::{MissedTickBehavior, interval};

use super::Shared;
use crate::print::say;

pub(super) const TICK: Duration = Duration::from_millis(250);
/// The ticks between two beats.
const BEAT: u32 = 4;

/// Says that this hub lives, and hears the others.
pub(super) async fn keep(shared: Arc<Shared>, mut beats: Subscriber) {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut left, mut has_twin) = (0, false);
    loop {
        tokio::select! {
            biased;
            Some(beat) = beats.next() => {
                let Some((name, life, state)) = read(&beat.payload) else { continue };
                if name == shared.settings.name && life != shared.life && !std::mem::replace(&mut has_twin, true) {
                    say(format_args!("another hub is named {name}, too: calls go astray"));
                }
                // so that it need not wait for the next beat
                if shared.hear(name, life, state) {
                    left = 0;
                }
            }
            _ = ticks.tick() => {
                let link = *shared.link.borrow();
                let dead = shared.view().age(link.is_up);
                dead.iter().for_each(|hub| shared.changed(hub));
                if !link.is_up {
                    left = 0;
                    continue;
                }
                if left == 0 {
                    let is_live = shared.view().is_live(&shared.settings.name);
                    shared.tell(if is_live { "here" } else { "leaving" }).await;
                    left = BEAT;
                }
                left -= 1;
                match shared.unsent.swap(0, Ordering::Relaxed) {
                    0 => {}
                    count => say(format_args!("the other hubs have missed {count} notifications")),
                }
            }
        }
    }
}

fn read(beat: &[u8]) -> Option<(&str, u64, &str)> {
    let mut words = str::from_utf8(beat).ok()?.split(' ');
    Some((words.next()?, words.next()?.parse().ok()?, words.next()?))
}

impl Shared {
    /// Tells the other hubs the state of this one.
    pub(super) async fn tell(&self, state: &str) {
        let (settings, life) = (&self.settings, self.life);
        let beat = format!("{} {life} {state}", settings.name);
        // an error means that the connection is closed
        _ = self.nats.publish(format!("{}.hubs", settings.prefix), beat.into()).await;
    }

    /// Notes a beat. Returns whether the hub is new.
    fn hear(&self, name: &str, life: u64, state: &str) -> bool {
        if state == "gone" {
            if self.view().gone(name, life) {
                self.changed(name);
            }
            return false;
        }
        let is_leaving = state == "leaving";
        let before = self.view().beat(name, life, is_leaving);
        if name == self.settings.name {
            return false;
        }
        if before.is_none_or(|before| (before.life, before.is_leaving) != (life, is_leaving)) {
            self.changed(name);
        }
        before.is_none()
    }

    /// A hub has come or gone, and thus its devices.
    fn changed(&self, hub: &str) {
        self.members.send_replace(());
        let devices = self.view().devices_of(hub);
        self.moved(devices.into_iter().map(|(device, _)| device));
    }
}

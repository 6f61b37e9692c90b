//! Hubs on a real `nats-server`.

mod room;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use room::{Hub, Nats, Way, devices, is_settled, seconds, within};
use tokio::time::{Instant, timeout};

/// Three hubs that share the devices.
async fn three(nats: &Nats, devices: &[String]) -> Vec<Hub> {
    let mut hubs = Vec::new();
    for name in ["attic", "cellar", "shed"] {
        hubs.push(Hub::join(&nats.address(), name, devices).await);
    }
    settled(&hubs, devices).await;
    hubs
}

async fn settled(hubs: &[Hub], devices: &[String]) -> Duration {
    let hubs: Vec<_> = hubs.iter().collect();
    within(seconds(20), "each device has one hub", || is_settled(&hubs, devices)).await
}

fn shares(hubs: &[Hub]) -> Vec<BTreeSet<String>> {
    hubs.iter().map(Hub::has).collect()
}

fn leaves(hubs: &[Hub]) -> usize {
    hubs.iter().map(|hub| hub.notes.leaves.load(Ordering::Relaxed)).sum()
}

/// How often the calls with these tags have begun, at all hubs.
fn runs(hubs: &[Hub], front: &str) -> usize {
    let runs = |hub: &Hub| -> usize {
        let runs = hub.notes.runs.lock().unwrap();
        runs.iter().filter(|(tag, _)| tag.starts_with(front)).map(|(_, count)| count).sum()
    };
    hubs.iter().map(runs).sum()
}

#[tokio::test]
async fn devices_are_spread_and_each_hub_calls_all_of_them() {
    let (nats, devices) = (Nats::start().await, devices(60));
    let hubs = three(&nats, &devices).await;
    let shares = shares(&hubs);
    assert!(shares.iter().all(|share| (12..=28).contains(&share.len())), "{shares:?}");
    assert_eq!(leaves(&hubs), 0);
    for hub in &hubs {
        for device in &devices {
            let owner = format!("{:?}", hub.cluster.hub_of(device).unwrap());
            assert_eq!(hub.call(device, "name", "null", false, seconds(5)).await.unwrap(), Ok(owner));
        }
    }
    // what goes through keeps its text, and an error of a device is its own
    let far = shares[1].first().unwrap();
    let call = hubs[0].call(far, "echo", r#"{"n":[1e999,1.50]}"#, false, seconds(5)).await;
    assert_eq!(call.unwrap().unwrap(), r#"{"n":[1e999,1.50]}"#);
    assert_eq!(hubs[0].call(far, "fail", "[]", true, seconds(5)).await.unwrap(), Err(-32003));
    assert_eq!(runs(&hubs, "fail"), 1);
    // what NATS does not take harms no other call
    let slow = hubs[0].call(far, "sleep", r#"[300,"slow"]"#, false, seconds(5));
    let long = format!("[\"{}\"]", "x".repeat(1 << 20));
    assert_eq!(hubs[0].call(far, "echo", &long, false, seconds(5)).await.unwrap(), Err(-32600));
    assert_eq!(hubs[0].call(far, "long", "[]", false, seconds(5)).await.unwrap(), Err(-32603));
    assert!(slow.await.unwrap().is_ok());
    assert_eq!(hubs[0].call(far, "sleep", r#"[5000,"late"]"#, false, seconds(1)).await.unwrap(), Err(-32001));
}

#[tokio::test]
async fn a_call_to_a_device_without_a_hub_ends() {
    let (nats, devices) = (Nats::start().await, devices(3));
    let hubs = three(&nats, &devices).await;
    let (unknown, short) = (
        hubs[0].call("ghost", "name", "null", false, seconds(30)),
        hubs[0].call("ghost", "name", "null", false, seconds(1)),
    );
    assert_eq!(timeout(seconds(2), short).await.unwrap().unwrap(), Err(-32001));
    assert_eq!(timeout(seconds(7), unknown).await.unwrap().unwrap(), Err(-32003));
    assert_eq!(hubs[0].cluster.hub_of("ghost"), None);
}

#[tokio::test]
async fn a_killed_hub_loses_no_call_silently() {
    let (nats, devices) = (Nats::start().await, devices(60));
    let mut hubs = three(&nats, &devices).await;
    let shares = shares(&hubs);
    let calls = |caller: &Hub, tag: &str, may_repeat| -> Vec<_> {
        let call = |device: &String| {
            caller.call(device, "sleep", &format!(r#"[1500,"{tag}-{device}"]"#), may_repeat, seconds(20))
        };
        shares[2].iter().map(call).collect()
    };
    let (once, safe) = (calls(&hubs[0], "once", false), calls(&hubs[1], "safe", true));
    let count = once.len();
    within(seconds(1), "all calls run", || runs(&hubs, "") == 2 * count).await;
    drop(hubs.pop());
    let killed = Instant::now();
    // the connection of the killed hub may swallow the first ones, and the others wait for the next hub
    let soon = calls(&hubs[0], "soon", false);
    let ended = timeout(seconds(5), futures_util::future::join_all(once)).await.expect("the end of each call");
    assert!(ended.into_iter().all(|outcome| outcome.unwrap() == Err(-32006)));
    settled(&hubs, &devices).await;
    assert!(killed.elapsed() < seconds(6), "{:?}", killed.elapsed());
    let later = calls(&hubs[0], "later", false);
    for call in safe.into_iter().chain(later) {
        assert_eq!(call.await.unwrap().err(), None);
    }
    let mut answers = 0;
    for call in soon {
        match call.await.unwrap() {
            Ok(_) => answers += 1,
            Err(code) => assert_eq!(code, -32006),
        }
    }
    assert_eq!((runs(&hubs, "soon"), runs(&hubs, "later")), (answers, count));
    // the calls that must not be repeated have not been
    assert_eq!((runs(&hubs, "once"), runs(&hubs, "safe")), (0, count));
    // the devices of the others stay
    assert!(leaves(&hubs) == 0 && shares[0].is_subset(&hubs[0].has()) && shares[1].is_subset(&hubs[1].has()));
    let moves = hubs[0].notes.moves.lock().unwrap().clone();
    assert!(moves.is_superset(&(&shares[2] - &hubs[0].has())));
}

#[tokio::test]
async fn a_hub_that_leaves_answers_its_calls_and_gives_its_devices_at_once() {
    let (nats, devices) = (Nats::start().await, devices(60));
    let mut hubs = three(&nats, &devices).await;
    let shares = shares(&hubs);
    let device = shares[2].first().unwrap();
    let call = hubs[0].call(device, "sleep", r#"[800,"last"]"#, false, seconds(5));
    within(seconds(1), "the call runs", || runs(&hubs, "last") == 1).await;
    let leaving = hubs.pop().unwrap();
    let cluster = Arc::clone(&leaving.cluster);
    let end = tokio::spawn(async move { cluster.leave().await });
    // later calls wait for the next hub, which does not take the device before
    within(seconds(1), "the others know", || hubs[0].cluster.hub_of(device).is_none()).await;
    let next = hubs[0].call(device, "name", "null", false, seconds(5));
    within(seconds(2), "the call ends", || {
        assert!(hubs[0].has() == shares[0] && hubs[1].has() == shares[1] || end.is_finished());
        call.is_finished()
    })
    .await;
    assert_eq!(call.await.unwrap().unwrap(), "\"shed\"");
    timeout(seconds(1), end).await.expect("an end").unwrap();
    let moved = settled(&hubs, &devices).await;
    assert!(moved < seconds(1), "{moved:?}");
    // it claims nothing any more, although it still is connected
    assert_eq!(leaving.cluster.hub_of(device), hubs[0].cluster.hub_of(device));
    assert_eq!(next.await.unwrap().unwrap(), format!("{:?}", hubs[0].cluster.hub_of(device).unwrap()));
    assert!(leaving.has().is_empty());
}

async fn restart(is_emptied: bool) {
    let (mut nats, devices) = (Nats::start().await, devices(60));
    let hubs = three(&nats, &devices).await;
    let before = shares(&hubs);
    let far = before[2].first().unwrap();
    let once = hubs[0].call(far, "sleep", r#"[60000,"once"]"#, false, seconds(60));
    let safe = hubs[0].call(far, "sleep", r#"[1000,"safe"]"#, true, seconds(60));
    within(seconds(1), "both calls run", || runs(&hubs, "") == 2).await;
    nats.kill();
    assert_eq!(timeout(seconds(2), once).await.expect("an end").unwrap(), Err(-32006));
    assert_eq!((hubs[0].cluster.hub_of(far).as_deref(), shares(&hubs)), (Some("shed"), before.clone()));
    if is_emptied {
        nats.empty();
    }
    let waiting = hubs[0].call(far, "name", "null", false, seconds(20));
    nats.restart().await;
    assert_eq!(waiting.await.unwrap().unwrap(), "\"shed\"");
    assert_eq!((safe.await.unwrap().unwrap().as_str(), runs(&hubs, "safe")), ("\"shed\"", 2));
    // a new hub knows from the bucket alone who has what
    let loft = Hub::join(&nats.address(), "loft", &["new".to_owned()]).await;
    let (all, known) = (hubs.iter().chain([&loft]).collect::<Vec<_>>(), [&devices[..], &["new".to_owned()]].concat());
    within(seconds(10), "the bucket knows all", || is_settled(&all, &known)).await;
    assert_eq!((shares(&hubs), leaves(&hubs)), (before, 0));
}

#[tokio::test]
async fn hubs_survive_a_restart_of_nats() {
    restart(false).await;
}

#[tokio::test]
async fn hubs_survive_a_restart_of_nats_without_its_store() {
    restart(true).await;
}

#[tokio::test]
async fn a_hub_that_is_cut_off_keeps_all_as_it_is_until_it_is_back() {
    let (nats, devices) = (Nats::start().await, devices(60));
    let way = Way::to(&nats).await;
    let hubs =
        [Hub::join(&nats.address(), "attic", &devices).await, Hub::join(&nats.address(), "cellar", &devices).await];
    let far = [Hub::join(&way.address(), "shed", &devices).await];
    let all: Vec<_> = hubs.iter().chain(&far).collect();
    within(seconds(10), "each device has one hub", || is_settled(&all, &devices)).await;
    let (near, cut) = (shares(&hubs), far[0].has());
    way.cut();
    let others = settled(&hubs, &devices).await;
    assert!(others < seconds(6), "{others:?}");
    assert_eq!((far[0].has(), leaves(&far)), (cut.clone(), 0));
    let device = near[0].first().unwrap();
    assert_eq!(far[0].cluster.hub_of(device).as_deref(), Some("attic"));
    let call = far[0].call(device, "name", "null", false, seconds(60));
    assert_eq!(timeout(seconds(7), call).await.expect("an end").unwrap(), Err(-32003));
    way.mend();
    // those that the others have taken are left, and come back
    within(seconds(5), "the devices are left", || leaves(&far) == cut.len()).await;
    within(seconds(10), "each device is where it was", || is_settled(&all, &devices) && far[0].has() == cut).await;
    assert_eq!(shares(&hubs), near);
}

#[tokio::test]
async fn a_hub_that_joins_gets_its_share_after_its_devices_are_left() {
    let (nats, devices) = (Nats::start().await, devices(60));
    let mut hubs = three(&nats, &devices).await;
    let before = shares(&hubs);
    hubs[0].notes.holds.store(true, Ordering::Relaxed);
    hubs.push(Hub::join(&nats.address(), "loft", &devices).await);
    let held = || hubs[0].notes.held.lock().unwrap().len();
    within(seconds(6), "devices are left", || held() > 0 && leaves(&hubs) > held()).await;
    within(seconds(2), "the devices of the others have moved", || leaves(&hubs) == held() + hubs[3].has().len()).await;
    assert!(hubs[3].has().is_disjoint(&before[0]));
    // the calls for one on its way wait
    let left = (&before[0] - &hubs[0].has()).pop_first().unwrap();
    let call = hubs[1].call(&left, "name", "null", false, seconds(5));
    hubs[0].notes.held.lock().unwrap().clear();
    assert_eq!(timeout(seconds(2), call).await.unwrap().unwrap().unwrap(), "\"loft\"");
    settled(&hubs, &devices).await;
    assert!((8..=22).contains(&hubs[3].has().len()), "{:?}", hubs[3].has());
    // and no device has moved between the others
    assert!(hubs.iter().zip(&before).all(|(hub, before)| hub.has().is_subset(before)));
}

#[tokio::test]
async fn a_device_of_one_hub_alone_stays_there() {
    let (nats, devices) = (Nats::start().await, devices(20));
    let one = Hub::join(&nats.address(), "attic", &devices).await;
    let two = Hub::join(&nats.address(), "shed", &["other".to_owned()]).await;
    within(seconds(10), "both have theirs", || (one.has().len(), two.has().len()) == (20, 1)).await;
    within(seconds(2), "each knows those of the other", || two.cluster.hub_of("d7").is_some()).await;
    assert_eq!(two.call("d7", "name", "null", false, seconds(5)).await.unwrap().unwrap(), "\"attic\"");
    // a hub that no longer has a device in its file gives it back
    drop(one);
    let less = Hub::join(&nats.address(), "attic", &devices[1..]).await;
    within(seconds(5), "its devices are taken again", || less.has().len() == 19).await;
    within(seconds(5), "the last one has no hub", || two.cluster.hub_of("d0").is_none()).await;
}

#[tokio::test]
async fn a_hub_that_is_started_again_keeps_its_devices_and_its_calls_end() {
    let (nats, devices) = (Nats::start().await, devices(30));
    let mut hubs = three(&nats, &devices).await;
    let before = shares(&hubs);
    let device = before[2].first().unwrap();
    let call = hubs[0].call(device, "sleep", r#"[60000,"once"]"#, false, seconds(60));
    within(seconds(1), "the call runs", || runs(&hubs, "once") == 1).await;
    drop(hubs.pop());
    hubs.push(Hub::join(&nats.address(), "shed", &devices).await);
    assert_eq!(timeout(seconds(2), call).await.expect("an end").unwrap(), Err(-32006));
    let back = settled(&hubs, &devices).await;
    assert!(back < seconds(2), "{back:?}");
    assert_eq!((shares(&hubs), leaves(&hubs)), (before, 0));
}

#[tokio::test]
async fn notifications_come_to_the_other_hubs() {
    let (nats, devices) = (Nats::start().await, devices(3));
    let hubs = three(&nats, &devices).await;
    let text = |number| Bytes::from(format!(r#"{{"jsonrpc":"2.0","method":"d1.pressed","params":[{number}]}}"#));
    let (mut own, mut others) = (hubs[0].cluster.events(), hubs[1].cluster.events());
    for (hub, number) in [(&hubs[0], 1), (&hubs[2], 2)] {
        hub.cluster.publish(text(number)).await;
        assert_eq!(timeout(seconds(5), others.recv()).await.expect("an event").unwrap().text(), text(number));
    }
    assert_eq!(timeout(seconds(5), own.recv()).await.expect("an event").unwrap().text(), text(2));
    assert!(own.is_empty());
}

#[tokio::test]
async fn a_hub_leaves_at_once_without_nats() {
    let (mut nats, devices) = (Nats::start().await, devices(3));
    let hubs = three(&nats, &devices).await;
    nats.kill();
    let call = hubs[0].call("ghost", "name", "null", false, seconds(10));
    assert_eq!(call.await.unwrap(), Err(-32003));
    timeout(seconds(1), hubs[0].cluster.leave()).await.expect("an end");
}

/// Measures for `docs/hub.md` with `JRPC_DEVICES=1000000`.
#[tokio::test]
async fn thousands_of_devices_are_claimed_and_known() {
    let count = std::env::var("JRPC_DEVICES").map_or(3000, |count| count.parse().unwrap());
    let (nats, devices) = (Nats::start().await, devices(count));
    let memory = room::memory();
    let hub = Hub::join(&nats.address(), "attic", &devices).await;
    within(seconds(30), "the first device is claimed", || hub.takes() > 0).await;
    let claimed = within(seconds(300), "all devices are claimed", || hub.takes() == count).await;
    let (bytes, memory) = (nats.stored() / count as u64, (room::memory() - memory) / count as u64);
    println!(
        "{:.0} claims/s; {bytes} bytes in the store and {memory} bytes of the hub for each",
        count as f64 / claimed.as_secs_f64()
    );
    let other = Hub::join(&nats.address(), "shed", &[]).await;
    let known = within(seconds(300), "another hub knows all", || {
        devices.iter().all(|device| other.cluster.hub_of(device).is_some())
    })
    .await;
    println!("known to another hub after {known:?}");
    let (heir, begun) = (Hub::join(&nats.address(), "loft", &devices).await, Instant::now());
    within(seconds(300), "devices move", || heir.takes() > 500).await;
    println!("{} devices have moved {:?} after a hub has joined", heir.takes(), begun.elapsed());
    drop(hub);
    let moved = within(seconds(300), "all have moved", || heir.takes() == count).await;
    println!("all devices of a killed hub have moved after {moved:?}");
}

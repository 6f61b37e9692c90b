//! Users on topics and subjects, and webhooks.

use std::sync::Arc;

use nanojsonrpc_tokio::mqtt::{self, Broker};
use nanojsonrpc_tokio::{Client, nats};
use tokio_util::sync::CancellationToken;

use super::Hub;
use super::service::{Caller, methods};
use super::told::{Told, tell};
use crate::address::Address;
use crate::fault::Fault;
use crate::peer::{Peer, mqtt_options};
use crate::print::say;
use crate::user::User;

/// The name under which hubs share the calls of a topic or a subject.
const GROUP: &str = "hubs";

/// Answers the calls of a topic or a subject, and sends notifications to that of its `events`, until `stop`.
pub(super) async fn serve(peer: Box<Peer>, hub: Arc<Hub>, user: Arc<User>, stop: CancellationToken) {
    let caller = Caller { hub: Arc::clone(&hub), user: Arc::clone(&user), subscriptions: None, is_hub: false };
    let (service, options) = (methods(caller), peer.options.clone());
    let wants = move |told: &Told| told.is_for(&user);
    let shown = peer.address.public();
    let outcome = match &peer.address {
        Address::Nats { server, subject, events } => {
            let events = events.clone().unwrap_or_else(|| format!("{subject}.events"));
            let connected = async_nats::ConnectOptions::new().retry_on_initial_connect().connect(server).await;
            match connected {
                Ok(broker) => {
                    if let Ok(client) = nats::client(&broker, &events, None, options.clone()) {
                        tokio::spawn(tell(hub.told.subscribe(), client, wants));
                    }
                    say(format_args!("listening on {shown}"));
                    let server = nats::Server::new(service).options(options).group(GROUP);
                    server.serve(&broker, subject, stop.cancelled_owned()).await.map_err(|error| error.to_string())
                }
                Err(error) => Err(error.to_string()),
            }
        }
        Address::Mqtt { login, host, port, topic, .. } => {
            let broker = Broker::connect(mqtt_options(login.as_ref(), host, *port));
            let answers = format!("{topic}/unused");
            if let Ok(client) = broker.client(&format!("{topic}/events"), &answers, options.clone()) {
                tokio::spawn(tell(hub.told.subscribe(), client, wants));
            }
            say(format_args!("listening on {shown}"));
            let server = mqtt::Server::new(service).options(options).group(GROUP);
            server.serve(&broker, topic, stop.cancelled_owned()).await.map_err(|error| error.to_string())
        }
        _ => Ok(()),
    };
    if let Err(fault) = outcome {
        say(format_args!("{shown}: {}", crate::print::line(fault.as_bytes())));
    }
}

/// Posts the notifications that `user` may hear to a webhook, one after the other.
pub(super) fn post(peer: &Peer, hub: &Hub, user: User) -> Result<(), Fault> {
    let transport = peer.posts().map_err(|error| Fault::usage(format!("{}: {error}", peer.address.public())))?;
    let client = Client::with_transport(transport, peer.options.clone());
    tokio::spawn(tell(hub.told.subscribe(), client, move |told| user.may(&told.method)));
    Ok(())
}

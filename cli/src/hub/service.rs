//! The methods of a hub: those of its devices under their names, and its own.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_util::StreamExt as _;
use nanojsonrpc::ErrorObject;
use nanojsonrpc_tokio::{Methods, Request, Response};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use wildmatch::WildMatch;

use super::Hub;
use super::cluster::not_here;
use super::told::{Told, tell};
use crate::device::Device;
use crate::user::User;

/// The devices that are asked at once what their methods are.
const ASKED: usize = 64;

/// Who calls, and over which connection.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) hub: Arc<Hub>,
    pub(super) user: Arc<User>,
    /// What the connection has subscribed to; `None` without a connection.
    pub(super) subscriptions: Option<Arc<Subscriptions>>,
    /// Whether it is another hub, which looks for the device elsewhere if it is not here.
    pub(super) is_hub: bool,
}

/// What a connection has subscribed to.
#[derive(Default)]
pub(super) struct Subscriptions {
    patterns: Mutex<Vec<(String, WildMatch)>>,
    /// Whether a task sends.
    begun: OnceLock<()>,
}

impl Subscriptions {
    fn has(&self, method: &str) -> bool {
        let patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        patterns.iter().any(|(_, pattern)| pattern.matches(method))
    }
}

/// The params of `hub.subscribe` and `hub.unsubscribe`.
#[derive(Deserialize)]
struct Subscribe {
    methods: Vec<String>,
}

/// The greatest number of patterns of a connection, and the greatest length of each.
const PATTERNS: usize = 256;
const PATTERN: usize = 256;

/// The methods of a hub for a [`Caller`].
pub(super) fn methods(caller: Caller) -> Methods<Caller> {
    // params are ignored where there is nothing to choose
    Methods::new(caller)
        .raw("hub.devices", async |caller: Caller, _| match caller.user.admit(None) {
            Ok(()) => Response::result(caller.hub.states(&caller.user)),
            Err(error) => Response::error(error),
        })
        .raw("hub.subscribe", async |caller: Caller, request: Request| caller.subscribe(&request, true))
        .raw("hub.unsubscribe", async |caller: Caller, request: Request| caller.subscribe(&request, false))
        .raw("rpc.discover", async |caller: Caller, _| match caller.user.admit(None) {
            Ok(()) => Response::result(discover(&caller).await),
            Err(error) => Response::error(error),
        })
        .fallback(async |caller: Caller, request: Request| caller.pass(&request).await)
}

impl Caller {
    /// Passes a call on to the device in front of the dot.
    async fn pass(&self, request: &Request) -> Response {
        let method = request.method();
        let whole = method.as_str().map_or_else(|| method.to_string().into(), std::borrow::Cow::Borrowed);
        let split = whole.split_once('.').and_then(|(name, method)| Some((self.hub.devices.get(name)?, method)));
        let Some((device, method)) = split.filter(|(device, _)| self.user.sees(&device.name)) else {
            return Response::error(ErrorObject::METHOD_NOT_FOUND);
        };
        // a user who sees a device may read its description
        let is_description = method == "rpc.discover" && !request.is_notification();
        if let Err(error) = self.user.admit((!is_description).then_some(&whole)) {
            return Response::error(error);
        }
        if self.is_hub && !device.is_here() {
            return Response::error(not_here());
        }
        let params = request.message().payload();
        if request.is_notification() {
            match self.hub.cluster.get().filter(|_| !device.is_here()) {
                Some(cluster) => cluster.send(&device.name, &whole, params).await,
                None => device.notify(&self.user.name, method, params).await,
            }
            return Response::result(());
        }
        if let Some(document) = device.document().filter(|_| is_description) {
            return Response::result(document);
        }
        device.invoke(&self.user.name, method, params).await.map_or_else(Response::error, Response::pass)
    }

    fn subscribe(&self, request: &Request, is_more: bool) -> Response {
        let Some(subscriptions) = &self.subscriptions else {
            let message = "Subscriptions need a WebSocket; over HTTP, read GET /rpc";
            return Response::error(ErrorObject::INVALID_REQUEST.with_message(message));
        };
        if let Err(error) = self.user.admit(None) {
            return Response::error(error);
        }
        let params: Subscribe = match request.params() {
            Ok(params) => params,
            Err(error) => return Response::error(ErrorObject::from(error)),
        };
        let mut patterns = subscriptions.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        patterns.retain(|(pattern, _)| !params.methods.contains(pattern));
        if is_more {
            let is_long = params.methods.iter().any(|pattern| pattern.len() > PATTERN);
            if is_long || patterns.len().saturating_add(params.methods.len()) > PATTERNS {
                return Response::error(
                    ErrorObject::INVALID_PARAMS.with_message("Too many patterns, or too long ones"),
                );
            }
            patterns.extend(params.methods.into_iter().map(|text| (text.clone(), WildMatch::new(&text))));
            if subscriptions.begun.set(()).is_ok() {
                let (client, subscriptions) = (request.peer().clone(), Arc::clone(subscriptions));
                let user = Arc::clone(&self.user);
                let wants = move |told: &Told| subscriptions.has(&told.method) && told.is_for(&user);
                tokio::spawn(tell(self.hub.told.subscribe(), client, wants));
            }
        }
        Response::result(patterns.len())
    }
}

/// The references of a document of OpenRPC, to the part for this device of the whole document.
fn rename(value: &mut Value, device: &str) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(path)) = members.get_mut("$ref")
                && let Some((kind, name)) = path.strip_prefix("#/components/").and_then(|path| path.split_once('/'))
            {
                *path = format!("#/components/{kind}/{device}.{name}");
            }
            members.values_mut().for_each(|value| rename(value, device));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| rename(value, device)),
        _ => {}
    }
}

/// The document of a device, which another hub may have.
async fn described(device: Arc<Device>) -> (Arc<Device>, Option<Value>) {
    let mut document = device.document();
    if document.is_none() && !device.is_here() {
        let answer = device.invoke("", "rpc.discover", None).await.ok();
        document = answer.and_then(|answer| serde_json::from_str(answer.envelope().result()?.as_json()).ok());
    }
    (device, document)
}

/// One document of OpenRPC for all devices that the user sees.
async fn discover(caller: &Caller) -> Value {
    let (mut methods, mut components) = (Vec::new(), Map::new());
    let seen: Vec<_> = caller.hub.devices.values().filter(|device| caller.user.sees(&device.name)).cloned().collect();
    let documents = futures_util::stream::iter(seen.into_iter().map(described)).buffered(ASKED);
    let mut documents = std::pin::pin!(documents);
    while let Some((device, document)) = documents.next().await {
        let (Some(mut document), device) = (document, &device.name) else { continue };
        rename(&mut document, device);
        for method in document.get_mut("methods").and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(name) = method.get("name").and_then(Value::as_str) else { continue };
            let whole = format!("{device}.{name}");
            if name != "rpc.discover" && caller.user.may(&whole) {
                let mut method = method.clone();
                if let Some(method) = method.as_object_mut() {
                    method.insert("name".to_owned(), whole.into());
                }
                methods.push(method);
            }
        }
        let parts = document.get_mut("components").and_then(Value::as_object_mut).into_iter().flatten();
        for (kind, part) in parts {
            let all = components.entry(kind).or_insert_with(|| Map::new().into());
            if let (Some(all), Some(part)) = (all.as_object_mut(), part.as_object()) {
                all.extend(part.iter().map(|(name, value)| (format!("{device}.{name}"), value.clone())));
            }
        }
    }
    let info = json!({ "title": caller.hub.name, "version": env!("CARGO_PKG_VERSION") });
    json!({ "openrpc": "1.3.2", "info": info, "methods": methods, "components": components })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_to_the_part_of_their_device() {
        let mut document = json!({ "methods": [{ "params": [{ "$ref": "#/components/schemas/Level" }] }],
            "components": { "schemas": { "Level": { "$ref": "other.json" } } } });
        rename(&mut document, "lamp");
        assert_eq!(document["methods"][0]["params"][0]["$ref"], "#/components/schemas/lamp.Level");
        assert_eq!(document["components"]["schemas"]["Level"]["$ref"], "other.json");
    }
}

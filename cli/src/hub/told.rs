//! What users are told: the notifications of devices, and the states of devices.

use std::sync::Arc;

use bytes::Bytes;
use nanojsonrpc::{Growing, RawValue, Writer};
use nanojsonrpc_tokio::{Client, Message};
use serde_json::json;
use tokio::sync::broadcast::{Receiver, error::RecvError};

use crate::user::User;

/// The notification of a new state of a device.
pub(super) const DEVICE: &str = "hub.device";

/// A notification for users.
pub(super) struct Told {
    pub(super) method: String,
    /// The whole notification.
    pub(super) text: Bytes,
    /// The device whose state it is.
    device: Option<String>,
}

impl Told {
    fn of(method: String, params: Option<RawValue<'_>>, text: Bytes) -> Self {
        let name = params.filter(|_| method == DEVICE).and_then(|params| params.get("name")?.as_str_raw());
        let device = name.map(|name| name.to_string());
        Self { method, text, device }
    }

    pub(super) fn new(method: String, params: Option<RawValue<'_>>) -> Result<Self, nanojsonrpc::Error> {
        let mut text = Growing::new(usize::MAX);
        let mut out = Writer::new(&mut text);
        nanojsonrpc::Client::<(), 1, 0>::new().notify(&method, &params, &mut out)?;
        Ok(Self::of(method, params, Bytes::copy_from_slice(out.written())))
    }

    /// What another hub has told.
    pub(super) fn again(event: &Message) -> Self {
        Self::of(event.method().to_string(), event.payload(), event.text())
    }

    /// Whether the user may know it: the state of a device that the user sees, or a notification that the user may hear.
    pub(super) fn is_for(&self, user: &User) -> bool {
        match &self.device {
            Some(device) => user.sees(device),
            None => user.may(&self.method),
        }
    }
}

/// Sends what `wants` names to a client, until its connection ends.
pub(super) async fn tell(
    mut told: Receiver<Arc<Told>>,
    client: Client,
    wants: impl Fn(&Told) -> bool + Send + 'static,
) {
    loop {
        let told = tokio::select! {
            told = told.recv() => told,
            () = client.closed() => return,
        };
        let outcome = match told {
            Ok(told) if wants(&told) => client.send_text(told.text.clone()).await,
            Ok(_) => Ok(()),
            // the client reads too slowly, and is told so
            Err(RecvError::Lagged(count)) => client.notify("hub.missed", &json!({ "count": count })).await,
            Err(RecvError::Closed) => return,
        };
        if outcome.is_err() {
            return;
        }
    }
}

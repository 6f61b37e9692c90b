//! One call in a handler of axum.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response as HttpResponse};
use nanojsonrpc::EnvelopeKind;

use super::{answered, empty};
use crate::codec::MAX_LEN;
use crate::{Message, Response};

/// Extracts a call from the body of a request, for a handler of axum that answers it with an [`Answer`]. A body that is no single message is
/// refused with 400 and an error response. For batches, deadlines and origins: [`Http`](super::Http).
///
/// ```
/// use nanojsonrpc::ErrorObject;
/// use nanojsonrpc_tokio::Response;
/// use nanojsonrpc_tokio::axum::{Answer, Call};
///
/// async fn double(Call(call): Call) -> Answer {
///     let response = match call.params::<(u32,)>() {
///         Ok((number,)) => Response::result(number.saturating_mul(2)),
///         Err(error) => Response::error(ErrorObject::from(error)),
///     };
///     Answer(call, response)
/// }
///
/// let app: axum::Router = axum::Router::new().route("/double", axum::routing::post(double));
/// # _ = app;
/// ```
///
/// # Limits
/// Body: the `DefaultBodyLimit` of axum.
#[derive(Clone, Debug)]
pub struct Call(pub Message);

/// The response of HTTP to a call: 200 with the answer, or 204 for a notification.
#[derive(Debug)]
pub struct Answer(pub Message, pub Response);

impl<S: Send + Sync> FromRequest<S> for Call {
    type Rejection = HttpResponse;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpResponse> {
        let body = Bytes::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        match Message::parse(body) {
            Ok(message) if matches!(message.kind(), EnvelopeKind::Request | EnvelopeKind::Notification) => {
                Ok(Self(message))
            }
            Ok(_) => Err(empty(400)),
            Err(unreadable) => {
                let refused = unreadable.refused();
                let mut text = vec![0; refused.id.map_or(0, |id| id.as_bytes().len()).saturating_add(128)];
                let len = refused.write_response(&mut text).unwrap_or(0);
                text.truncate(len);
                Err(answered(400, &[("content-type", "application/json")], Body::from(text)))
            }
        }
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> HttpResponse {
        match self.1.write(&self.0, &mut Vec::new(), MAX_LEN) {
            Some(text) => answered(200, &[("content-type", "application/json")], Body::from(text)),
            None => empty(204),
        }
    }
}

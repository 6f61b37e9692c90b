//! Users over HTTP, WebSocket, events and MCP.

mod listener;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use futures_util::StreamExt as _;
use nanojsonrpc::Dialect;
use nanojsonrpc::connection::Cancellation;
use nanojsonrpc::http::Origins;
use nanojsonrpc_tokio::axum::{Events, Http, Mcp, websocket_for};
use nanojsonrpc_tokio::{Client, Methods, Server};
use subtle::ConstantTimeEq as _;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use super::config::Web;
use super::service::{Caller, methods};
use super::{Hub, millis};
use crate::address::is_this_machine;
use crate::device::State;
use crate::fault::Fault;
use crate::print::say;
use crate::tools::{Clients, Tools, View, server};
use crate::user::User;
use listener::Listener;

/// A page may load nothing from elsewhere, and run nothing that is written into it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";
/// The files of the page.
const PAGE: &[(&str, &str, &str)] = &[
    ("/", "text/html; charset=utf-8", include_str!("../page/index.html")),
    ("/hub.js", "text/javascript; charset=utf-8", include_str!("../page/hub.js")),
    ("/hub.css", "text/css; charset=utf-8", include_str!("../page/hub.css")),
];
/// The WebSockets of a listener at once.
const SOCKETS: usize = 16_384;

/// Who may come in, and what each of them sees.
struct Entrance {
    users: Vec<(Option<String>, Router)>,
    stop: CancellationToken,
}

/// What a user hears.
struct Ears {
    events: Events,
    traffic: Events,
}

/// Opens the listeners, and serves on them until `stop`.
pub(super) async fn serve(
    webs: Vec<Web>,
    hub: &Arc<Hub>,
    tools: &Arc<Tools>,
    users: &[(Arc<User>, Option<String>)],
    stop: &CancellationToken,
    tasks: &TaskTracker,
) -> Result<(), Fault> {
    let epoch = u32::try_from(millis(std::time::SystemTime::now()) / 1000 % u64::from(u32::MAX)).unwrap_or_default();
    let ears: Vec<_> = users.iter().map(|_| Ears { events: Events::new(epoch), traffic: Events::new(epoch) }).collect();
    let traffic = users.iter().zip(&ears).map(|((user, _), ears)| (Arc::clone(user), ears.traffic.clone()));
    // an error means that it is set
    _ = hub.traffic.set(traffic.collect());
    if !webs.is_empty() {
        for ((user, _), ears) in users.iter().zip(&ears) {
            tokio::spawn(hear(Arc::clone(hub), Arc::clone(user), ears.events.clone()));
        }
    }
    for web in webs {
        let (listener, address) = Listener::open(&web).await?;
        let apps =
            users.iter().zip(&ears).map(|((user, token), ears)| (token.clone(), app(&web, hub, tools, user, ears)));
        let entrance = Arc::new(Entrance { users: apps.collect(), stop: stop.clone() });
        let app = Router::new().fallback(move |request: Request| {
            let entrance = Arc::clone(&entrance);
            async move { entrance.enter(request).await }
        });
        say(format_args!("listening on {address}"));
        tasks.spawn(listener.serve(app, stop.clone()));
    }
    Ok(())
}

/// Passes notifications to the events of a user.
async fn hear(hub: Arc<Hub>, user: Arc<User>, events: Events) {
    let mut told = hub.told.subscribe();
    loop {
        match told.recv().await {
            Ok(told) if told.is_for(&user) => {
                if let Err(error) = events.send_text(&told.text) {
                    tracing::warn!(method = told.method, "not told: {error}");
                }
            }
            Ok(_) => {}
            Err(RecvError::Lagged(count)) => tracing::warn!(count, "notifications lost"),
            Err(RecvError::Closed) => return,
        }
    }
}

/// What a user sees.
fn app(web: &Web, hub: &Arc<Hub>, tools: &Arc<Tools>, user: &Arc<User>, ears: &Ears) -> Router {
    let origins = match web.origins.as_slice() {
        [] => Origins::Local,
        // a listener lasts as long as the program
        origins => {
            let origins = origins.iter().map(|origin| &*Box::leak(origin.clone().into_boxed_str()));
            Origins::Only(Box::leak(origins.collect::<Vec<&'static str>>().into_boxed_slice()))
        }
    };
    let caller = Caller { hub: Arc::clone(hub), user: Arc::clone(user), subscriptions: None, is_hub: false };
    let methods = methods(caller.clone());
    let options = web.options();
    let http = Http::new(methods.clone()).options(options.clone()).origins(origins).events(ears.events.clone());
    let traffic = Http::new(Methods::new(())).origins(origins).events(ears.traffic.clone());
    let sockets = Server::per_connection(move |_: &Client| {
        methods.with_context(Caller { subscriptions: Some(Arc::default()), ..caller.clone() })
    });
    let sockets = sockets.options(options.clone()).connections(SOCKETS);
    let view = View::new(tools, user);
    let context = view.clone();
    let options = options.dialect(Dialect::MCP).cancelled_by(Cancellation::MCP);
    let mcp = Mcp::with(server(), move |_| context.clone(), options, origins);
    view.tell(Clients::Http(mcp.clone()));
    let metrics = {
        let (hub, user) = (Arc::clone(hub), Arc::clone(user));
        move || async move { ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], hub.metrics(&user)) }
    };
    Router::new()
        .route("/rpc", http.into())
        .route("/traffic", traffic.into())
        .route("/ws", websocket_for(origins, sockets))
        .route("/mcp", mcp.into())
        .route("/metrics", get(metrics))
}

/// Adds to a refusal what the client may do, for people.
fn explained(mut response: Response) -> Response {
    let hint = match response.status() {
        StatusCode::UNAUTHORIZED => "send the header Authorization: Bearer TOKEN, with the token of a user\n",
        StatusCode::FORBIDDEN => {
            "only pages of this hub's origins may do this; a program without a token sends Sec-Fetch-Site: none\n"
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "send the header Content-Type: application/json\n",
        _ => return response,
    };
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    *response.body_mut() = Body::from(hint);
    response
}

/// Ends a stream of events with the hub; it has no end of its own.
fn until(response: Response, stop: &CancellationToken) -> Response {
    let media_type = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if media_type != Some(b"text/event-stream") {
        return response;
    }
    let stop = stop.clone().cancelled_owned();
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(stop)))
}

/// Whether a request without a token is for this machine: a page of elsewhere cannot name it so (DNS rebinding).
fn is_for_this_machine(request: &Request) -> bool {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    is_this_machine(host.unwrap_or_default())
}

impl Entrance {
    /// Answers a request as the user whose token it has.
    async fn enter(&self, mut request: Request) -> Response {
        let path = request.uri().path();
        if let Some((_, media_type, text)) = PAGE.iter().find(|(name, ..)| *name == path) {
            let headers = [
                (header::CONTENT_TYPE, *media_type),
                (header::CONTENT_SECURITY_POLICY, POLICY),
                (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
                (header::REFERRER_POLICY, "no-referrer"),
                (header::CACHE_CONTROL, "no-cache"),
            ];
            return (headers, *text).into_response();
        }
        if path == "/health" {
            return "ok\n".into_response();
        }
        let token = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
        let token = token.and_then(|value| value.split_at_checked(7));
        let token = token
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"bearer "))
            .map_or(&b""[..], |(_, token)| token)
            .to_vec();
        // all are compared, so that the time tells nothing
        let is_it = |own: &Option<String>| own.as_ref().is_none_or(|own| bool::from(own.as_bytes().ct_eq(&token)));
        let found = self.users.iter().fold(None, |found, (own, app)| if is_it(own) { Some(app) } else { found });
        if found.is_some() && token.is_empty() && !is_for_this_machine(&request) {
            return explained(StatusCode::FORBIDDEN.into_response());
        }
        if found.is_some() && !token.is_empty() {
            // no page of elsewhere can send a token, so a stream of events is for a program
            let headers = request.headers_mut();
            headers.entry("sec-fetch-site").or_insert(HeaderValue::from_static("none"));
        }
        match found {
            // it never fails
            Some(app) => {
                let response = app.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
                explained(until(response, &self.stop))
            }
            None => {
                let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
                explained((StatusCode::UNAUTHORIZED, challenge).into_response())
            }
        }
    }
}

impl Hub {
    /// The counts in the text format of Prometheus.
    fn metrics(&self, user: &User) -> String {
        let mut out = String::new();
        let mut family = |name: &str, kind: &str, help: &str, value: &dyn Fn(&crate::device::Device) -> u64| {
            // a `String` takes everything
            _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for device in self.devices.values().filter(|device| user.sees(&device.name)) {
                _ = writeln!(out, "{name}{{device=\"{}\"}} {}", device.name, value(device));
            }
        };
        family("jrpc_device_up", "gauge", "Whether this hub is connected to the device.", &|device| {
            u64::from(device.state().borrow().0 == State::Up)
        });
        family("jrpc_device_calls_total", "counter", "Calls of the device.", &|device| {
            device.counts.calls.load(Ordering::Relaxed)
        });
        family("jrpc_device_errors_total", "counter", "Calls that ended with an error.", &|device| {
            device.counts.errors.load(Ordering::Relaxed)
        });
        family("jrpc_device_notifications_total", "counter", "Notifications of the device.", &|device| {
            device.counts.notifications.load(Ordering::Relaxed)
        });
        family("jrpc_device_in_flight", "gauge", "Calls without an answer yet.", &|device| {
            u64::try_from(device.in_flight()).unwrap_or(u64::MAX)
        });
        out
    }
}

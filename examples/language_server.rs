//! A language server on standard input and output. It marks long lines and searches for a word in all open documents.
//!
//! ```sh
//! cargo build --example language_server --features embedded-io-async,alloc
//! ```
//!
//! While a search waits, the server continues to read: it receives changes, answers other requests, and drops a cancelled search.

use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::HashMap;
use std::process::exit;
use std::sync::{Arc, Mutex, PoisonError};

use embedded_io_adapters::tokio_1::FromTokio;
use nanojsonrpc::connection::{Cancellation, Connection};
use nanojsonrpc::frame::{ContentLength, Framer};
use nanojsonrpc::server::Event;
use nanojsonrpc::{ErrorObject, Notification, Router, Server, Writer};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::{Notify, mpsc};

mod arguments;

/// The maximum length of a message, and of a line without a mark.
const MESSAGE: usize = 16 << 20;
const LINE: usize = 100;

#[derive(Deserialize)]
struct Opened {
    #[serde(rename = "textDocument")]
    document: Document,
}

#[derive(Deserialize)]
struct Document {
    uri: String,
    text: String,
}

/// The params of `textDocument/publishDiagnostics`.
#[derive(Serialize)]
struct Marks {
    uri: String,
    diagnostics: Vec<serde_json::Value>,
}

struct Session {
    documents: Mutex<HashMap<String, String>>,
    marks: mpsc::UnboundedSender<Marks>,
    is_shut_down: AtomicBool,
    exit: Notify,
}

impl Session {
    fn open(&self, Document { uri, text }: Document) {
        let long = |(line, text): (usize, &str)| {
            let end = text.encode_utf16().count();
            let range = json!({"start": {"line": line, "character": LINE}, "end": {"line": line, "character": end}});
            (end > LINE).then(|| json!({"range": range, "message": "a long line"}))
        };
        let diagnostics = text.lines().enumerate().filter_map(long).collect();
        // ignored: the receiver ends before the session
        _ = self.marks.send(Marks { uri: uri.clone(), diagnostics });
        self.documents.lock().unwrap_or_else(PoisonError::into_inner).insert(uri, text);
    }

    fn count(&self, word: &str) -> usize {
        let documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        documents.values().map(|text| text.matches(word).count()).sum()
    }
}

/// Searches for a word slowly, to simulate long work.
async fn search(session: &mut Arc<Session>, (word, seconds): (String, u64)) -> Result<usize, ErrorObject<'static>> {
    tokio::time::sleep(core::time::Duration::from_secs(seconds)).await;
    Ok(session.count(&word))
}

#[tokio::main]
async fn main() {
    arguments::words("Serves the Language Server Protocol on standard input and output.", []);
    let (marks, mut marked) = mpsc::unbounded_channel();
    let session =
        Session { documents: Mutex::default(), marks, is_shut_down: AtomicBool::new(false), exit: Notify::new() };
    let mut session = Arc::new(session);
    let router = Router::new()
        .request("initialize", |_: &mut Arc<Session>, _: serde::de::IgnoredAny| {
            Ok(nanojsonrpc::RawValue::constant(r#"{"capabilities":{"textDocumentSync":1}}"#))
        })
        .request("shutdown", |session: &mut Arc<Session>| {
            session.is_shut_down.store(true, Ordering::Relaxed);
            Ok(())
        })
        .request_async("demo/search", search)
        .notification("exit", |session: &mut Arc<Session>| session.exit.notify_one())
        .notification("textDocument/didOpen", |session: &mut Arc<Session>, Opened { document }: Opened| {
            session.open(document)
        })
        .notification("initialized", |_: &mut Arc<Session>, _: serde::de::IgnoredAny| ());
    let mut server = Server::new(router).observed_by(|_: &mut Arc<Session>, event: Event<'_>| eprintln!("{event}"));

    let (mut framer, mut output) = (Framer::<ContentLength>::growing(MESSAGE), vec![0; 1 << 16]);
    let (reader, writer) = (FromTokio::new(tokio::io::stdin()), FromTokio::new(tokio::io::stdout()));
    let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    let queue = async move |out: &mut Writer<'_>| match marked.recv().await {
        Some(marks) => out.message(&Notification::new("textDocument/publishDiagnostics").with_params(&marks)),
        None => Ok(()),
    };
    let over = session.clone();
    let serving = connection.concurrent::<8, 1024, 1024>().cancelled_by(Cancellation::LANGUAGE_SERVER).queued_by(queue);
    let served = serving.until(over.exit.notified()).serve(&mut server, &mut session).await;
    if let Err(error) = &served {
        eprintln!("{error}");
    }
    // exits without `return`, because the runtime would wait for standard input
    exit(i32::from(served.is_err() || !session.is_shut_down.load(Ordering::Relaxed)));
}

//! A language server on standard input and output. It marks long lines and searches for a word in all open documents.
//!
//! While a search waits, the server reads changes, answers other requests, and drops a cancelled search.

use std::collections::HashMap;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nanojsonrpc::RawValue;
use nanojsonrpc::connection::Cancellation;
use nanojsonrpc::frame::ContentLength;
use nanojsonrpc_tokio::{CallError, Client, Methods, Options, Server};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

/// The greatest length of a line without a mark.
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
struct Marks<'d> {
    uri: &'d str,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize)]
struct Diagnostic {
    range: Range,
    message: &'static str,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: usize,
    character: usize,
}

#[derive(Default)]
struct Session {
    documents: Mutex<HashMap<String, String>>,
    is_shut_down: AtomicBool,
    exit: Notify,
}

/// Marks the lines that are too long.
async fn open((session, editor): Context, Opened { document }: Opened) {
    let diagnostics = document.text.lines().enumerate().filter_map(|(line, text)| {
        let end = text.encode_utf16().count();
        let range = Range { start: Position { line, character: LINE }, end: Position { line, character: end } };
        (end > LINE).then_some(Diagnostic { range, message: "a long line" })
    });
    let marks = Marks { uri: &document.uri, diagnostics: diagnostics.collect() };
    let sent: Result<(), CallError> = editor.notify("textDocument/publishDiagnostics", &marks).await;
    if let Err(error) = sent {
        eprintln!("{error}");
    }
    session.documents.lock().unwrap_or_else(PoisonError::into_inner).insert(document.uri, document.text);
}

/// Searches for a word slowly, to simulate long work.
async fn search(
    (session, _): Context,
    (word, seconds): (String, u64),
) -> Result<usize, nanojsonrpc::ErrorObject<'static>> {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let documents = session.documents.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(documents.values().map(|text| text.matches(&word).count()).sum())
}

type Context = (Arc<Session>, Client);

#[tokio::main]
async fn main() {
    let session = Arc::new(Session::default());
    let ended = Arc::clone(&session);
    let server = Server::per_connection(move |editor: &Client| {
        Methods::new((Arc::clone(&session), editor.clone()))
            .request("initialize", async |_, _: IgnoredAny| {
                Ok(RawValue::constant(r#"{"capabilities":{"textDocumentSync":1}}"#))
            })
            .request("shutdown", async |(session, _): Context, ()| {
                session.is_shut_down.store(true, Ordering::Relaxed);
                Ok(())
            })
            .request("demo/search", search)
            .notification("initialized", async |_, _: IgnoredAny| {})
            .notification("exit", async |(session, _): Context, ()| session.exit.notify_one())
            .notification("textDocument/didOpen", open)
    });
    let options = Options::new().max_len(16 << 20).cancelled_by(Cancellation::LANGUAGE_SERVER);
    let server = server.frame::<ContentLength>().options(options);
    tokio::select! {
        reason = server.serve_stdio() => eprintln!("{reason}"),
        () = ended.exit.notified() => {}
    }
    // exits without `return`, because the runtime would wait for standard input
    exit(i32::from(!ended.is_shut_down.load(Ordering::Relaxed)));
}

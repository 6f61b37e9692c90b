//! What the shell completes: peers, methods and params.

use std::ffi::OsStr;

use clap::{Arg, CommandFactory as _};
use clap_complete::CompletionCandidate;
use serde_json::Value;

use crate::args::{Arguments, PeerOptions};
use crate::describe::{self, Method};
use crate::peer::{self, Peer};

/// The words behind the subcommand that are no options, up to the one to complete, and the options that select a peer.
fn words() -> (Vec<String>, PeerOptions) {
    // the shell calls `jrpc -- jrpc call PEER …`
    let line: Vec<String> = std::env::args().skip_while(|word| word != "--").skip(2).collect();
    let (mut words, mut options) = (Vec::new(), PeerOptions::default());
    let mut whole = Arguments::command();
    // with the global options
    whole.build();
    let command = line.first().and_then(|name| whole.find_subcommand(name));
    // an option that the command does not have takes no value
    let takes_value = |word: &str| {
        let is_word = |argument: &&Arg| argument.get_long().is_some_and(|name| word.strip_prefix("--") == Some(name));
        let found = command.and_then(|command| command.get_arguments().find(is_word));
        found.is_some_and(|argument| argument.get_action().takes_values())
    };
    let mut line = line.iter().skip(1).cloned();
    while let Some(word) = line.next() {
        if word == "--mcp" {
            options.mcp = true;
        } else if word == "--peers" {
            options.peers = line.next().map(Into::into);
        } else if word.starts_with('-') && word.len() > 1 {
            if takes_value(&word) {
                line.next();
            }
        } else {
            words.push(word);
        }
    }
    (words, options)
}

/// The methods that `jrpc list` has seen of the peer in the line.
fn methods(words: &[String], options: &PeerOptions) -> Vec<Method> {
    let peer = words.first().and_then(|name| Peer::find(name, options).ok());
    peer.map(|peer| describe::kept(&peer)).unwrap_or_default()
}

fn starting(current: &OsStr, candidates: impl Iterator<Item = (String, String)>) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let fitting = candidates.filter(|(word, _)| word.starts_with(&*current));
    fitting.map(|(word, help)| CompletionCandidate::new(word).help((!help.is_empty()).then(|| help.into()))).collect()
}

/// The names of the file of peers, and the beginnings of addresses.
pub(crate) fn peers(current: &OsStr) -> Vec<CompletionCandidate> {
    const BEGINNINGS: &[&str] =
        &["serial:///dev/", "tcp://", "unix:", "ws://", "wss://", "http://", "https://", "mqtt://", "nats://", "exec:"];
    let (_, options) = words();
    let names = peer::names(&options).unwrap_or_default();
    let names = names.iter().map(|(name, entry)| {
        (name.clone(), entry.get("address").and_then(toml::Value::as_str).unwrap_or_default().to_owned())
    });
    starting(current, names.chain(BEGINNINGS.iter().map(|&front| (front.to_owned(), String::new()))))
}

/// The methods of the peer.
pub(crate) fn method(current: &OsStr) -> Vec<CompletionCandidate> {
    let (words, options) = words();
    starting(current, methods(&words, &options).into_iter().map(|method| (method.name, method.summary)))
}

/// The params of the method that are not in the line yet: `name=` or `name:=`, with its values if they are known.
pub(crate) fn param(current: &OsStr) -> Vec<CompletionCandidate> {
    let (words, options) = words();
    let methods = methods(&words, &options);
    let Some(method) = methods.iter().find(|method| words.get(1) == Some(&method.name)) else { return Vec::new() };
    let current_word = current.to_string_lossy();
    let given = words.iter().skip(2).filter(|word| **word != current_word);
    let given: Vec<&str> = given.map(|word| word.split([':', '=']).next().unwrap_or_default()).collect();
    let open = method.order.iter().filter(|name| !given.contains(&name.as_str()));
    starting(current, open.flat_map(|name| values(name, method.schema(name).unwrap_or(&Value::Null))))
}

fn values(name: &str, schema: &Value) -> Vec<(String, String)> {
    let help = schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let known = match (schema.get("enum").and_then(Value::as_array), schema.get("type").and_then(Value::as_str)) {
        (Some(values), _) => values.clone(),
        (None, Some("boolean")) => vec![Value::Bool(true), Value::Bool(false)],
        (None, Some("string")) => return vec![(format!("{name}="), help)],
        _ => return vec![(format!("{name}:="), help)],
    };
    let word = |value: &Value| match value {
        Value::String(text) => format!("{name}={text}"),
        other => format!("{name}:={other}"),
    };
    known.iter().map(|value| (word(value), help.clone())).collect()
}

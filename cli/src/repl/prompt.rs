//! The prompt: a thread reads lines, because that blocks.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc as blocking};
use std::thread;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, ExternalPrinter, Helper};
use tokio::sync::mpsc;

use crate::fault::Fault;
use crate::folders;
use crate::line::Tell;
use crate::print::say;

/// Completes the first word of a line.
struct Names {
    methods: Vec<String>,
}

impl Completer for Names {
    type Candidate = String;

    fn complete(&self, line: &str, end: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let word = line.get(..end).unwrap_or_default();
        let start = word.len().saturating_sub(word.trim_start_matches('!').len());
        let word = word.trim_start_matches('!');
        let known = self.methods.iter().map(String::as_str).chain([".list", ".quit"]);
        Ok((start, known.filter(|name| name.starts_with(word)).map(str::to_owned).collect()))
    }
}

impl Hinter for Names {
    type Hint = String;
}

impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}

/// The file of lines; none if the user wants none, or has no home.
fn history() -> Option<PathBuf> {
    if std::env::var_os("JRPC_NO_HISTORY").is_some_and(|value| !value.is_empty()) {
        return None;
    }
    folders::file("XDG_STATE_HOME", ".local/state", "history")
}

/// A thread with a terminal.
pub(super) struct Prompt {
    asks: blocking::Sender<()>,
    lines: mpsc::Receiver<String>,
    tell: Tell,
}

impl Prompt {
    pub(super) fn start(methods: Vec<String>) -> Result<Self, Fault> {
        let fault = |error: ReadlineError| Fault::File(format!("the terminal: {error}"));
        let config = Config::builder().auto_add_history(true).history_ignore_dups(true).map_err(fault)?;
        let mut editor: Editor<Names, FileHistory> = Editor::with_config(config.build()).map_err(fault)?;
        editor.set_helper(Some(Names { methods }));
        let printer = Mutex::new(editor.create_external_printer().map_err(fault)?);
        let tell = move |line| {
            let printed = printer.lock().is_ok_and(|mut printer| printer.print(format!("{line}\n")).is_ok());
            if !printed {
                say(line);
            }
        };
        let (asks, asked) = blocking::channel();
        let (sender, lines) = mpsc::channel(1);
        thread::spawn(move || read(editor, &asked, &sender));
        Ok(Self { asks, lines, tell: Arc::new(tell) })
    }

    /// Tells lines above the prompt while one types.
    pub(super) fn tell(&self) -> Tell {
        Arc::clone(&self.tell)
    }

    /// Shows the prompt.
    pub(super) fn ask(&self) {
        // an error means that the input has ended, which `line` returns
        _ = self.asks.send(());
    }

    /// The next line; `None` at the end of the input.
    pub(super) async fn line(&mut self) -> Option<String> {
        self.lines.recv().await
    }
}

/// Reads a line for each question, until the input ends.
fn read(mut editor: Editor<Names, FileHistory>, asked: &blocking::Receiver<()>, lines: &mpsc::Sender<String>) {
    let history = history();
    if let Some(path) = &history {
        // there is none at first
        _ = path.parent().map(std::fs::create_dir_all);
        _ = editor.load_history(path);
    }
    while asked.recv().is_ok() {
        let line = loop {
            match editor.readline("> ") {
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => return,
                Err(error) => return say(format_args!("the terminal: {error}")),
                Ok(line) => break line,
            }
        };
        if let Some(path) = &history
            && let Err(error) = editor.append_history(path)
        {
            say(format_args!("{}: {error}", path.display()));
        }
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

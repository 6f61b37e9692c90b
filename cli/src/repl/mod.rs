//! `jrpc repl`: a prompt whose lines are calls. Without a terminal, a script of calls.

mod prompt;

use std::io::IsTerminal as _;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;

use clap::Args;
use clap_complete::ArgValueCompleter;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::signal::ctrl_c;

use crate::address::Address;
use crate::args::PeerOptions;
use crate::fault::Fault;
use crate::line::Tell;
use crate::params;
use crate::peer::Peer;
use crate::print::{Style, line, out, say};
use crate::session::{Session, show};
use crate::{complete, describe};
use prompt::Prompt;

/// Call methods from a prompt, or from the lines of standard input
#[derive(Args, Debug)]
#[command(after_help = "Lines:\n  \
    METHOD [PARAMS]    a call; PARAMS as in jrpc call\n  \
    !METHOD [PARAMS]   a notification\n  \
    .list              the methods of the peer\n  \
    .quit              ends it, as Ctrl-D does; Ctrl-C forgets a call\n  \
    # a comment\n\n\
    Examples:\n  \
    jrpc repl serial:///dev/ttyACM0\n  \
    printf '%s\\n' 'lamp.set level:=20' lamp.level | jrpc repl lamp\n\n\
    The file of lines is jrpc/history in the folder of states; the environment variable JRPC_NO_HISTORY switches it off.")]
pub(crate) struct Repl {
    /// An address, or a name of the file of peers
    #[arg(add = ArgValueCompleter::new(complete::peers))]
    peer: String,
    /// Go on after an error of a script; the status is that of the first error
    #[arg(long)]
    keep_going: bool,
    #[command(flatten)]
    options: PeerOptions,
}

/// The calls of the lines, one after the other, over a connection that is made again after it has ended.
struct Calls {
    peer: Peer,
    session: Option<Session>,
    /// Tells people a line, above the prompt if there is one.
    tell: Tell,
}

impl Repl {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        let peer = Peer::find(&self.peer, &self.options)?;
        if peer.address == Address::Stdio {
            return Err(Fault::usage("standard input has the lines, so the peer must be another one"));
        }
        let mut calls = Calls { peer, session: None, tell: Arc::new(say) };
        if std::io::stdin().is_terminal() { calls.interact().await } else { calls.script(self.keep_going).await }
    }
}

impl Calls {
    async fn script(&mut self, keeps_going: bool) -> Result<(), Fault> {
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        let mut outcome = Ok(());
        while let Some(text) = lines.next_line().await.map_err(|error| Fault::file("standard input", &error))? {
            match self.run(&text, Style::of_output()).await {
                Ok(Continue(())) => {}
                Ok(Break(())) => break,
                Err(fault) if keeps_going && !matches!(fault, Fault::Unread | Fault::File(_)) => {
                    self.tell(&fault);
                    if outcome.is_ok() {
                        outcome = Err(fault);
                    }
                }
                Err(fault) => return Err(fault),
            }
        }
        // the first fault was printed; only its status is left
        outcome
    }

    async fn interact(&mut self) -> Result<(), Fault> {
        let methods = describe::kept(&self.peer).into_iter().map(|method| method.name).collect();
        let mut prompt = Prompt::start(methods)?;
        self.tell = prompt.tell();
        loop {
            prompt.ask();
            let text = loop {
                let lost = async {
                    match &mut self.session {
                        Some(session) => session.listen().await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    text = prompt.line() => break text,
                    fault = lost => self.tell(&fault),
                }
            };
            let Some(text) = text else { return Ok(()) };
            let outcome = tokio::select! {
                outcome = self.run(&text, Style::of_output()) => outcome,
                _ = ctrl_c() => {
                    say("forgotten");
                    continue;
                }
            };
            match outcome {
                Ok(Continue(())) => {}
                Ok(Break(())) => return Ok(()),
                Err(fault @ (Fault::Unread | Fault::File(_))) => return Err(fault),
                Err(fault) => self.tell(&fault),
            }
        }
    }

    /// Tells a fault, after which a lost connection is made again by the next line.
    fn tell(&mut self, fault: &Fault) {
        if matches!(fault, Fault::Connection(_)) {
            self.session = None;
        }
        if !matches!(fault, Fault::Refused) {
            (self.tell)(fault.to_string());
        }
    }

    /// Does what a line says.
    async fn run(&mut self, text: &str, style: Style) -> Result<ControlFlow<()>, Fault> {
        let text = text.trim();
        let is_notification = text.starts_with('!');
        let words = shlex::split(text.trim_start_matches('!'));
        let words = words.ok_or_else(|| Fault::usage(format!("a quotation mark has no end: {text}")))?;
        let (method, arguments) = match words.split_first() {
            None => return Ok(Continue(())),
            Some((word, _)) if word == ".quit" => return Ok(Break(())),
            Some((word, _)) if word.starts_with('.') && word != ".list" => {
                return Err(Fault::usage(format!("{word} is neither .list nor .quit")));
            }
            Some(words) => words,
        };
        if arguments == ["-"] {
            return Err(Fault::usage("standard input has the lines, not params"));
        }
        let params = params::read(arguments)?;
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(Session::open_with(&self.peer, Arc::clone(&self.tell)).await?),
        };
        if method == ".list" {
            let methods = session.methods().await?.unwrap_or_default();
            methods.iter().try_for_each(|method| out(line(method.to_string().as_bytes())))?;
        } else if is_notification {
            session.notify(method, params.as_deref()).await?;
        } else {
            let answer = session.call(method, params.as_deref()).await?;
            show(&answer, self.peer.is_mcp, false, style)?;
        }
        Ok(Continue(()))
    }
}

//! `jrpc explain`: the verdict on a text.

use std::ffi::OsString;

use clap::{Args, ValueEnum as _};
use nanojsonrpc::client::Addressee;
use nanojsonrpc::json::Kind;
use nanojsonrpc::server::route::End;
use nanojsonrpc::{Dialect, Envelope, EnvelopeKind, Envelopes, Growing, RawValue, Refused, Server};

use crate::args::{DialectName, FrameName, PeerOptions};
use crate::fault::Fault;
use crate::print::{Marked, line, out};
use crate::rules::Rule;

/// Explain a text: what it is, or the rule that it breaks, and what servers and clients do with it
#[derive(Args, Debug)]
#[command(after_help = "Status: 0 if the text is valid, 1 if it is not.\n\nExamples:\n  \
    jrpc explain '{\"method\":\"lamp.set\",\"params\":7,\"id\":1}'\n  \
    jrpc explain @session.log --dialect mcp\n  \
    socat - /dev/ttyUSB0 | jrpc explain --frame etx")]
pub(crate) struct Explain {
    /// A text, @FILE, or - for standard input; without --frame a file is one JSON text, or one in each line
    #[arg(default_value = "-")]
    text: OsString,
    #[command(flatten)]
    options: PeerOptions,
}

impl Explain {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        let name = self.text.to_string_lossy();
        let (mut text, is_file) = match name.strip_prefix('@') {
            Some(path) => (tokio::fs::read(path).await.map_err(|error| Fault::file(path, &error))?, true),
            None if name == "-" => {
                let mut text = Vec::new();
                let read = tokio::io::AsyncReadExt::read_to_end(&mut tokio::io::stdin(), &mut text).await;
                read.map_err(|error| Fault::file("standard input", &error))?;
                (text, true)
            }
            None => (self.text.as_encoded_bytes().to_vec(), false),
        };
        let dialect = self.options.known_dialect();
        let frame = self.options.frame.as_ref().or_else(|| (is_file && has_lines(&text)).then_some(&FrameName::Lf));
        let (mut is_valid, mut count) = (true, 0usize);
        match frame {
            None => is_valid = explain(&text, dialect)?,
            Some(frame) => crate::frames::split(&mut text, frame, |found| {
                count = count.saturating_add(1);
                out(format_args!("message {count}"))?;
                is_valid &= match found {
                    Ok(text) => explain(text, dialect)?,
                    Err(fault) => out(format_args!("refused: {fault}")).map(|()| !fault.loses_message())?,
                };
                Ok::<(), Fault>(())
            })?,
        }
        if is_valid { Ok(()) } else { Err(Fault::Refused) }
    }
}

/// Whether a file has a text in each line: it is no JSON text as a whole, and a line is an object or an array.
fn has_lines(text: &[u8]) -> bool {
    let is_json = |text| RawValue::parse(text).is_ok_and(|value| matches!(value.kind(), Kind::Object | Kind::Array));
    RawValue::parse(text).is_err() && text.split(|&byte| byte == b'\n').any(is_json)
}

/// The bytes of a value, and the elements of a batch, that are printed.
const SHOWN: usize = 400;
const ELEMENTS: usize = 100;

/// A received value in one line, cut if it is long.
fn shown(value: &[u8]) -> String {
    format!("{}{}", line(value.get(..SHOWN).unwrap_or(value)), if value.len() > SHOWN { "…" } else { "" })
}

/// Prints the verdict on the messages of `text`, and returns whether all are valid.
fn explain(text: &[u8], dialect: Dialect) -> Result<bool, Fault> {
    let mut messages = Envelopes::new(text, dialect);
    let first = messages.next();
    let is_batch = messages.is_batch();
    let mut elements = RawValue::parse(text).ok().filter(|_| is_batch).unwrap_or(RawValue::NULL).elements();
    if is_batch {
        out("batch: a server answers its requests with one array, or without requests not at all")?;
    }
    let (mut count, mut refused) = (0usize, 0usize);
    for read in first.into_iter().chain(messages) {
        count = count.saturating_add(1);
        refused = refused.saturating_add(usize::from(read.is_err()));
        let element = elements.next().map(RawValue::as_bytes);
        if is_batch && count <= ELEMENTS {
            out(format_args!("element {count}"))?;
        }
        match read {
            _ if count > ELEMENTS => {}
            Ok(message) => out(valid(&message, element.unwrap_or(text), dialect))?,
            Err(refused) => out(invalid(&refused, element, dialect))?,
        }
    }
    if count > ELEMENTS {
        out(format_args!("… {count} elements, {refused} refused"))?;
    }
    Ok(refused == 0)
}

/// What a client does with a text for this call; it ends `with` something.
fn client(addressee: Addressee<'_>, with: &str) -> String {
    match addressee {
        Addressee::Call(id) => {
            let other = addressee.number().filter(|(_, is_exact)| !is_exact);
            let other = other.map_or(String::new(), |(number, _)| format!("; a lenient one also its call {number}"));
            format!("a client ends its call {} with {with}{other}", shown(id.as_bytes()))
        }
        Addressee::Only => format!("a client ends its call with {with} if only one is in flight"),
        Addressee::None => "a client drops it, and answers nothing".to_owned(),
    }
}

/// The verdict on a message, which is `text`.
fn valid(message: &Envelope<'_>, text: &[u8], dialect: Dialect) -> String {
    let (kind, method) = (kind_of(message), shown(message.method().to_string().as_bytes()));
    let id = message.id().map_or("none".to_owned(), |id| shown(id.as_bytes()));
    let payload = message.params().or_else(|| message.result()).or_else(|| message.error());
    let payload = payload.map_or("none".to_owned(), |payload| shown(payload.as_bytes()));
    match message.kind() {
        EnvelopeKind::Request => {
            let answer = answer(text, dialect);
            let note = match id.as_str() {
                "null" => "\n  the id null is discouraged: errors without a call have it, too (JSON-RPC 2.0 §4)",
                _ => "",
            };
            let server = format!("a server answers with the id {id}; without this method: {answer}");
            format!("{kind}\n  method: {method}\n  id: {id}\n  params: {payload}\n  {server}{note}")
        }
        EnvelopeKind::Notification => {
            format!("{kind}\n  method: {method}\n  params: {payload}\n  a server does not answer")
        }
        _ => {
            let client = client(Addressee::of(message, dialect), "it");
            format!("{kind}\n  id: {id}\n  payload: {payload}\n  a server does not answer\n  {client}")
        }
    }
}

/// The call that a refused text, or `element` of a batch, may have answered. The element is read alone, since the core would read the
/// whole batch for each.
pub(crate) fn addressee<'t>(refused: &Refused<'t>, element: Option<&'t [u8]>, dialect: Dialect) -> Addressee<'t> {
    match element {
        None => Addressee::of_refused(refused),
        Some([b'{', ..]) => {
            let alone = element.and_then(|element| Envelope::parse_as(element, dialect).err());
            alone.map_or(Addressee::None, |refused| Addressee::of_refused(&refused))
        }
        Some(_) => Addressee::None,
    }
}

/// The answer of a server without methods.
fn answer(text: &[u8], dialect: Dialect) -> String {
    let mut output = Growing::new(usize::MAX);
    let mut server = Server::with_routes(End).with_dialect(dialect);
    server.process(&mut (), text, &mut output).answer().map_or(String::new(), shown)
}

/// What a server and a client do with a refused text, of which `element` of a batch is refused, if it is one.
pub(crate) fn effects(refused: &Refused<'_>, element: Option<&[u8]>, dialect: Dialect) -> [String; 2] {
    let answer = element.map_or_else(
        || answer(refused.text, dialect),
        |_| {
            let mut buffer = vec![0; refused.id.map_or(0, |id| id.as_bytes().len()).saturating_add(256)];
            let len = refused.write_response(&mut buffer).unwrap_or(0);
            buffer.get(..len).map_or(String::new(), shown)
        },
    );
    let to = addressee(refused, element, dialect);
    let server = match (answer.as_str(), to) {
        ("", Addressee::None) => "a server does not answer: it is a notification".to_owned(),
        ("", _) => "a server does not answer: an answer could end a call of the peer".to_owned(),
        (answer, _) => format!("a server answers: {answer}"),
    };
    [server, client(to, "an error that holds the text")]
}

fn invalid(refused: &Refused<'_>, element: Option<&[u8]>, dialect: Dialect) -> String {
    let (error, offset, Rule { sentence, section, .. }) = (refused.error, refused.offset(), Rule::of(refused.kind()));
    let marked = Marked { text: refused.text, offset };
    let [server, client] = effects(refused, element, dialect);
    let mut text = format!("refused: {error}\n{marked}\n  rule: {sentence} ({section})\n  {server}\n  {client}");
    for other in DialectName::value_variants().iter().filter(|other| other.dialect() != dialect) {
        if let Ok(message) = Envelope::parse_as(element.unwrap_or(refused.text), other.dialect()) {
            let name = format!("{other:?}").to_lowercase();
            text += &format!("\n  with --dialect {name} it is valid: {}", kind_of(&message));
        }
    }
    text
}

fn kind_of(message: &Envelope<'_>) -> String {
    format!("{:?}", message.kind()).to_lowercase()
}

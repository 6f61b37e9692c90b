//! Files of texts that were sent and received: a line for each, an object with `time`, `direction` and `text`. A line that is another JSON
//! value is itself a received text, so that logs of messages are recordings, too.

use std::borrow::Cow;
use std::path::Path;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use nanojsonrpc::{Growing, RawValue, Writer};
use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// The direction of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    /// To the device.
    Sent,
    /// By the device.
    Received,
}

/// A text of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) time: SystemTime,
    pub(crate) direction: Direction,
    pub(crate) text: Bytes,
}

/// An entry as it stands in a file. Bytes that are no UTF-8 are written as U+FFFD.
#[derive(Serialize, Deserialize)]
struct Written<'t> {
    #[serde(borrow)]
    time: Cow<'t, str>,
    direction: Direction,
    #[serde(borrow)]
    text: Cow<'t, str>,
}

impl Entry {
    /// A text of now.
    pub(crate) fn now(direction: Direction, text: Bytes) -> Self {
        Self { time: SystemTime::now(), direction, text }
    }

    /// The time of day in UTC, with milliseconds.
    pub(crate) fn time_of_day(&self) -> String {
        let time = humantime::format_rfc3339_millis(self.time).to_string();
        time.trim_end_matches('Z').split_once('T').map_or(String::new(), |(_, time)| time.to_owned())
    }

    /// The line of a file, without its end.
    pub(crate) fn to_line(&self) -> Result<String, Fault> {
        let time = humantime::format_rfc3339_millis(self.time).to_string();
        let written =
            Written { time: time.into(), direction: self.direction, text: String::from_utf8_lossy(&self.text) };
        let mut buffer = Growing::new(usize::MAX);
        let mut out = Writer::new(&mut buffer);
        out.value(&written).map_err(|error| Fault::File(error.to_string()))?;
        Ok(String::from_utf8_lossy(out.written()).into_owned())
    }

    fn parse(line: &str) -> Result<Self, String> {
        let value = RawValue::parse(line.as_bytes()).map_err(|error| error.to_string())?;
        if value.get("direction").is_none() || value.get("text").is_none() {
            // the time is unknown
            let (time, text) = (SystemTime::UNIX_EPOCH, Bytes::copy_from_slice(value.as_bytes()));
            return Ok(Self { time, direction: Direction::Received, text });
        }
        let Written { time, direction, text } = value.read().map_err(|error| error.to_string())?;
        let time = humantime::parse_rfc3339(&time).map_err(|error| error.to_string())?;
        Ok(Self { time, direction, text: text.into_owned().into() })
    }
}

/// Reads a file. A line that is no JSON is a received text, too, since it may be what a check is to find.
pub(crate) fn read(path: &Path) -> Result<Vec<Entry>, Fault> {
    let text = std::fs::read(path).map_err(|error| Fault::file(path.display(), &error))?;
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    Ok(lines
        .map(|line| {
            let parsed = std::str::from_utf8(line).ok().and_then(|line| Entry::parse(line).ok());
            parsed.unwrap_or_else(|| Entry {
                time: SystemTime::UNIX_EPOCH,
                direction: Direction::Received,
                text: Bytes::copy_from_slice(line.trim_ascii_end()),
            })
        })
        .collect())
}

/// The time from one entry to the next; none if either is unknown.
pub(crate) fn pause(from: &Entry, to: &Entry) -> Duration {
    if from.time == SystemTime::UNIX_EPOCH {
        Duration::ZERO
    } else {
        to.time.duration_since(from.time).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("session.jsonl");
        let entry = Entry::now(Direction::Sent, Bytes::from_static(b"{\"a\":\"\\u001b \x7f\"}\n\x00"));
        let lines = [&entry.to_line().expect("written"), r#"{"jsonrpc":"2.0","method":"on"}"#, "boot {", ""];
        std::fs::write(&path, lines.join("\n")).expect("written");
        let read = read(&path).expect("read");
        assert_eq!(
            read.iter().map(|entry| &entry.text[..]).collect::<Vec<_>>(),
            [&entry.text[..], br#"{"jsonrpc":"2.0","method":"on"}"#, b"boot {"]
        );
        assert_eq!(
            read.iter().map(|entry| entry.direction == Direction::Sent).collect::<Vec<_>>(),
            [true, false, false]
        );
        let difference = entry.time.duration_since(read[0].time).expect("earlier");
        assert!(difference < Duration::from_millis(1));
        assert_eq!(pause(&read[1], &read[0]), Duration::ZERO);
    }
}

//! The command line of the examples: `--help`, and the reason of a refusal in one line.
#![allow(dead_code, reason = "each example uses a part")]

use core::fmt::Display;
use core::time::Duration;
use std::io::{self, Write};
use std::path::Path;
use std::process::exit;

use lexopt::prelude::*;
use lexopt::{Error, Parser};

/// Where a server listens by default: on this machine, on a free port.
pub(crate) const LOCAL: &str = "127.0.0.1:0";

/// Reads the arguments with `read`, which returns `None` for `--help`. Help ends the program, as does a refused argument, with status 2.
pub(crate) fn parse<T>(help: &str, read: impl FnOnce(&mut Parser) -> Result<Option<T>, Error>) -> T {
    match read(&mut Parser::from_env()) {
        Ok(Some(read)) => read,
        Ok(None) => exit(i32::from(print(help).is_err())),
        Err(error) => {
            complain(format_args!("{error}; try --help"));
            exit(2)
        }
    }
}

/// The arguments of a program that has one for each of `names` and no options.
pub(crate) fn words<const N: usize>(about: &str, names: [&str; N]) -> [String; N] {
    let usage = [&[name().as_str()], &names[..]].concat().join(" ");
    let help = format!("{about}\n\nUsage: {usage}\n");
    parse(&help, |parser| {
        let mut words = Vec::new();
        while let Some(argument) = parser.next()? {
            match (argument, names.get(words.len())) {
                (Short('h') | Long("help"), _) => return Ok(None),
                (Value(word), Some(&"ADDR:PORT")) => words.push(address(word)?),
                (Value(word), Some(_)) => words.push(word.string()?),
                (argument, _) => return Err(argument.unexpected()),
            }
        }
        if let Some(missing) = names.get(words.len()) {
            return Err(format!("{missing} is missing").into());
        }
        // as many as names
        Ok(words.try_into().ok())
    })
}

/// The address of a server that has the option `--listen` alone.
pub(crate) fn listen(about: &str) -> String {
    let options = "      --listen ADDR:PORT  Where to listen; port 0 takes a free one [default: 127.0.0.1:0]\n";
    let help = format!(
        "{about}\n\nUsage: {} [OPTIONS]\n\nOptions:\n{options}  -h, --help              Print this help\n",
        name()
    );
    parse(&help, |parser| {
        let mut listen = LOCAL.to_owned();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("listen") => listen = address(parser.value()?)?,
                Short('h') | Long("help") => return Ok(None),
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(Some(listen))
    })
}

/// Refuses a word without a host or without a port.
pub(crate) fn address(word: std::ffi::OsString) -> Result<String, Error> {
    let word = word.string()?;
    match word.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(word),
        _ => Err(format!("expected ADDR:PORT, not {word:?}").into()),
    }
}

/// The value of `--timeout`.
pub(crate) fn timeout(parser: &mut Parser) -> Result<Duration, Error> {
    let seconds: f64 = parser.value()?.parse()?;
    let timeout = Duration::try_from_secs_f64(seconds).ok().filter(|timeout| !timeout.is_zero());
    timeout.ok_or_else(|| "--timeout must be a positive number of seconds".into())
}

fn name() -> String {
    let program = std::env::args_os().next().unwrap_or_default();
    Path::new(&program).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Prints without `println!` and `eprintln!`, which panic if their output is closed.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Prints a line on standard error, after the name of the program.
pub(crate) fn complain(error: impl Display) {
    let _ = writeln!(io::stderr(), "{}: {error}", name());
}

//! The params of a call, as people write them.

use std::io::Read as _;

use nanojsonrpc::{Growing, RawValue, Writer};

use crate::fault::Fault;

/// The params that `arguments` describe, as JSON: `name=string` and `name:=json` are members of an object; one argument may be the whole
/// text, `@FILE` with it, or `-` for standard input. `None` without arguments.
pub(crate) fn read(arguments: &[String]) -> Result<Option<String>, Fault> {
    let whole = match arguments {
        [] => return Ok(None),
        [one] if one == "-" => {
            let mut text = String::new();
            let read = std::io::stdin().read_to_string(&mut text);
            read.map_err(|error| Fault::file("standard input", &error))?;
            text
        }
        [one] => match one.strip_prefix('@') {
            Some(path) => std::fs::read_to_string(path).map_err(|error| Fault::file(path, &error))?,
            None if one.starts_with(['{', '[']) => one.clone(),
            None => return members(arguments).map(Some),
        },
        _ => return members(arguments).map(Some),
    };
    let whole = whole.trim();
    valid("params", whole)?;
    Ok(Some(whole.to_owned()))
}

/// Refuses a text that is no JSON.
fn valid(name: &str, text: &str) -> Result<(), Fault> {
    let marked = |error: nanojsonrpc::Error| crate::print::Marked { text: text.as_bytes(), offset: error.offset() };
    match RawValue::parse(text.as_bytes()) {
        Ok(_) => Ok(()),
        Err(error) => Err(Fault::Usage(format!("{name}: {error}\n{}", marked(error)))),
    }
}

fn members(arguments: &[String]) -> Result<String, Fault> {
    let mut out = String::from("{");
    let mut names: Vec<&str> = Vec::new();
    for argument in arguments {
        let (front, value) = argument.split_once('=').ok_or_else(|| {
            Fault::usage(format!("{argument:?} is neither name=string, name:=json, a JSON text, @FILE nor -"))
        })?;
        let (name, is_json) = front.strip_suffix(':').map_or((front, false), |name| (name, true));
        if names.contains(&name) {
            return Err(Fault::usage(format!("{name:?} is given twice")));
        }
        if !names.is_empty() {
            out.push(',');
        }
        names.push(name);
        out.push_str(&string(name)?);
        out.push(':');
        if is_json {
            valid(name, value)?;
            out.push_str(value);
        } else {
            out.push_str(&string(value)?);
        }
    }
    out.push('}');
    Ok(out)
}

/// `text` as a JSON string.
pub(crate) fn string(text: &str) -> Result<String, Fault> {
    let mut buffer = Growing::new(usize::MAX);
    let mut out = Writer::new(&mut buffer);
    out.value(text).map_err(|error| Fault::usage(error.to_string()))?;
    Ok(String::from_utf8_lossy(out.written()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(arguments: &[&str]) -> Result<Option<String>, String> {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        read(&arguments).map_err(|fault| fault.to_string())
    }

    #[test]
    fn each_form_is_read() {
        for (arguments, expected) in [
            (&[][..], None),
            (
                &["name=a \"b\"=c", "level:=20", "list:=[1, 2]"],
                Some(r#"{"name":"a \"b\"=c","level":20,"list":[1, 2]}"#),
            ),
            (&["[42, 23]"], Some("[42, 23]")),
            (&[" {} "], None),
            (&["{\"a\":1}"], Some("{\"a\":1}")),
        ] {
            if let Ok(read) = params(arguments) {
                assert_eq!(read.as_deref(), expected);
            } else {
                assert_eq!(arguments, [" {} "]);
            }
        }
    }

    #[test]
    fn a_fault_names_its_argument() {
        for (arguments, reason) in [
            (&["level"][..], "\"level\" is neither"),
            (&["level:=x"], "level: expected a value at byte 0"),
            (&["a=1", "a=2"], "\"a\" is given twice"),
            (&["[1"], "params: "),
            (&["@/nowhere/params.json"], "/nowhere/params.json: "),
        ] {
            let fault = params(arguments).expect_err("refused");
            assert!(fault.contains(reason), "{arguments:?}: {fault}");
        }
    }
}

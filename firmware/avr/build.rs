//! Collects the texts of the verdict tests of the host, so that the firmware has no copy that becomes stale.

use std::{env, fmt::Write as _, fs, path::PathBuf};

/// The tests, and the code before each text in them.
const SOURCES: [(&str, &[&str]); 3] = [
    ("json/texts.rs", &["_refused(", "_incomplete(", "_value(", "_name(", "        ("]),
    ("message/verdicts.rs", &["        ("]),
    ("json/prefixes_and_mutations.rs", &["    "]),
];

/// The string literal at the front of `line`.
fn literal(line: &str) -> Option<&str> {
    let raw = line.find("r#\"").filter(|start| *start <= 1);
    let plain = line.find('"').filter(|start| *start <= 1);
    let len = match (raw, plain) {
        (Some(start), _) => line.get(start + 3..)?.find("\"#")? + start + 5,
        (None, Some(start)) => {
            let mut rest = line.char_indices().skip(start + 1);
            loop {
                match rest.next()? {
                    (_, '\\') => _ = rest.next()?,
                    (at, '"') => break at + 1,
                    _ => {}
                }
            }
        }
        (None, None) => return None,
    };
    line.get(..len)
}

fn main() {
    let tests = PathBuf::from("../../tests");
    let mut texts = String::from("pub const TEXTS: &[&[u8]] = &[\n");
    let mut count = 0;
    for (file, befores) in SOURCES {
        let path = tests.join(file);
        println!("cargo::rerun-if-changed={}", path.display());
        let source = fs::read_to_string(&path).expect("a file of tests");
        let found: Vec<_> = source
            .lines()
            .filter_map(|line| befores.iter().find_map(|before| line.split_once(before)))
            .filter_map(|(_, rest)| literal(rest))
            .collect();
        assert!(found.len() >= 20, "{} texts in {file}", found.len());
        count += found.len();
        for text in found {
            // the verdict tests mark the faulty byte with this character
            let text = if file == "verdicts.rs" { text.replace('^', "") } else { text.to_string() };
            let bytes = if text.starts_with('b') { "" } else { ".as_bytes()" };
            writeln!(texts, "    {text}{bytes},").expect("a string takes it");
        }
    }
    writeln!(texts, "];\n// {count} texts").expect("a string takes it");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("texts.rs"), texts).expect("the folder for it is there");
}

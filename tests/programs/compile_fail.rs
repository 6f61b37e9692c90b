//! The messages of the compiler about mistakes with handlers: each file in `tests/programs/compile_fail` has one mistake, the sentences of this
//! crate about it, and the corrected program, which compiles.
//!
//! Only these sentences are compared, not the rest of the message, which changes with the compiler.
#![cfg(all(not(miri), feature = "serde"))]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

const SAYS: &str = "//! says: ";

/// Cases that depend on this crate with the same features.
struct Cases {
    /// In `tests/programs`.
    folder: &'static str,
    /// The name of this crate in the manifest.
    name: &'static str,
    /// The options of the dependency.
    options: &'static str,
    /// The package of these cases, which depends on this crate as a user does. Both tests share it.
    package: OnceLock<PathBuf>,
    count: usize,
}

static CASES: [Cases; 3] = [
    Cases {
        folder: "compile_fail",
        name: "nanojsonrpc",
        options: "features = [\"embedded-io\", \"macros\", \"mcp\"]",
        package: OnceLock::new(),
        count: 165,
    },
    Cases {
        folder: "compile_fail/renamed",
        name: "rpc",
        options: "package = \"nanojsonrpc\", features = [\"macros\", \"mcp\"]",
        package: OnceLock::new(),
        count: 2,
    },
    Cases {
        folder: "compile_fail/without_serde",
        name: "nanojsonrpc",
        options: "default-features = false",
        package: OnceLock::new(),
        count: 4,
    },
];

impl Cases {
    fn all(&self) -> Vec<(String, PathBuf)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(self.folder);
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).filter(|path| path.is_file());
        let mut cases: Vec<_> =
            files.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path)).collect();
        cases.sort();
        cases
    }

    fn package(&self) -> &Path {
        self.package.get_or_init(|| {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(self.folder.replace('/', "-"));
            write_package(&folder, self);
            folder
        })
    }
}

fn write_package(folder: &Path, cases: &Cases) {
    let (root, name, options) = (env!("CARGO_MANIFEST_DIR"), cases.name, cases.options);
    let mut manifest = format!(
        "[package]\nname = \"cases\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[workspace]\n\n\
         [features]\nadvised = []\n\n[dependencies]\n{name} = {{ path = {root:?}, {options} }}\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\n\
         heapless = {{ version = \"0.9\", features = [\"serde\"] }}\n\
         embedded-io-adapters = {{ version = \"0.7\", features = [\"std\"] }}\n",
    );
    for (name, path) in cases.all() {
        write!(manifest, "\n[[bin]]\nname = {name:?}\npath = {path:?}\n").unwrap();
    }
    // the path of the macros in an unpacked package
    let own = std::fs::read_to_string(Path::new(root).join("Cargo.toml")).unwrap();
    if let Some(start) = own.find("[patch.crates-io]") {
        write!(manifest, "\n{}", &own[start..]).unwrap();
    }
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    // the versions that were built for the tests, so that nothing is downloaded
    std::fs::copy(Path::new(root).join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
}

fn check(cases: &Cases, features: &[&str]) -> Output {
    let folder = cases.package();
    let mut cargo = Command::new(env!("CARGO"));
    // variables of the test run: coverage, emulators, sanitizers
    for name in
        ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"]
    {
        cargo.env_remove(name);
    }
    cargo
        .current_dir(folder)
        // shared, because two packages have the same dependencies
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile_fail-target"))
        .args(["check", "--offline", "--keep-going", "--bins", "--message-format=json"])
        .args(features)
        .output()
        .unwrap()
}

/// The errors of each case: the line where one begins, and its whole text.
fn errors(output: &Output) -> Vec<(String, String, String)> {
    let lines =
        output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let errors = lines.filter(|line| line["message"]["level"] == "error" && line["message"]["spans"][0].is_object());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    errors
        .map(|line| {
            let message = &line["message"];
            let spans = message["spans"].as_array().unwrap();
            let mut primary = spans.iter().find(|span| span["is_primary"] == true).unwrap();
            // in a macro of the standard library: the line that calls it
            while !primary["file_name"].as_str().is_some_and(|name| name.contains("compile_fail")) {
                primary = &primary["expansion"]["span"];
                assert!(!primary.is_null(), "an error in no case: {}", text(&message["rendered"]));
            }
            (text(&line["target"]["name"]), text(&primary["text"][0]["text"]), text(&message["rendered"]))
        })
        .collect()
}

#[test]
fn a_mistake_is_answered_by_what_to_do_at_its_line() {
    for cases in &CASES {
        let output = check(cases, &[]);
        let errors = errors(&output);
        assert!(!errors.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut count = 0;
        for (name, path) in cases.all() {
            let source = std::fs::read_to_string(path).unwrap();
            let said: Vec<_> = errors.iter().filter(|error| error.0 == name).collect();
            assert!(!said.is_empty(), "{name} compiles");
            for (_, line, text) in &said {
                assert!(line.ends_with("// wrong"), "{name}: an error in another line: {text}");
            }
            let sentences: Vec<_> = source.lines().filter_map(|line| line.strip_prefix(SAYS)).collect();
            assert!(!sentences.is_empty(), "{name} expects nothing");
            for sentence in sentences {
                assert!(said.iter().any(|error| error.2.contains(sentence)), "{name}: without {sentence:?}: {said:#?}");
            }
            let names_serde = said.iter().any(|error| error.2.contains("serde::Deserialize"));
            assert!(!names_serde || cases.options.contains("features = ["), "{name}: serde is not used: {said:#?}");
            count += 1;
        }
        assert!(count >= cases.count, "{count} cases");
    }
}

#[test]
fn a_program_as_advised_compiles() {
    for cases in &CASES {
        let output = check(cases, &["--features", "advised"]);
        assert!(output.status.success(), "{:#?}{}", errors(&output), String::from_utf8_lossy(&output.stderr));
    }
}

//! The file as it is written.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use crate::args::{DialectName, FrameName, Timeout};

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    #[serde(default = "hub")]
    pub(super) name: Spanned<String>,
    pub(super) log: Option<PathBuf>,
    #[serde(default)]
    pub(super) payloads: bool,
    #[serde(default)]
    pub(super) listen: Vec<Listen>,
    #[serde(default)]
    pub(super) devices: BTreeMap<Spanned<String>, Device>,
    #[serde(default)]
    pub(super) users: BTreeMap<String, User>,
    #[serde(default)]
    pub(super) webhooks: Vec<Webhook>,
    pub(super) cluster: Option<Cluster>,
}

fn hub() -> Spanned<String> {
    Spanned::new(0..0, "hub".to_owned())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Listen {
    pub(super) address: Spanned<String>,
    #[serde(default)]
    pub(super) public: bool,
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
    #[serde(default)]
    pub(super) origins: Vec<String>,
    pub(super) connections: Option<usize>,
    pub(super) max_len: Option<usize>,
    pub(super) user: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Device {
    pub(super) address: Spanned<String>,
    pub(super) frame: Option<FrameName>,
    pub(super) dialect: Option<DialectName>,
    #[serde(default)]
    pub(super) mcp: bool,
    pub(super) timeout: Option<Timeout>,
    #[serde(default)]
    pub(super) headers: Vec<Spanned<String>>,
    pub(super) max_len: Option<usize>,
    pub(super) calls: Option<Spanned<usize>>,
    pub(super) queue: Option<Spanned<usize>>,
    #[serde(default)]
    pub(super) repeat: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct User {
    pub(super) token: Spanned<String>,
    pub(super) methods: Vec<String>,
    pub(super) rate: Option<NonZeroU32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Webhook {
    pub(super) address: Spanned<String>,
    #[serde(default)]
    pub(super) headers: Vec<Spanned<String>>,
    pub(super) methods: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Cluster {
    pub(super) nats: Spanned<String>,
    pub(super) prefix: Option<Spanned<String>>,
}

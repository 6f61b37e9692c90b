//! Authorization: texts of the standards' examples, and hostile ones.

mod challenge;
mod metadata;
mod redirect;
mod requests;
mod scopes;
mod seal;
mod secrets;
mod server;
mod tokens;
mod urls;

//! A tiny HTTP client: one request for each connection, without TLS and without redirects.

use core::time::Duration;
use std::io::{Read, Write};
use std::net::TcpStream;

use nanojsonrpc::http::Chunked;

use crate::Failure;

/// The longest response.
const MAX_LEN: u64 = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Response {
    pub(crate) status: u16,
    headers: Vec<(String, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// The values of a header.
    pub(crate) fn values<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r [u8]> {
        let named = |header: &&(String, Vec<u8>)| header.0.eq_ignore_ascii_case(name);
        self.headers.iter().filter(named).map(|(_, value)| &value[..])
    }

    /// The first value of a header, if it is ASCII.
    pub(crate) fn value<'r>(&'r self, name: &'r str) -> Option<&'r str> {
        self.values(name).next().and_then(|value| core::str::from_utf8(value).ok())
    }
}

/// Sends a request to `url`, of `http`, and receives the response.
pub(crate) fn request(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> Result<Response, Failure> {
    let behind = url.strip_prefix("http://").ok_or("only http:// is supported")?;
    let (host, target) = behind.split_at(behind.find(['/', '?']).unwrap_or(behind.len()));
    let slash = if target.starts_with('/') { "" } else { "/" };
    let mut head = format!("{method} {slash}{target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if method == "POST" {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    let address = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
    let mut received = Vec::new();
    stream.take(MAX_LEN).read_to_end(&mut received)?;
    read(&received)
}

/// Reads a response that ends with its connection.
fn read(received: &[u8]) -> Result<Response, Failure> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(len) = head.parse(received)? else { return Err("half a response".into()) };
    let owned = |header: &httparse::Header<'_>| (header.name.to_owned(), header.value.to_vec());
    let mut response = Response {
        status: head.code.unwrap_or_default(),
        headers: head.headers.iter().map(owned).collect(),
        body: received.get(len..).unwrap_or_default().to_vec(),
    };
    if response.value("transfer-encoding").is_some_and(|encoding| encoding.eq_ignore_ascii_case("chunked")) {
        let decoded = Chunked::new().decode(&mut response.body)?;
        response.body.truncate(decoded.len);
    }
    Ok(response)
}

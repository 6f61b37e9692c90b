//! A tiny HTTP client: one request for each connection, without TLS and without redirects.

use core::time::Duration;
use std::io::{Read, Write};
use std::net::TcpStream;

use nanojsonrpc::http::{Chunked, read_head};
use nanojsonrpc::mcp::client::http::Reply;

use crate::Failure;

/// The longest response.
const MAX_LEN: u64 = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Response {
    pub(crate) status: u16,
    location: Option<String>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// Where the response redirects to.
    pub(crate) fn location(&self) -> Option<&str> {
        self.location.as_deref().filter(|_| (300..400).contains(&self.status))
    }
}

/// The host of `url`, of `http`, and its target.
pub(crate) fn split(url: &str) -> Result<(&str, &str), Failure> {
    let behind = url.strip_prefix("http://").ok_or("only http:// is supported")?;
    let (host, target) = behind.split_at(behind.find(['/', '?']).unwrap_or(behind.len()));
    Ok((host, if target.is_empty() { "/" } else { target }))
}

/// Sends a request to `url` and receives the response.
pub(crate) fn request(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> Result<Response, Failure> {
    let (host, target) = split(url)?;
    let slash = if target.starts_with('/') { "" } else { "/" };
    let mut head = format!("{method} {slash}{target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if method == "POST" {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    let received = send(host, &[head.as_bytes(), b"\r\n", body.as_bytes()])?;
    let mut location = None;
    read_head(&received, |name, value| {
        if name.eq_ignore_ascii_case(b"location") {
            location = core::str::from_utf8(value).ok().map(|url| url.trim().to_owned());
        }
    })?;
    let (reply, len) = Reply::parse(&received)?.ok_or("half a response")?;
    Ok(Response { status: reply.status, location, body: body_of(&reply, &received, len)? })
}

/// Sends the `parts` of a request that closes its connection, and receives the response.
pub(crate) fn send(host: &str, parts: &[&[u8]]) -> Result<Vec<u8>, Failure> {
    let address = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(&parts.concat())?;
    let mut received = Vec::new();
    stream.take(MAX_LEN).read_to_end(&mut received)?;
    Ok(received)
}

/// The body behind the head of `received`, which has `len` bytes.
pub(crate) fn body_of(reply: &Reply<'_>, received: &[u8], len: usize) -> Result<Vec<u8>, Failure> {
    let mut body = received.get(len..).unwrap_or_default().to_vec();
    if reply.transfer_encoding.is_some_and(|encoding| encoding.eq_ignore_ascii_case(b"chunked")) {
        let decoded = Chunked::new().decode(&mut body)?;
        body.truncate(decoded.len);
    }
    Ok(body)
}

//! A TCP stream that can be opened again, for the clients over HTTP.

use core::time::Duration;
use std::io::{Error, ErrorKind, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::thread;

use embedded_io::{ErrorType, Read, Write};
use nanojsonrpc::mcp::client::http::Open;

/// A stream to `host`, a name with a port. A read or write that takes longer than `patience` fails.
pub(crate) struct Tcp {
    host: String,
    patience: Duration,
    stream: Option<TcpStream>,
}

impl Tcp {
    pub(crate) fn new(host: &str, patience: Duration) -> Self {
        Self { host: host.to_owned(), patience, stream: None }
    }

    fn opened(&mut self) -> Result<&mut TcpStream, Error> {
        self.stream.as_mut().ok_or_else(|| ErrorKind::NotConnected.into())
    }
}

impl ErrorType for Tcp {
    type Error = Error;
}

impl Read for Tcp {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Error> {
        self.opened()?.read(bytes)
    }
}

impl Write for Tcp {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        self.opened()?.write(bytes)
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

impl Open for Tcp {
    fn open(&mut self) -> Result<(), Error> {
        let mut outcome = Err(ErrorKind::NotFound.into());
        for address in self.host.to_socket_addrs()? {
            outcome = TcpStream::connect_timeout(&address, self.patience);
            if outcome.is_ok() {
                break;
            }
        }
        let stream = outcome?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(self.patience))?;
        stream.set_write_timeout(Some(self.patience))?;
        self.stream = Some(stream);
        Ok(())
    }

    fn close(&mut self) {
        self.stream = None;
    }

    fn pause(&mut self, milliseconds: u32) {
        thread::sleep(Duration::from_millis(milliseconds.into()));
    }
}

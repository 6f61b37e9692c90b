//! Frames over every kind of buffer return the same messages and errors.

use crate::frames::{Found, cut_over};
use nanojsonrpc::frame::{Buffer, ContentLength, Events, Frame, FrameErrorKind, Framer, FramerOver, Lines, Values};

/// The items of `stream` in chunks of `size` bytes.
fn found<F: Frame, B: Buffer>(mut framer: FramerOver<F, B>, stream: &[u8], size: usize) -> Vec<Found> {
    cut_over(&mut framer, stream, || size, |item| item.as_ref().escape_ascii().to_string())
}

/// Messages of every length up to twice `N`, some of them damaged, in a frame.
fn stream<F: Frame, const N: usize>() -> Vec<u8> {
    let mut stream = Vec::new();
    for len in 2..2 * N {
        let text = format!("\"{}\"", "x".repeat(len - 2));
        let mut framed = vec![0; len + 64];
        let end = F::encode(text.as_bytes(), &mut framed).unwrap();
        stream.extend_from_slice(&framed[..end]);
        match len % 5 {
            0 => stream.extend_from_slice(b"\n\xEF\xBB\xBF"),
            1 => stream.extend_from_slice(b"\r\nContent-Length: 99999999999\r\n\r\n[\n"),
            _ => {}
        }
    }
    stream.extend_from_slice(b"Content-Length: 7\r\n\r\n{\"a\":");
    stream
}

fn agree<F: Frame, const N: usize>() {
    let stream = stream::<F, N>();
    for size in [1, 2, 3, N - 1, N, N + 1, stream.len()] {
        let array = found(Framer::<F, N>::new(), &stream, size);
        let mut buffer = [0xA5; 64];
        assert_eq!(
            found(Framer::<F>::over(&mut buffer[..N]), &stream, size),
            array,
            "{N} bytes lent, chunks of {size}"
        );
        assert!(buffer[N..].iter().all(|byte| *byte == 0xA5), "only what is lent is written");
        #[cfg(feature = "alloc")]
        assert_eq!(found(Framer::<F>::growing(N), &stream, size), array, "growing to {N} bytes, chunks of {size}");
        let too_long = array.iter().filter(|found| matches!(found, Err((FrameErrorKind::TooLong, _)))).count();
        assert!(too_long > 0 && array.iter().any(Result::is_ok), "{array:?}");
    }
}

#[test]
fn a_lent_slice_gives_what_an_array_gives() {
    agree::<Lines, 7>();
    agree::<Lines, 32>();
    agree::<ContentLength, 7>();
    agree::<ContentLength, 32>();
    agree::<Events, 7>();
    agree::<Events, 32>();
    agree::<Values, 7>();
    agree::<Values, 32>();
}

#[cfg(feature = "alloc")]
mod growing {
    use super::{ContentLength, Events, Frame, FrameErrorKind, Framer, Lines, Values};

    /// As [`FrameErrorKind::TooLong`] is found at every length around a limit that is beyond the first allocation.
    fn agree<F: Frame>() {
        const LIMIT: usize = 3000;
        for len in [1, 1023, 1024, 1025, 2047, 2048, 2049, LIMIT - 1, LIMIT, LIMIT + 1, 2 * LIMIT] {
            let text = format!("[\"{}\"]", "x".repeat(len.saturating_sub(4)));
            let mut stream = vec![0; len + 64];
            let end = F::encode(text.as_bytes(), &mut stream).unwrap();
            let stream = [&stream[..end], &stream[..end], b"\n"].concat();
            for size in [1, 7, 1000, 100_000] {
                let array = super::found(Framer::<F, LIMIT>::new(), &stream, size);
                assert_eq!(super::found(Framer::<F>::growing(LIMIT), &stream, size), array, "{len}, chunks of {size}");
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes too long there")]
    fn a_growing_buffer_gives_what_an_array_of_its_limit_gives() {
        agree::<Lines>();
        agree::<ContentLength>();
        agree::<Events>();
        agree::<Values>();
    }

    #[test]
    fn it_grows_with_the_bytes_and_not_with_the_length_that_is_declared() {
        let mut framer = Framer::<ContentLength>::growing(usize::MAX);
        framer.push(b"Content-Length: 4294967295\r\n\r\n[");
        assert!(framer.next().is_none());
        let (mut came, mut room) = (1, framer.spare().len());
        while came < 100_000 {
            assert!(room <= came.max(1024), "{room} bytes after {came}");
            framer.spare().fill(b' ');
            framer.filled(room);
            came += room;
            assert!(framer.next().is_none());
            room = framer.spare().len();
        }
    }

    #[test]
    fn it_does_not_grow_for_many_short_messages() {
        let mut framer = Framer::<Lines>::growing(1 << 20);
        for _ in 0..100 {
            let room = framer.spare().len();
            assert!(room <= 1024);
            for byte in framer.spare().chunks_mut(4) {
                byte.copy_from_slice(&b"[1]\n"[..byte.len()]);
            }
            framer.filled(room);
            while framer.next().is_some() {}
        }
    }

    #[test]
    fn it_grows_to_its_limit_to_the_byte() {
        for limit in [0, 1, 5, 1023, 1024, 1025, 5000] {
            let (mut framer, mut came) = (Framer::<Lines>::growing(limit), 0);
            loop {
                let len = framer.push(&[b'x'; 100]);
                came += len;
                if len == 0 {
                    break;
                }
            }
            assert_eq!(came, limit);
            let error = framer.next().and_then(Result::err).map(|error| (error.kind(), error.offset()));
            assert_eq!(error, Some((FrameErrorKind::TooLong, limit as u64)));
        }
    }

    #[test]
    fn it_is_shown() {
        let mut framer = Framer::<Lines>::growing(4000);
        assert_eq!(framer.push(&[b'x'; 10_000]), 1024);
        assert!(format!("{framer:?}").starts_with("Framer { frame: Delimited"));
        framer.clear();
        assert_eq!((framer.push(b"[1]\n"), framer.next()), (4, Some(Ok(&b"[1]"[..]))));
    }
}

#[test]
fn a_lent_slice_is_free_when_the_framer_is_gone() {
    let mut buffer = [0; 16];
    for _ in 0..2 {
        let mut framer = Framer::<Lines>::over(&mut buffer);
        assert_eq!(framer.push(b"[1]\n[2"), 6);
        assert_eq!(framer.next(), Some(Ok(&b"[1]"[..])));
        assert_eq!(framer.next(), None);
    }
    assert!(buffer.starts_with(b"[1]\n[2"));
}

/// The stack of a framer does not grow with its buffer.
#[test]
#[cfg_attr(miri, ignore = "takes too long there")]
fn a_message_of_16_mib_needs_no_stack() {
    const LEN: usize = 16 << 20;
    let body = move || {
        let mut buffer = vec![0; LEN];
        let mut framer = Framer::<ContentLength>::over(&mut buffer);
        framer.push(ContentLength::head(LEN).as_ref());
        assert!(framer.next().is_none());
        let mut left = LEN;
        while left != 0 {
            let len = framer.push(&[b'7'; 4096]);
            left -= len;
            let message = framer.next();
            assert_eq!(message.is_some(), left == 0);
            assert!(message.is_none_or(|message| message.is_ok_and(|message| message.len() == LEN)));
        }
    };
    std::thread::Builder::new().stack_size(64 << 10).spawn(body).unwrap().join().unwrap();
}

#[test]
fn no_message_fits_an_empty_slice() {
    let mut framer = Framer::<Lines>::over(&mut []);
    assert_eq!(framer.push(b"[1]\n"), 0);
    let error = framer.next().and_then(Result::err).map(|error| (error.kind(), error.offset()));
    assert_eq!(error, Some((FrameErrorKind::TooLong, 0)));
    assert!(framer.next().is_none());
    let mut framer = Framer::<Values>::over(&mut []);
    assert_eq!((framer.push(b"[1]\n"), framer.next().is_none(), framer.finish().is_none()), (0, true, true));
}

#[cfg(all(feature = "embedded-io", feature = "serde"))]
mod connections {
    use super::{Buffer, ContentLength, Events, Frame, Framer, FramerOver, Lines, Values};
    use nanojsonrpc::connection::{Connection, serve};
    use nanojsonrpc::{Router, Server};

    macro_rules! server {
        () => {
            Server::new(Router::new().request("length", |_: &mut (), (text,): (String,)| Ok(text.len())))
        };
    }

    fn encoded<F: Frame>(text: &str) -> Vec<u8> {
        let mut out = vec![0; text.len() + 64];
        let len = F::encode(text.as_bytes(), &mut out).unwrap();
        out.truncate(len);
        out
    }

    fn calls<F: Frame>() -> Vec<u8> {
        let text = |len: usize| "x".repeat(len);
        let call = |len| format!(r#"{{"jsonrpc":"2.0","method":"length","params":["{}"],"id":{len}}}"#, text(len));
        [1, 900, 2].iter().flat_map(|len| encoded::<F>(&call(*len))).collect()
    }

    /// The output of a server that reads through `framer`.
    fn served<F: Frame, B: Buffer>(mut framer: FramerOver<F, B>) -> String {
        let (calls, mut sent) = (calls::<F>(), Vec::new());
        serve(&mut &calls[..], &mut Sink(&mut sent), &mut framer, &mut [0; 256], &mut server!(), &mut ()).unwrap();
        String::from_utf8(sent).unwrap()
    }

    struct Sink<'s>(&'s mut Vec<u8>);

    impl embedded_io::ErrorType for Sink<'_> {
        type Error = core::convert::Infallible;
    }

    impl embedded_io::Write for Sink<'_> {
        fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> Result<(), Self::Error> {
            Ok(())
        }
    }

    #[cfg(feature = "embedded-io-async")]
    impl embedded_io_async::Write for Sink<'_> {
        async fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
            embedded_io::Write::write(self, bytes)
        }

        async fn flush(&mut self) -> Result<(), Self::Error> {
            Ok(())
        }
    }

    fn agree<F: Frame>() {
        let all = [1, 900, 2].map(|len| encoded::<F>(&format!(r#"{{"jsonrpc":"2.0","result":{len},"id":{len}}}"#)));
        let all = String::from_utf8(all.concat()).unwrap();
        assert_eq!(served(Framer::<F, 1024>::new()), all);
        assert_eq!(served(Framer::<F>::over(&mut [0; 1024])), all);
        let some = served(Framer::<F, 256>::new());
        assert_eq!(some.matches("\"result\"").count(), 2);
        assert_eq!(served(Framer::<F>::over(&mut [0; 256])), some);
        #[cfg(feature = "alloc")]
        assert_eq!((served(Framer::<F>::growing(1024)), served(Framer::<F>::growing(256))), (all, some));
    }

    #[test]
    fn a_connection_serves_over_every_buffer() {
        agree::<Lines>();
        agree::<ContentLength>();
        agree::<Events>();
        agree::<Values>();
    }

    #[test]
    fn a_connection_over_an_empty_slice_is_at_its_end() {
        let (mut framer, mut sent) = (Framer::<ContentLength>::over(&mut []), Vec::new());
        let calls = calls::<ContentLength>();
        let (mut reader, mut output) = (&calls[..], [0; 256]);
        let mut connection = Connection::new(&mut reader, Sink(&mut sent), &mut framer, &mut output);
        assert_eq!((connection.read(), connection.has_ended()), (Ok(false), true));
        connection.serve(&mut server!(), &mut ()).unwrap();
        assert!(sent.is_empty());
    }

    #[cfg(feature = "embedded-io-async")]
    #[test]
    fn without_blocking_too() {
        struct Reader<'r>(&'r [u8]);

        impl embedded_io_async::ErrorType for Reader<'_> {
            type Error = core::convert::Infallible;
        }

        impl embedded_io_async::Read for Reader<'_> {
            async fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Self::Error> {
                Ok(embedded_io::Read::read(&mut self.0, buffer).unwrap_or_default())
            }
        }

        fn served_async<F: Frame, B: Buffer>(mut framer: FramerOver<F, B>) -> String {
            let (calls, mut sent, mut output, mut server) = (calls::<F>(), Vec::new(), [0; 256], server!());
            let mut connection = Connection::new(Reader(&calls), Sink(&mut sent), &mut framer, &mut output);
            embassy_futures::block_on(connection.serve_async(&mut server, &mut ())).unwrap();
            String::from_utf8(sent).unwrap()
        }
        assert_eq!(served(Framer::<Lines>::over(&mut [0; 1024])), served(Framer::<Lines, 1024>::new()));
        assert_eq!(served_async(Framer::<Lines>::over(&mut [])).matches("error").count(), 1);
    }
}

#[test]
fn a_fault_is_told_in_words() {
    use nanojsonrpc::ErrorKind;
    for (kind, words) in [
        (FrameErrorKind::TooLong, "message too long for the buffer"),
        (FrameErrorKind::HeaderTooLong, "header section too long"),
        (FrameErrorKind::EventIdTooLong, "event id too long"),
        (FrameErrorKind::EventNameTooLong, "event name too long"),
        (FrameErrorKind::LengthTooLarge, "Content-Length too large"),
        (FrameErrorKind::Truncated, "stream ends inside a message"),
        (FrameErrorKind::InvalidHeader, "invalid header"),
        (FrameErrorKind::InvalidLength, "invalid Content-Length"),
        (FrameErrorKind::MissingLength, "missing Content-Length"),
        (FrameErrorKind::RepeatedLength, "repeated Content-Length"),
        (FrameErrorKind::ByteOrderMark, "byte order mark"),
        (FrameErrorKind::NotJson(ErrorKind::TooDeep), ErrorKind::TooDeep.as_str()),
        (FrameErrorKind::Malformed, "malformed frame"),
        (FrameErrorKind::OtherProtocol, "stream begins as another protocol"),
        (FrameErrorKind::Unseparated, "no line feed after a text that is not JSON"),
    ] {
        assert_eq!(kind.to_string(), words);
    }
}

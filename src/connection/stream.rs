//! The streams that a connection takes.

use embedded_io::ErrorType;

/// A reader or a writer of `embedded_io` or `embedded_io_async`: each type with an `ErrorType` of these crates. The bound makes the compiler
/// name the adapters for other streams.
///
/// ```
/// use nanojsonrpc::connection::{Connection, Stream};
/// use nanojsonrpc::frame::{Framer, Lines};
///
/// fn has_ended<S: Stream + Copy>(stream: S) -> bool {
///     Connection::new(stream, stream, &mut Framer::<Lines, 64>::new(), &mut [0; 64]).has_ended()
/// }
///
/// assert!(!has_ended(&nanojsonrpc::memory::Pipe::<8>::new().ends().0));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stream of `embedded_io`",
    label = "neither a reader nor a writer of `embedded_io` or `embedded_io_async`",
    note = "add the crate `embedded-io-adapters` 0.7, with the feature `std` or `tokio-1`",
    note = "adapt a stream of std with `embedded_io_adapters::std::FromStd::new(stream)`",
    note = "adapt one of tokio with `embedded_io_adapters::tokio_1::FromTokio::new(stream)`, for the methods that end in `_async`"
)]
pub trait Stream: ErrorType {}

#[diagnostic::do_not_recommend]
impl<T: ErrorType + ?Sized> Stream for T {}

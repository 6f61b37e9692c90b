//! Requests and refused texts are answered where they are read, without a [`Response`] that owns the id.

use super::to_message::{put_response, written};
use super::{Envelope, EnvelopeKind, ErrorObject, Id, Refused, Request, Response};
use crate::error::Error;
use crate::json::{RawValue, ToJson};

impl<const ID: usize, const METHOD: usize> Request<'_, ID, METHOD> {
    /// Writes the response to this request to the front of `out` and returns its length in bytes. Writes the same text as a
    /// [`Response`], but does not move the id: a move links `memcpy` on a device.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{ErrorObject, Request};
    ///
    /// let mut out = [0; 96];
    /// let len = match Request::parse(br#"{"jsonrpc":"2.0","method":"led","id":"a"}"#) {
    ///     Ok(request) if request.method == "led" => request.write_response(Ok(&true), &mut out)?,
    ///     Ok(request) => request.write_response(Err::<&(), _>(&ErrorObject::METHOD_NOT_FOUND), &mut out)?,
    ///     Err(refused) => refused.write_response(&mut out)?,
    /// };
    /// assert_eq!(&out[..len], br#"{"jsonrpc":"2.0","result":true,"id":"a"}"#);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`Response::write`].
    pub fn write_response<R: ToJson + ?Sized>(
        &self,
        outcome: Result<&R, &ErrorObject<'_>>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        written(out, |out| put_response(outcome, |out| self.id.put_to(out), true, out))
    }
}

impl Envelope<'_> {
    /// Writes the response to this request to the front of `out` and returns its length in bytes. The id is written as it was received.
    ///
    /// ```
    /// use nanojsonrpc::{Envelope, ErrorObject};
    ///
    /// let mut out = [0; 96];
    /// let len = match Envelope::parse(br#"{"jsonrpc":"2.0","method":"led","id":"\u0061"}"#) {
    ///     Ok(request) if request.method() == "led" => request.write_response(Ok(&true), &mut out)?,
    ///     Ok(request) => request.write_response(Err::<&(), _>(&ErrorObject::METHOD_NOT_FOUND), &mut out)?,
    ///     Err(refused) => refused.write_response(&mut out)?,
    /// };
    /// assert_eq!(&out[..len], br#"{"jsonrpc":"2.0","result":true,"id":"\u0061"}"#);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Response::write`]; [`UnexpectedMessage`](crate::ErrorKind::UnexpectedMessage) if the message is no request.
    pub fn write_response<R: ToJson + ?Sized>(
        &self,
        outcome: Result<&R, &ErrorObject<'_>>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        if self.kind() != EnvelopeKind::Request {
            return Err(self.unexpected().error);
        }
        written(out, |out| put_response(outcome, |out| out.put(self.id_text()), self.has_version(), out))
    }
}

impl Refused<'_> {
    /// The error response to send, with a standard message or one that names the limit; `None` if the text is not
    /// [answerable](Self::is_answerable). An id of more than 64 bytes is null; [`write_response`](Self::write_response) repeats any id.
    ///
    /// ```
    /// use nanojsonrpc::{Envelope, message::BatchWriter};
    ///
    /// let refused = Envelope::parse(br#"{"jsonrpc":"2.0","method":1,"id":"a"}"#).unwrap_err();
    /// let mut buffer = [0; 96];
    /// let mut answers = BatchWriter::new(&mut buffer);
    /// if let Some(answer) = refused.answer() {
    ///     answers.push(&answer)?;
    /// }
    /// assert_eq!(
    ///     answers.finish(),
    ///     br#"[{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":"a"}]"#
    /// );
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    pub fn answer(&self) -> Option<Response<'static>> {
        if self.is_silent {
            return None;
        }
        let id = self.id.and_then(|id| Id::read(id).ok()).unwrap_or_default();
        Some(Response { id, outcome: Err(ErrorObject::refusing(self.error)) })
    }

    /// Writes the error response to the front of `out` and returns its length in bytes: 0 for a text that is not
    /// [answerable](Self::is_answerable). The id is written as it was received, or as null. See
    /// [`Request::write_response`].
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if `out` is too short; then the content of `out` is unspecified.
    pub fn write_response(&self, out: &mut [u8]) -> Result<usize, Error> {
        if self.is_silent {
            return Ok(0);
        }
        let id = self.id.map_or(&b"null"[..], RawValue::as_bytes);
        let error = ErrorObject::refusing(self.error);
        written(out, |out| put_response::<RawValue<'_>, _>(Err(&error), |out| out.put(id), true, out))
    }
}

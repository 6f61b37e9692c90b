//! serde for messages: typed payloads can be read, and whole messages and ids can be read and written.

mod id;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{self, Serialize, SerializeStruct, Serializer};

use super::{Batch, ErrorCode, ErrorObject, Id, Message, Method, Notification, Request, Response, Str};
use crate::json::{PayloadError, RawValue};

impl<'a, const ID: usize, const METHOD: usize> Request<'a, ID, METHOD> {
    /// Reads the params into a type `T`.
    ///
    /// Params by name are read into a struct or map, params by position into a tuple, array or struct. Absent params are null for an
    /// `Option` or `()`, and an empty object for a struct. A tuple may lack the `Option`s at its end: `[1]` is `(1, None)` as a
    /// `(u8, Option<u8>)`.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn core::error::Error>> {
    /// use nanojsonrpc::Request;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Subtract {
    ///     minuend: i64,
    ///     subtrahend: i64,
    /// }
    ///
    /// let by_name = br#"{"jsonrpc":"2.0","method":"subtract","params":{"subtrahend":23,"minuend":42},"id":3}"#;
    /// let Subtract { minuend, subtrahend } = Request::parse(by_name)?.params()?;
    /// assert_eq!(minuend - subtrahend, 19);
    ///
    /// let by_position = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
    /// let (a, b): (i64, i64) = Request::parse(by_position)?.params()?;
    /// assert_eq!(a - b, 19);
    /// # Ok(()) }
    /// ```
    ///
    /// # Limits
    /// A string with an escape can only be read into an owned type, up to [`MAX_ESCAPED`](crate::json::MAX_ESCAPED) bytes;
    /// [`params_with`](Self::params_with) reads any string.
    ///
    /// # Errors
    /// [`PayloadError`]: the expected type and the offset in the message. It turns into an [`ErrorObject`] with -32602.
    pub fn params<T: Deserialize<'a>>(&self) -> Result<T, PayloadError> {
        RawValue::read_optional(self.params)
    }

    /// [`params`](Self::params) with a scratch buffer, which holds decoded strings so that they can be borrowed.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn core::error::Error>> {
    /// let request = nanojsonrpc::Request::parse(br#"{"jsonrpc":"2.0","method":"print","params":["a\tb"],"id":1}"#)?;
    /// let mut scratch = [0; 16];
    /// let (text,): (&str,) = request.params_with(&mut scratch)?;
    /// assert_eq!(text, "a\tb");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`params`](Self::params); [`EscapedString`](crate::ErrorKind::EscapedString) if `scratch` is too short.
    pub fn params_with<T: Deserialize<'a>>(&self, scratch: &'a mut [u8]) -> Result<T, PayloadError> {
        RawValue::read_optional_with(self.params, scratch)
    }
}

impl<'a, const METHOD: usize> Notification<'a, METHOD> {
    /// Reads the params into a type `T`, as [`Request::params`] does.
    ///
    /// # Errors
    /// [`PayloadError`]: the expected type and the offset in the message.
    pub fn params<T: Deserialize<'a>>(&self) -> Result<T, PayloadError> {
        RawValue::read_optional(self.params)
    }

    /// [`params`](Self::params) with a scratch buffer, which holds decoded strings so that they can be borrowed.
    ///
    /// # Errors
    /// As [`params`](Self::params); [`EscapedString`](crate::ErrorKind::EscapedString) if `scratch` is too short.
    pub fn params_with<T: Deserialize<'a>>(&self, scratch: &'a mut [u8]) -> Result<T, PayloadError> {
        RawValue::read_optional_with(self.params, scratch)
    }
}

impl<'a, const ID: usize> Response<'a, ID> {
    /// Reads the result into a type `T`; the inner error is the error object of the peer. It borrows its message; with the feature `alloc`, `?`
    /// works after `.map_err(OwnedErrorObject::from)`.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn core::error::Error>> {
    /// let response = nanojsonrpc::Response::parse(br#"{"jsonrpc":"2.0","result":[1,2],"id":1}"#)?;
    /// assert_eq!(response.result::<(u8, u8)>()?, Ok((1, 2)));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`PayloadError`]: the expected type of the result, and the offset in the message.
    pub fn result<T: Deserialize<'a>>(&self) -> Result<Result<T, ErrorObject<'a>>, PayloadError> {
        match self.outcome {
            Ok(result) => result.read().map(Ok),
            Err(error) => Ok(Err(error)),
        }
    }

    /// [`result`](Self::result) with a scratch buffer, which holds decoded strings so that they can be borrowed.
    ///
    /// ```
    /// use nanojsonrpc::Response;
    ///
    /// let mut scratch = [0; 16];
    /// let response = Response::parse(br#"{"jsonrpc":"2.0","result":"a\tb","id":1}"#).unwrap();
    /// assert_eq!(response.result_with(&mut scratch), Ok(Ok("a\tb")));
    ///
    /// let response = Response::parse(br#"{"jsonrpc":"2.0","error":{"code":1,"message":"no","data":"\n"},"id":1}"#).unwrap();
    /// assert_eq!(response.outcome.unwrap_err().data_with(&mut scratch), Ok("\n"));
    /// ```
    ///
    /// # Errors
    /// As [`result`](Self::result); [`EscapedString`](crate::ErrorKind::EscapedString) if `scratch` is too short.
    pub fn result_with<T: Deserialize<'a>>(
        &self,
        scratch: &'a mut [u8],
    ) -> Result<Result<T, ErrorObject<'a>>, PayloadError> {
        match self.outcome {
            Ok(result) => result.read_with(scratch).map(Ok),
            Err(error) => Ok(Err(error)),
        }
    }
}

impl<'a> ErrorObject<'a> {
    /// Reads the data into a type `T`. Absent data is treated like absent params in [`Request::params`].
    ///
    /// # Errors
    /// [`PayloadError`]: the expected type and the offset in the message.
    pub fn data<T: Deserialize<'a>>(&self) -> Result<T, PayloadError> {
        RawValue::read_optional(self.data)
    }

    /// [`data`](Self::data) with a scratch buffer, which holds decoded strings so that they can be borrowed.
    ///
    /// # Errors
    /// As [`data`](Self::data); [`EscapedString`](crate::ErrorKind::EscapedString) if `scratch` is too short.
    pub fn data_with<T: Deserialize<'a>>(&self, scratch: &'a mut [u8]) -> Result<T, PayloadError> {
        RawValue::read_optional_with(self.data, scratch)
    }
}

/// The error object has the code -32602 and a message with the expected type and the offset. If there was no room to decode a string
/// ([`EscapedString`](crate::ErrorKind::EscapedString)), the code is -32603.
impl From<PayloadError> for ErrorObject<'static> {
    fn from(problem: PayloadError) -> Self {
        let code = if problem.is_shortage() { ErrorCode::INTERNAL_ERROR } else { ErrorCode::INVALID_PARAMS };
        Self { code, message: Str::Payload(problem), data: None }
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}

impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self)
    }
}

impl<const M: usize> Serialize for Method<'_, M> {
    /// Refuses an empty method, as `write` does.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_empty() { Err(ser::Error::custom("an empty method")) } else { serializer.serialize_str(self) }
    }
}

impl Serialize for Str<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Raw(raw) => raw.serialize(serializer),
            Self::Plain(text) => serializer.serialize_str(text),
            Self::Payload(_) => serializer.collect_str(self),
        }
    }
}

const VERSION: &str = "2.0";

impl<const ID: usize, const METHOD: usize, P: Serialize> Serialize for Request<'_, ID, METHOD, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_call(serializer, "Request", &self.method, self.params.as_ref(), Some(&self.id))
    }
}

impl<const METHOD: usize, P: Serialize> Serialize for Notification<'_, METHOD, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_call(serializer, "Notification", &self.method, self.params.as_ref(), None::<&Id>)
    }
}

/// Serializes a request, or a notification if there is no id.
fn serialize_call<S: Serializer>(
    serializer: S,
    name: &'static str,
    method: &impl Serialize,
    params: Option<&impl Serialize>,
    id: Option<&impl Serialize>,
) -> Result<S::Ok, S::Error> {
    let len = 2usize.saturating_add(params.is_some().into()).saturating_add(id.is_some().into());
    let mut members = serializer.serialize_struct(name, len)?;
    members.serialize_field("jsonrpc", VERSION)?;
    members.serialize_field("method", method)?;
    match params {
        Some(params) => members.serialize_field("params", params)?,
        None => members.skip_field("params")?,
    }
    if let Some(id) = id {
        members.serialize_field("id", id)?;
    }
    members.end()
}

impl<const ID: usize, R: Serialize, D: Serialize> Serialize for Response<'_, ID, R, D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Response", 3)?;
        members.serialize_field("jsonrpc", VERSION)?;
        match &self.outcome {
            Ok(result) => members.serialize_field("result", result)?,
            Err(error) => members.serialize_field("error", error)?,
        }
        members.serialize_field("id", &self.id)?;
        members.end()
    }
}

impl<D: Serialize> Serialize for ErrorObject<'_, D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let len = if self.data.is_some() { 3 } else { 2 };
        let mut members = serializer.serialize_struct("ErrorObject", len)?;
        members.serialize_field("code", &self.code)?;
        members.serialize_field("message", &self.message)?;
        match &self.data {
            Some(data) => members.serialize_field("data", data)?,
            None => members.skip_field("data")?,
        }
        members.end()
    }
}

impl Serialize for Batch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw().serialize(serializer)
    }
}

impl<const ID: usize, const METHOD: usize> Serialize for Message<'_, ID, METHOD> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Request(request) => request.serialize(serializer),
            Self::Notification(notification) => notification.serialize(serializer),
            Self::Response(response) => response.serialize(serializer),
            Self::Batch(batch) => batch.serialize(serializer),
        }
    }
}

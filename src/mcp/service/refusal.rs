//! Errors in place of results.

use crate::json::{ObjectWriter, RawStr, ToJson, ValueWriter, Written};
use crate::mcp::Revision;
use crate::mcp::value::{Member as _, Object};
use crate::message::{ErrorCode, Str, ToText};
use crate::server::{Failure, Replied, Reply};

/// The error that answers a request in place of a result.
pub(in crate::mcp) struct Refusal<'c> {
    code: ErrorCode,
    message: &'static str,
    data: Data<'c>,
}

/// The data of the error: none, or an object with the member that the variant names.
pub(super) enum Data<'c> {
    Nothing,
    /// From the request.
    Name(RawStr<'c>),
    /// From the request.
    Uri(RawStr<'c>),
    /// The name of an argument, from the program.
    Argument(&'static str),
    /// The requested revision, which is unknown or has sessions. The object also has the member `supported`.
    Requested(RawStr<'c>),
}

/// The refusal of wrong params.
impl From<&'static str> for Refusal<'_> {
    fn from(message: &'static str) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS, message)
    }
}

impl<'c> Refusal<'c> {
    pub(in crate::mcp) const fn new(code: ErrorCode, message: &'static str) -> Self {
        Self { code, message, data: Data::Nothing }
    }

    /// The revision of the request is not supported.
    pub(in crate::mcp) const fn unsupported(version: RawStr<'c>) -> Self {
        Self::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version")
            .with(Data::Requested(version))
    }

    /// There is no resource at `uri`. Revisions with sessions have an error code for that.
    pub(super) const fn not_found(revision: Revision, uri: RawStr<'c>) -> Self {
        let is_stateless = revision.is_stateless();
        let code = if is_stateless { ErrorCode::INVALID_PARAMS } else { ErrorCode::RESOURCE_NOT_FOUND };
        Self::new(code, "Resource not found").with(Data::Uri(uri))
    }

    pub(super) const fn with(self, data: Data<'c>) -> Self {
        Self { data, ..self }
    }

    fn write_data(&self, data: &mut ObjectWriter<'_, '_>) {
        let (name, value) = match self.data {
            Data::Nothing => return,
            Data::Name(name) => ("name", Str::Raw(name)),
            Data::Uri(uri) => ("uri", Str::Raw(uri)),
            Data::Argument(name) => ("argument", Str::Plain(name)),
            Data::Requested(version) => {
                let only_stateless = version == *Revision::negotiate(version).as_str();
                data.member_with("supported", |out| write_revisions(only_stateless, out));
                ("requested", Str::Raw(version))
            }
        };
        value.write_to(data, name);
    }

    #[inline(never)]
    pub(in crate::mcp) fn reply(&self, reply: Reply<'_>) -> Replied {
        reply.failure(self)
    }
}

impl Failure for Refusal<'_> {
    fn code(&self) -> ErrorCode {
        self.code
    }

    fn message(&self) -> impl ToText {
        let argument = if let Data::Argument(name) = self.data { Some((", argument ", name)) } else { None };
        (self.message, argument)
    }

    fn data(&self) -> Option<impl ToJson> {
        let data = Object(|data: &mut ObjectWriter<'_, '_>| self.write_data(data));
        if matches!(self.data, Data::Nothing) { None } else { Some(data) }
    }
}

pub(in crate::mcp) const NO_VERSION: &str =
    "Invalid params: expected io.modelcontextprotocol/protocolVersion in _meta, or initialize before";

/// Writes the supported revisions, or only the stateless ones.
///
/// If the request is stateless but has the revision of a session, the list must not contain revisions of sessions, because
/// the client would repeat the error. A client with an unknown revision may open a session instead.
pub(super) fn write_revisions<'o>(only_stateless: bool, out: ValueWriter<'o, '_>) -> Written<'o> {
    out.array(|array| {
        for revision in Revision::ALL {
            if revision.is_stateless() || !only_stateless {
                array.element(&revision);
            }
        }
    })
}

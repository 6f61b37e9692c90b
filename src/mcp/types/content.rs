//! The content of tools, prompts and resources: texts, images, sounds, links.

use super::{Annotations, Base64, Resource};
use crate::error::{Error, ErrorKind};
use crate::json::{RawValue, ToJson, ValueWriter, Written};
use crate::mcp::value::{object, unexpected, value};
use crate::message::Str;

object! {
    /// A text.
    TextContent tag "text"
    required {
        /// The text.
        text: Str<'a> = "text",
    }
    optional {
        /// Hints.
        annotations: Annotations<'a> = "annotations",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// An image.
    ImageContent tag "image"
    required {
        /// The image.
        data: Base64<'a> = "data",
        /// The media type.
        mime_type: Str<'a> = "mimeType",
    }
    optional {
        /// Hints.
        annotations: Annotations<'a> = "annotations",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// A sound.
    AudioContent tag "audio"
    required {
        /// The sound.
        data: Base64<'a> = "data",
        /// The media type.
        mime_type: Str<'a> = "mimeType",
    }
    optional {
        /// Hints.
        annotations: Annotations<'a> = "annotations",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// A resource inside of other content.
    EmbeddedResource tag "resource"
    required {
        /// The resource.
        resource: ResourceContents<'a> = "resource",
    }
    optional {
        /// Hints.
        annotations: Annotations<'a> = "annotations",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// The contents of a resource, as text.
    TextResourceContents
    required {
        /// The URI of the resource.
        uri: Str<'a> = "uri",
        /// The contents.
        text: Str<'a> = "text",
    }
    optional {
        /// The media type.
        mime_type: Str<'a> = "mimeType",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// The contents of a resource, as bytes.
    BlobResourceContents
    required {
        /// The URI of the resource.
        uri: Str<'a> = "uri",
        /// The contents.
        blob: Base64<'a> = "blob",
    }
    optional {
        /// The media type.
        mime_type: Str<'a> = "mimeType",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

/// The contents of a resource.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ResourceContents<'a> {
    /// Text.
    Text(TextResourceContents<'a>),
    /// Bytes.
    Blob(BlobResourceContents<'a>),
}

impl<'a> ResourceContents<'a> {
    /// Reads contents: as text if there is a member `text`, otherwise as bytes.
    ///
    /// # Errors
    /// As [`TextResourceContents::read`].
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        if raw.get("text").is_some() {
            TextResourceContents::read(raw).map(Self::Text)
        } else {
            BlobResourceContents::read(raw).map(Self::Blob)
        }
    }
}

impl ToJson for ResourceContents<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self {
            Self::Text(contents) => contents.write_json(out),
            Self::Blob(contents) => contents.write_json(out),
        }
    }
}

value!(ResourceContents<'a>);

/// A block of content of a tool or prompt.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Content<'a> {
    /// A text.
    Text(TextContent<'a>),
    /// An image.
    Image(ImageContent<'a>),
    /// A sound.
    Audio(AudioContent<'a>),
    /// A link to a resource.
    Link(ResourceLink<'a>),
    /// A resource inside the content.
    Resource(EmbeddedResource<'a>),
}

/// A resource that can be read; lists need not contain it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ResourceLink<'a>(pub Resource<'a>);

impl ToJson for ResourceLink<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.object(|object| {
            object.member("type", "resource_link");
            self.0.write_members(object);
        })
    }
}

impl<'a> Content<'a> {
    /// A text.
    pub const fn text(text: &'a str) -> Self {
        Self::Text(TextContent::new(Str::Plain(text)))
    }

    /// An image.
    pub const fn image(data: &'a [u8], mime_type: &'a str) -> Self {
        Self::Image(ImageContent::new(Base64::Bytes(data), Str::Plain(mime_type)))
    }

    /// A sound.
    pub const fn audio(data: &'a [u8], mime_type: &'a str) -> Self {
        Self::Audio(AudioContent::new(Base64::Bytes(data), Str::Plain(mime_type)))
    }

    /// Reads content by its `type`.
    ///
    /// # Errors
    /// [`UnknownVariant`](ErrorKind::UnknownVariant) for another type, and the errors of the object.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        let tag = raw.get("type").ok_or(Error::new(ErrorKind::MissingField, raw.offset()))?;
        let name = tag.as_str_raw().ok_or(unexpected(tag))?;
        if name == "text" {
            TextContent::read(raw).map(Self::Text)
        } else if name == "image" {
            ImageContent::read(raw).map(Self::Image)
        } else if name == "audio" {
            AudioContent::read(raw).map(Self::Audio)
        } else if name == "resource_link" {
            Resource::read(raw).map(ResourceLink).map(Self::Link)
        } else if name == "resource" {
            EmbeddedResource::read(raw).map(Self::Resource)
        } else {
            Err(Error::new(ErrorKind::UnknownVariant, tag.offset()))
        }
    }
}

impl ToJson for Content<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self {
            Self::Text(content) => content.write_json(out),
            Self::Image(content) => content.write_json(out),
            Self::Audio(content) => content.write_json(out),
            Self::Link(content) => content.write_json(out),
            Self::Resource(content) => content.write_json(out),
        }
    }
}

value!(Content<'a>);

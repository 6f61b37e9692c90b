//! A type without values.

use core::convert::Infallible;
use core::marker::PhantomData;

use heapless::String;

/// An ASCII string of a text; on devices there is none.
#[derive(Clone, Copy)]
pub(crate) struct Ascii<'a>(Infallible, PhantomData<&'a ()>);

impl<'a> Ascii<'a> {
    pub(crate) const fn len(self) -> usize {
        match self.0 {}
    }

    pub(crate) const fn as_str(self) -> &'a str {
        match self.0 {}
    }

    pub(crate) const fn append_to<const N: usize>(self, _text: &'a [u8], _out: &mut String<N>) -> Option<()> {
        match self.0 {}
    }
}

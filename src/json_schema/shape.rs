//! Properties of types that need no schema. The macro cannot see them, because a type may be an alias.

use core::marker::PhantomData;

/// Has an inherent constant for each property of `T`. If `T` lacks the property, the name of the constant resolves to that of [`AnyShape`].
#[derive(Debug)]
pub struct Shape<T>(PhantomData<T>);

impl<T> Shape<Option<T>> {
    /// Whether the type is an `Option`.
    pub const IS_OPTION: bool = true;
}

impl Shape<&[u8]> {
    /// Whether the type is `&[u8]`, or an `Option` of it.
    pub const IS_SLICE_OF_BYTES: bool = true;
}

impl Shape<Option<&[u8]>> {
    /// Whether the type is `&[u8]`, or an `Option` of it.
    pub const IS_SLICE_OF_BYTES: bool = true;
}

/// The properties of all other types.
pub trait AnyShape {
    /// Whether the type is an `Option`.
    const IS_OPTION: bool = false;
    /// Whether the type is `&[u8]`, or an `Option` of it.
    const IS_SLICE_OF_BYTES: bool = false;
}

impl<T> AnyShape for Shape<T> {}

/// The schema of a `HashMap`, which `core` and `alloc` do not have. The macro writes it for a type of that name.
#[derive(Debug)]
pub struct HashMap<K, V>(PhantomData<(K, V)>);

/// The schema of a `HashSet`, as [`HashMap`].
#[derive(Debug)]
pub struct HashSet<T>(PhantomData<T>);

//! Only the tests need this package.

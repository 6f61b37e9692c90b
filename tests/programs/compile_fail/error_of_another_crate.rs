//! An error type of another crate: no crate but that one may implement a trait of this crate for it, or convert it into an `ErrorObject`.
//! says: `ParseIntError` is not an error that a handler can return
//! says: if `ParseIntError` is a type of another crate, return `(ErrorCode, Shown<ParseIntError>)`
//! says: `.map_err(|error| (ErrorCode(-32001), Shown(error)))`
//! says: or return a type of your own that implements `Failure` and `From<ParseIntError>`
#![allow(dead_code)]
use core::num::ParseIntError;

use nanojsonrpc::Router;

struct Board {
    level: u8,
}

#[cfg(not(feature = "advised"))]
fn set(board: &mut Board) -> Result<(), ParseIntError> {
    board.level = "7".parse()?;
    Ok(())
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().request_fallible("set", set); // wrong
}

#[cfg(feature = "advised")]
mod advised {
    use super::{Board, ParseIntError};
    use nanojsonrpc::ErrorCode;
    use nanojsonrpc::message::{Shown, ToText};
    use nanojsonrpc::server::Failure;

    pub(crate) fn set(board: &mut Board) -> Result<(), (ErrorCode, Shown<ParseIntError>)> {
        board.level = "7".parse().map_err(|error| (ErrorCode(-32001), Shown(error)))?;
        Ok(())
    }

    pub(crate) struct Fault(ParseIntError);

    impl From<ParseIntError> for Fault {
        fn from(error: ParseIntError) -> Self {
            Self(error)
        }
    }

    impl Failure for Fault {
        fn code(&self) -> ErrorCode {
            ErrorCode(-32001)
        }

        fn message(&self) -> impl ToText {
            Shown(&self.0)
        }
    }

    pub(crate) fn reset(board: &mut Board) -> Result<(), Fault> {
        board.level = "0".parse()?;
        Ok(())
    }

    #[nanojsonrpc::service]
    pub(crate) trait Lamp {
        fn set(&mut self, level: String) -> Result<u8, (ErrorCode, Shown<ParseIntError>)>;
        fn reset(&mut self, level: String) -> Result<u8, Fault>;
    }
}

#[cfg(feature = "advised")]
fn main() {
    let router = Router::new().request_fallible("set", advised::set).request_fallible("reset", advised::reset);
    let _ = router.request_fallible_async("later", async |board: &mut Board| advised::set(board));
}

//! Four routes, three of them with typed params.

use nanojsonrpc::server::{AsyncRoutes, route::Routes};
use nanojsonrpc::{ErrorObject, Router};

/// The longest measured message has 2,047 bytes.
pub const LINE: usize = 2100;

pub const QUESTION: &str = r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
pub const ANSWER: &str = r#"{"jsonrpc":"2.0","result":19,"id":1}"#;

#[derive(Clone, Default)]
pub struct Board {
    level: i32,
    is_on: bool,
}

#[derive(serde::Deserialize)]
struct Led {
    on: bool,
    #[serde(default)]
    level: i32,
}

pub fn router() -> Router<Board, impl Routes<Board> + AsyncRoutes<Board> + Clone> {
    Router::new()
        .request("subtract", |_: &mut Board, (a, b): (i32, i32)| a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS))
        .request("led.get", |board: &mut Board| Ok(board.is_on))
        .request("level", |board: &mut Board, (scale,): (i32,)| Ok(board.level.wrapping_mul(scale)))
        .notification("led.set", |board: &mut Board, led: Led| (board.is_on, board.level) = (led.on, led.level))
}

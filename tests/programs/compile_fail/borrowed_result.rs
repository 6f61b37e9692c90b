//! A result that borrows from the context.
//! says: is not a handler of requests
//! says: for a result that borrows from the context, take `Params<'_>` and `Reply<'_>`
//! says: `|board: &mut Board, _: Params<'_>, reply: Reply<'_>| reply.success(&board.name)`
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    name: String,
}

#[cfg(not(feature = "advised"))]
fn name(board: &mut Board) -> Result<&str, nanojsonrpc::ErrorObject<'static>> {
    Ok(&board.name)
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().request("name", name); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    use nanojsonrpc::Params;
    use nanojsonrpc::server::Reply;

    let name = |board: &mut Board, _: Params<'_>, reply: Reply<'_>| reply.success(&board.name);
    let _ = Router::new().request("name", name);
}

//! A result of an `async` handler that borrows from the context.
//! says: is not an `async` handler of requests
//! says: for a result that borrows from the context, take `Params<'_>` and `Reply<'_>`
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    name: String,
}

#[cfg(not(feature = "advised"))]
async fn name(board: &mut Board) -> Result<&str, nanojsonrpc::ErrorObject<'static>> {
    Ok(&board.name)
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().request_async("name", name); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    use nanojsonrpc::Params;
    use nanojsonrpc::server::Reply;

    let name = async |board: &mut Board, _: Params<'_>, reply: Reply<'_>| reply.success(&board.name);
    let _ = Router::new().request_async("name", name);
}

//! A future as the result.
//! says: write an `async fn` that returns the result itself
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn speed(&self) -> impl Future<Output = u16>; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    async fn speed(&self) -> u16;
}

fn main() {}

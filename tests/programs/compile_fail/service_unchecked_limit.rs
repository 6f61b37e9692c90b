//! A limit of a param that nothing publishes or checks.
//! says: `#[schema]` of a param has an effect on schemas only: write `#[service(checked)]`, `#[service(mcp)]` or `#[service(openrpc)]`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, #[schema(maximum = 100)] percent: u8); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(checked)]
trait Fan {
    fn set(&mut self, #[schema(maximum = 100)] percent: u8);
}

fn main() {}

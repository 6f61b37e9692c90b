//! A type with the name of an alias of `Result`.
//! says: A type of your own cannot have a name that ends in `Result`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize)]
struct ScanResult {
    found: u8,
}

#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn scan(&self) -> ScanResult; // wrong
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize)]
struct Scan {
    found: u8,
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn scan(&self) -> Scan;
}

fn main() {}

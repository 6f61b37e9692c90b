//! The name of one param for another one.
//! says: two params have the name `rpm`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn set(
        &mut self,
        rpm: u16,
        #[param("rpm")] least: u16, // wrong
    );
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: u16, #[param("minRpm")] least: u16);
}

fn main() {}

//! Two params of one name.
//! says: two params have the name `rpm`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn set(
        &mut self,
        rpm: u16,
        r#rpm: u16, // wrong
    );
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: u16, seconds: u16);
}

fn main() {}

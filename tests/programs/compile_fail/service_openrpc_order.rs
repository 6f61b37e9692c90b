//! An optional param before a required one, in an OpenRPC document.
//! says: in an OpenRPC document, required params precede optional ones: move `rampTime` behind the required params, or make it required
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(openrpc)]
trait Fan {
    fn set(
        &mut self,
        turn: bool,
        #[param("rampTime")] ramp: Option<u8>, // wrong
        rpm: u16,
        why: Option<u8>,
    );
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(openrpc)]
trait Fan {
    fn set(&mut self, turn: bool, rpm: u16, #[param("rampTime")] ramp: Option<u8>, why: Option<u8>);
}

fn main() {}

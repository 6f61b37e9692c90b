//! An optional param before a required one, in an OpenRPC document. Only the compiler knows that the type is an `Option`.
//! says: in an OpenRPC document, required params precede optional ones: move `ramp` behind the required params, or make it required
#![allow(dead_code)]
type Ramp = Option<u8>;

#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(openrpc)]
trait Fan {
    fn set(
        &mut self,
        ramp: Ramp, // wrong
        rpm: u16,
    );
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(openrpc)]
trait Fan {
    fn set(&mut self, rpm: u16, ramp: Ramp);
}

fn main() {}

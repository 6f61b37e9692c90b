//! Two names of one param.
//! says: `#[param]` is given twice: remove one
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn set(
        &mut self,
        #[param("minSpeed")]
        #[param("least")] // wrong
        min_speed: u16,
    );
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, #[param("minSpeed")] min_speed: u16);
}

fn main() {}

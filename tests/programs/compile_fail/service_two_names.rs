//! Two methods of one name.
//! says: two methods have the name `fan.set`: rename one with `#[method("…")]`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(prefix = "fan.")]
trait Fan {
    #[method("set")]
    fn set_speed(&mut self, rpm: u16);
    fn set(&mut self, is_on: bool); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(prefix = "fan.")]
trait Fan {
    #[method("set")]
    fn set_speed(&mut self, rpm: u16);
    #[method("switch")]
    fn set(&mut self, is_on: bool);
}

fn main() {}

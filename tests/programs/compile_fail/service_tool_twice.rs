//! Two methods that become one tool.
//! says: two tools have the name `fan_speed`: rename one with `#[method("…")]`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[method("fan.speed")]
    fn speed(&self) -> u16;
    fn fan_speed(&self) -> u16; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[method("fan.speed")]
    fn speed(&self) -> u16;
    #[method("speed_of_fan")]
    fn fan_speed(&self) -> u16;
}

fn main() {}

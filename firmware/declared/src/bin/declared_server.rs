//! Four methods as one declaration.
#![no_std]
#![no_main]

#[path = "../line.rs"]
mod line;

use line::{ANSWER, Board, QUESTION};
use nanojsonrpc::{ErrorObject, Server};

#[nanojsonrpc::service]
trait Lamp {
    fn subtract(&mut self, a: i32, b: i32) -> Result<i32, ErrorObject<'static>>;
    #[method("led.get")]
    fn led(&self) -> bool;
    fn level(&self, scale: i32) -> i32;
    #[notification("led.set")]
    fn set_led(&mut self, on: bool, level: Option<i32>);
}

impl Lamp for Board {
    fn subtract(&mut self, a: i32, b: i32) -> Result<i32, ErrorObject<'static>> {
        a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS)
    }

    fn led(&self) -> bool {
        self.is_on
    }

    fn level(&self, scale: i32) -> i32 {
        self.level.wrapping_mul(scale)
    }

    fn set_led(&mut self, on: bool, level: Option<i32>) {
        (self.is_on, self.level) = (on, level.unwrap_or_default());
    }
}

fn job(text: &[u8], out: &mut [u8]) -> bool {
    line::serve(Server::with_routes(LampService), text, out)
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering(QUESTION, ANSWER));

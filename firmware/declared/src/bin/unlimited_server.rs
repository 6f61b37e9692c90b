//! The service of `limited_server` without limits.
#![no_std]
#![no_main]

#[path = "../line.rs"]
mod line;

use line::Board;
use nanojsonrpc::Server;

const QUESTION: &str = r#"{"jsonrpc":"2.0","method":"heat","params":[42,23,"oven",[1,2]],"id":1}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","result":19,"id":1}"#;

#[nanojsonrpc::service(checked)]
trait Heater {
    fn heat(&mut self, target: i32, power: u8, name: heapless::String<16>, zones: heapless::Vec<u8, 4>) -> i32;
}

impl Heater for Board {
    fn heat(&mut self, target: i32, power: u8, name: heapless::String<16>, zones: heapless::Vec<u8, 4>) -> i32 {
        self.is_on = !zones.is_empty() && !name.is_empty();
        self.level = target.wrapping_sub(i32::from(power));
        self.level
    }
}

fn job(text: &[u8], out: &mut [u8]) -> bool {
    line::serve(Server::with_routes(HeaterService), text, out)
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering(QUESTION, ANSWER));

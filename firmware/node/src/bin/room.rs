//! The tools of `examples/mcp_service.rs` on a chip: the declaration is the same file.
#![no_std]
#![no_main]

#[path = "../../../../examples/room/mod.rs"]
mod room;

use node::Buffers;

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut BUFFERS: Buffers<4096, 4096> = Buffers::new();
    let (mut server, mut scene) = (room::server(), room::Scene::DARK);
    node::run(BUFFERS, |_, line, output| match line {
        Ok(text) => server.process(&mut scene, text, output).answer(),
        Err(error) => server.refuse(error, output).answer(),
    })
}

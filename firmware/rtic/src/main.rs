//! A server on an LM3S6965 with RTIC: a hardware task receives into a queue, a software task of lower priority answers.
//!
//! ```sh
//! $ echo '{"jsonrpc":"2.0","method":"count","id":1}' | cargo run -q -p rtic-node
//! {"jsonrpc":"2.0","result":1,"id":1}
//! ```
#![no_std]
#![no_main]

// the critical section
use cortex_m as _;

#[rtic::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use core::ptr::NonNull;

    use arm_pl011_uart::{Interrupts, PL011Registers, Uart, UniqueMmioPointer};
    use cortex_m_semihosting::debug;
    use heapless::spsc::{Consumer, Producer, Queue};
    use nanojsonrpc::frame::{Framer, Lines};
    use nanojsonrpc::{Router, Server};

    const RECEIVED: Interrupts = Interrupts::RXI.union(Interrupts::RTI);

    #[shared]
    struct Shared {
        uart: Uart<'static>,
    }

    #[local]
    struct Local {
        received: Producer<'static, u8>,
        to_read: Consumer<'static, u8>,
        framer: Framer<Lines, 512>,
        output: [u8; 512],
        count: u32,
    }

    #[init(local = [queue: Queue<u8, 256> = Queue::new()])]
    fn init(context: init::Context) -> (Shared, Local) {
        let registers = NonNull::new(core::ptr::without_provenance_mut::<PL011Registers>(0x4000_C000));
        // SAFETY: UART0 exists, and no other code uses it. A HAL would return it without `unsafe`.
        let mut uart = Uart::new(unsafe { UniqueMmioPointer::new(registers.unwrap_or(NonNull::dangling())) });
        uart.set_interrupt_masks(RECEIVED);
        let (received, to_read) = context.local.queue.split();
        (Shared { uart }, Local { received, to_read, framer: Framer::new(), output: [0; 512], count: 0 })
    }

    #[task(binds = UART0, priority = 2, shared = [uart], local = [received])]
    fn receive(mut context: receive::Context) {
        context.shared.uart.lock(|uart| {
            uart.clear_interrupts(RECEIVED);
            while let Ok(Some(byte)) = uart.read_word() {
                // a full queue loses bytes; the damaged line gets an error as its answer
                _ = context.local.received.enqueue(byte);
            }
        });
        _ = answer::spawn();
    }

    #[task(priority = 1, shared = [uart], local = [to_read, framer, output, count])]
    async fn answer(context: answer::Context) {
        let answer::LocalResources { to_read, framer, output, count, .. } = context.local;
        let mut uart = context.shared.uart;
        // the routes are functions, so building the list takes no time
        let mut server = Server::new(
            Router::new()
                .request("count", |count: &mut u32| {
                    *count = count.wrapping_add(1);
                    Ok(*count)
                })
                .notification("set", |count: &mut u32, (to,): (u32,)| *count = to),
        );
        while let Some(byte) = to_read.dequeue() {
            framer.push(&[byte]);
            while let Some(line) = framer.next() {
                let answer = match line {
                    // ends the emulation
                    Ok(b"\x04") => return debug::exit(debug::EXIT_SUCCESS),
                    Ok(text) => server.process(count, text, output).answer(),
                    Err(error) => server.refuse(error, output).answer(),
                };
                for byte in answer.into_iter().flat_map(|answer| answer.iter().chain(b"\n")) {
                    // a short lock, so that the receiving task waits for one byte at most
                    uart.lock(|uart| {
                        while uart.is_tx_fifo_full() {}
                        uart.write_word(*byte);
                    });
                }
            }
        }
    }
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        cortex_m::asm::wfi();
    }
}

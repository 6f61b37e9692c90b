/// The mutant that is active in this process. Appended to a copy of `src/lib.rs` by `tests/mutants/at_once.py`.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod mutants {
    extern crate std;

    use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
    use std::io::Write;

    /// `ACTIVE` of a process that writes each mutated function it enters to a file.
    const RECORD: u32 = u32::MAX;
    static ACTIVE: AtomicU32 = AtomicU32::new(0);
    static ENTERED: [AtomicBool; FUNCTIONS] = [const { AtomicBool::new(false) }; FUNCTIONS];
    static RECORDS: std::sync::OnceLock<std::fs::File> = std::sync::OnceLock::new();

    /// Returns the active mutant; 0 is none, as for code that the compiler evaluates.
    #[inline(always)]
    pub const fn active(function: u32) -> u32 {
        const fn at_compile_time(_: u32) -> u32 {
            0
        }
        core::intrinsics::const_eval_select((function,), at_compile_time, at_run_time)
    }

    #[inline(always)]
    fn at_run_time(function: u32) -> u32 {
        let active = ACTIVE.load(Relaxed);
        if active == RECORD {
            record(function);
        }
        active
    }

    #[cold]
    #[inline(never)]
    fn record(function: u32) {
        if !ENTERED[function as usize].swap(true, Relaxed) {
            if let Some(mut file) = RECORDS.get() {
                _ = file.write_all(&function.to_le_bytes());
            }
        }
    }

    // before `main`, because tests count allocations
    #[used]
    #[unsafe(link_section = ".init_array")]
    static START: extern "C" fn() = start;

    unsafe extern "C" {
        safe fn _exit(status: i32) -> !;
    }

    extern "C" fn start() {
        if let Some(path) = std::env::var_os("MUTANTS_RECORDS") {
            _ = RECORDS.set(std::fs::File::options().append(true).create(true).open(path).unwrap());
            ACTIVE.store(RECORD, Relaxed);
        }
        if let Ok(active) = std::env::var("MUTANTS_ACTIVE") {
            ACTIVE.store(active.parse().unwrap(), Relaxed);
        }
        // the first panic ends the process
        if std::env::var_os("MUTANTS_EXIT").is_some() {
            std::panic::set_hook(std::boxed::Box::new(|_| _exit(101)));
        }
    }
}

//! Tells the linker how much memory the emulated chip has: `memory.x`.

use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    // the Cortex-M0 has less
    let is_small = env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv6m"));
    let ram = if is_small { "16K" } else { "64K" };
    let memory = format!(
        "MEMORY {{\n  FLASH : ORIGIN = 0x00000000, LENGTH = 256K\n  RAM : ORIGIN = 0x20000000, LENGTH = {ram}\n}}\n"
    );
    fs::write(out.join("memory.x"), memory).expect("memory.x can be written");
    println!("cargo::rustc-link-search={}", out.display());
    println!("cargo::rerun-if-changed=build.rs");
}

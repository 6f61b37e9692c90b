//! Tells the linker how much memory the emulated chip has: `memory.x`.

use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let target = env::var("TARGET").expect("cargo sets it");
    // the Cortex-M0 has less RAM; the RISC-V board has only RAM, so the first part of it replaces flash
    let memory = if target.starts_with("riscv") {
        "MEMORY {\n  FLASH : ORIGIN = 0x80000000, LENGTH = 256K\n  RAM : ORIGIN = 0x80040000, LENGTH = 64K\n}\n\
         REGION_ALIAS(\"REGION_TEXT\", FLASH);\nREGION_ALIAS(\"REGION_RODATA\", FLASH);\n\
         REGION_ALIAS(\"REGION_DATA\", RAM);\nREGION_ALIAS(\"REGION_BSS\", RAM);\n\
         REGION_ALIAS(\"REGION_HEAP\", RAM);\nREGION_ALIAS(\"REGION_STACK\", RAM);\n"
            .to_string()
    } else {
        let ram = if target.starts_with("thumbv6m") { "16K" } else { "64K" };
        format!(
            "MEMORY {{\n  FLASH : ORIGIN = 0x00000000, LENGTH = 256K\n  RAM : ORIGIN = 0x20000000, LENGTH = {ram}\n}}\n"
        )
    };
    fs::write(out.join("memory.x"), memory).expect("memory.x can be written");
    println!("cargo::rustc-link-search={}", out.display());
    println!("cargo::rerun-if-changed=build.rs");
}

//! Tells the linker the memory of the machine of each target: `memory.x`.

use std::{env, fs, path::PathBuf};

const MICROBIT: &str = "FLASH : ORIGIN = 0, LENGTH = 256K\n RAM : ORIGIN = 0x20000000, LENGTH = 16K";
const MPS2: &str = "FLASH : ORIGIN = 0, LENGTH = 4M\n RAM : ORIGIN = 0x20000000, LENGTH = 4M";
// this machine has only RAM, so the first part of it replaces flash
const VIRT: &str = "FLASH : ORIGIN = 0x80000000, LENGTH = 1M\n RAM : ORIGIN = 0x80100000, LENGTH = 64K";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let target = env::var("TARGET").expect("cargo sets it");
    let (memory, aliases) = match target.as_str() {
        "thumbv6m-none-eabi" => (MICROBIT, &[][..]),
        "thumbv7em-none-eabihf" => (MPS2, &[][..]),
        _ => (
            VIRT,
            &[
                ("TEXT", "FLASH"),
                ("RODATA", "FLASH"),
                ("DATA", "RAM"),
                ("BSS", "RAM"),
                ("HEAP", "RAM"),
                ("STACK", "RAM"),
            ][..],
        ),
    };
    let aliases = aliases.iter().map(|(alias, place)| format!("REGION_ALIAS(\"REGION_{alias}\", {place});\n"));
    let script = format!("MEMORY {{\n {memory}\n}}\n{}", aliases.collect::<String>());
    fs::write(out.join("memory.x"), script).expect("memory.x can be written");
    println!("cargo::rustc-link-search={}", out.display());
    println!("cargo::rerun-if-changed=build.rs");
}

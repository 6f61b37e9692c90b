//! Adds the sections of defmt where it is used.

fn main() {
    println!("cargo::rustc-link-arg-bin=defmt=-Tdefmt.x");
    println!("cargo::rerun-if-changed=build.rs");
}

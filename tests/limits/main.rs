//! Capacities, sizes and promises about public types.

mod capacities;
mod public_enums;
mod shown;
mod sizes;

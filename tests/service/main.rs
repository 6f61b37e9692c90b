//! Services that are declared once: routes, params, clients, schemas.
#![cfg(feature = "macros")]

mod by_position;
mod clients;
mod declaration;
mod descriptions;
mod differences;
mod errors;
mod fixed;
mod hygiene;
mod keywords;
mod lasting;
mod limits;
mod limits_served;
mod names;
mod param_names;
mod renamed;
mod schema;
mod shapes;
mod time_limits;
mod tools;

//! The profile that tests are built with: a sum that overflows does not go unnoticed, in them and in the library. The
//! scripts that build tests with another profile run this with it.

use core::hint::black_box;

#[test]
#[should_panic = "attempt to add with overflow"]
fn a_sum_that_overflows_panics_where_tests_are_run() {
    black_box(black_box(u8::MAX) + black_box(1));
}

//! Tests that run with every frame.
#![cfg(feature = "embedded-io")]
#![cfg_attr(not(feature = "serde"), allow(unused_macros, reason = "its tests need serde"))]

/// Runs each test with every frame.
macro_rules! with_every_frame {
    ($($name:ident)*) => {
        mod with_every_frame {
            use super::*;

            $(
                #[test]
                fn $name() {
                    super::$name::<Lines>();
                    super::$name::<ContentLength>();
                    super::$name::<Events>();
                    super::$name::<Values>();
                }
            )*
        }
    };
}

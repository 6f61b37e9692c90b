//! Users: who may call what, and how often.

use std::num::NonZeroU32;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use nanojsonrpc::{ErrorCode, ErrorObject};
use wildmatch::WildMatch;

/// Too many calls in a second.
const TOO_MANY: (ErrorCode, &str) = (ErrorCode(-32000), "Too many calls");
const NOT_ALLOWED: (ErrorCode, &str) = (ErrorCode(-32007), "Not allowed");

/// Who calls.
pub(crate) struct User {
    pub(crate) name: String,
    /// What the user may call and hear: patterns of `DEVICE.METHOD`.
    methods: Vec<WildMatch>,
    /// The fronts of the patterns: of devices.
    devices: Vec<WildMatch>,
    rate: Option<DefaultDirectRateLimiter>,
}

impl User {
    /// A user with at most `rate` calls in a second.
    pub(crate) fn new(name: &str, methods: &[String], rate: Option<NonZeroU32>) -> Self {
        // a pattern without a dot may begin in the name of a device, and end in that of a method
        let front = |pattern: &String| match pattern.split_once('.') {
            Some((device, _)) => WildMatch::new(device),
            None => WildMatch::new(&format!("{}*", pattern.split_inclusive('*').next().unwrap_or_default())),
        };
        Self {
            name: name.to_owned(),
            methods: methods.iter().map(|pattern| WildMatch::new(pattern)).collect(),
            devices: methods.iter().map(front).collect(),
            rate: rate.map(|rate| RateLimiter::direct(Quota::per_second(rate))),
        }
    }

    /// A user who may call everything.
    pub(crate) fn anyone() -> Self {
        Self::new("", &["*".to_owned()], None)
    }

    /// Whether the user may call a method, and hear a notification.
    pub(crate) fn may(&self, method: &str) -> bool {
        self.methods.iter().any(|pattern| pattern.matches(method))
    }

    /// Whether there is a method of the device that the user may call.
    pub(crate) fn sees(&self, device: &str) -> bool {
        self.devices.iter().any(|pattern| pattern.matches(device))
    }

    /// Admits one more call, of `method`, if it has one.
    ///
    /// # Errors
    /// A method that the user may not call, or too many calls.
    pub(crate) fn admit(&self, method: Option<&str>) -> Result<(), ErrorObject<'static>> {
        if method.is_some_and(|method| !self.may(method)) {
            return Err(ErrorObject::new(NOT_ALLOWED.0, NOT_ALLOWED.1));
        }
        match &self.rate {
            Some(rate) if rate.check().is_err() => Err(ErrorObject::new(TOO_MANY.0, TOO_MANY.1)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_say_what_a_user_may_call_and_see() {
        let user = User::new("panel", &["lamp.*".to_owned(), "f*.get".to_owned(), "h*x".to_owned()], None);
        for (method, may) in [("lamp.set", true), ("lamps.set", false), ("fan.get", true), ("fan.set", false)] {
            assert_eq!(user.may(method), may, "{method}");
        }
        for (device, sees) in [("lamp", true), ("fan", true), ("hall", true), ("door", false)] {
            assert_eq!(user.sees(device), sees, "{device}");
        }
        assert!(User::anyone().may("hall.x") && User::anyone().sees("hall"));
        assert_eq!(user.admit(Some("door.open")).map_err(|error| error.code.0), Err(-32007));
    }

    #[test]
    fn more_calls_than_the_rate_are_refused() {
        let user = User::new("panel", &["*".to_owned()], NonZeroU32::new(2));
        let admitted = (0..10).filter(|_| user.admit(Some("lamp.get")).is_ok()).count();
        assert!((2..10).contains(&admitted), "{admitted}");
    }
}

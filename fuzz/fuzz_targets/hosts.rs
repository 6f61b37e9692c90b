//! A model of the hosts at which a stream is opened without `Origin`, which shares no code with the library.

/// Whether a site on the internet may have `host` as its name.
pub fn may_be_foreign(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let name = host.split(':').next().unwrap_or_default();
    let labels: Vec<_> = name.split('.').collect();
    let is_known = match &labels[..] {
        [only] => only.starts_with(|c: char| c.is_ascii_alphanumeric()),
        [.., "local" | "localhost" | "internal"] => true,
        [.., last] => !last.is_empty() && last.chars().all(|digit| digit.is_ascii_digit()),
        [] => false,
    };
    !(is_known || host.starts_with('['))
}

//! Models of `Host`, which share no code with the library: the valid ones, and those at which a stream is opened without `Origin`.

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

/// Whether `value` is empty, or `uri-host [ ":" port ]`.
#[allow(dead_code, reason = "not every target with this file asks")]
pub fn is_host(value: &[u8]) -> bool {
    let Ok(value) = str::from_utf8(value) else { return false };
    let name = value.trim_end_matches(|c: char| c.is_ascii_digit());
    // digits without a colon before them belong to the name
    let name = name.strip_suffix(':').unwrap_or(value);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=".contains(c);
    if let Some(literal) = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return !literal.is_empty() && literal.chars().all(|c| plain(c) || c == ':');
    }
    let mut parts = name.split('%');
    let first = parts.next().unwrap_or_default();
    let is_escape = |part: &str| part.len() >= 2 && part.chars().take(2).all(|c| c.is_ascii_hexdigit());
    let is_name = !name.is_empty() && first.chars().all(plain);
    value.is_empty() || is_name && parts.all(|part| is_escape(part) && part.chars().skip(2).all(plain))
}

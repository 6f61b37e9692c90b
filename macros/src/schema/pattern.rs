//! Refuses texts that are no regular expressions of ECMA-262, the dialect of `pattern` (JSON Schema Core 2020-12 §6.4).
//!
//! Finds unbalanced brackets, quantifiers without an operand, and a `\` at the end. Does not check the names of escapes and groups,
//! numbers of repetitions, and ranges of classes.

/// The fault in `pattern`.
pub(super) fn fault(pattern: &str) -> Option<&'static str> {
    let mut letters = pattern.chars().peekable();
    let mut open: usize = 0;
    // whether a quantifier may follow, and whether the last token was a quantifier, which may be lazy: `a+?`
    let (mut has_operand, mut is_quantifier) = (false, false);
    while let Some(letter) = letters.next() {
        let was_quantifier = core::mem::take(&mut is_quantifier);
        match letter {
            '\\' => {
                if letters.next().is_none() {
                    return Some("this `\\` stands at the end");
                }
                has_operand = true;
            }
            '[' => {
                if !skip_class(&mut letters) {
                    return Some("this `[` is not closed");
                }
                has_operand = true;
            }
            '(' => {
                open = open.saturating_add(1);
                // `(?:`, `(?=`, `(?<name>` and their like
                if letters.peek() == Some(&'?') {
                    letters.next();
                }
                has_operand = false;
            }
            ')' => {
                let Some(left) = open.checked_sub(1) else { return Some("this `)` has no `(`") };
                (open, has_operand) = (left, true);
            }
            '|' | '^' => has_operand = false,
            '?' if was_quantifier => has_operand = false,
            '*' | '+' | '?' => {
                if !has_operand {
                    return Some("this quantifier has no operand");
                }
                (has_operand, is_quantifier) = (false, true);
            }
            '}' => (has_operand, is_quantifier) = (true, true),
            _ => has_operand = true,
        }
    }
    (open != 0).then_some("this `(` is not closed")
}

/// Skips the rest of a class of characters, after its `[`; `false` if the class has no end.
fn skip_class(letters: &mut impl Iterator<Item = char>) -> bool {
    while let Some(letter) = letters.next() {
        match letter {
            ']' => return true,
            '\\' => _ = letters.next(),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn regular_expressions_are_accepted() {
        for pattern in [
            "",
            "^a$",
            "a|b|",
            "(a|(b)*)+?",
            "a*b+c?d{2}e{1,}?f{1,3}",
            "[]a",
            "[^]",
            "[(*]",
            r"[\]]",
            r"\(\[\\",
            "(?:a)(?=b)(?!c)(?<=d)(?<!e)(?<name>f)",
            "(?=a)*",
            r"^\p{L}+$",
            "}{]",
            "a??b*?c+?",
            "^(?:|a)$",
            "(|a)",
            "é*",
        ] {
            assert_eq!(fault(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn faults_are_found() {
        for (pattern, what) in [
            ("(", "`(` is"),
            ("(a", "`(` is"),
            ("a)", "`)` has no"),
            ("[a", "`[` is"),
            (r"[a\]", "`[` is"),
            ("[", "`[` is"),
            ("\\", "`\\` stands"),
            ("*", "quantifier"),
            ("a|+", "quantifier"),
            ("(?)?*", "quantifier"),
            ("(*a)", "quantifier"),
            ("a**", "quantifier"),
            ("a+++", "quantifier"),
            ("a???", "quantifier"),
            ("^*", "quantifier"),
        ] {
            assert!(fault(pattern).is_some_and(|found| found.contains(what)), "{pattern}");
        }
    }
}

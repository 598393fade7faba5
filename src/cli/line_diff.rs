//! Two texts, line by line: what went and what came.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lines of both texts that are compared at most; what is larger is shown as gone and come.
const MOST_COMPARED: usize = 1 << 12;

/// A line of a difference.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DiffLine<'a> {
    /// Only in the old text.
    Gone(&'a str),
    /// Only in the new text.
    Come(&'a str),
    /// Lines in both texts, which are left out.
    Same,
}

/// Returns the lines that differ, in order; what is equal between them is one [`DiffLine::Same`].
pub(super) fn difference<'a>(old: &'a str, new: &'a str) -> Vec<DiffLine<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut lines = Vec::new();
    for op in operations(&old, &new) {
        if matches!(op, DiffOp::Equal { .. }) {
            lines.push(DiffLine::Same);
        } else {
            lines.extend(old[op.old_range()].iter().map(|line| DiffLine::Gone(line)));
            lines.extend(new[op.new_range()].iter().map(|line| DiffLine::Come(line)));
        }
    }
    lines
}

/// Returns what makes one text of the other, by Myers. Its time can grow with the square of the lines, so of texts
/// that are too large for that the beginnings and ends are compared only.
fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (a, b) = (old[head..].iter().rev(), new[head..].iter().rev());
    let tail = a.zip(b).take_while(|(a, b)| a == b).count();
    let (old_len, new_len) = (old.len() - head - tail, new.len() - head - tail);
    if old_len + new_len <= MOST_COMPARED {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let equal = |old_index, new_index, len| DiffOp::Equal {
        old_index,
        new_index,
        len,
    };
    let between = DiffOp::Replace {
        old_index: head,
        old_len,
        new_index: head,
        new_len,
    };
    let ends = [
        equal(0, 0, head),
        between,
        equal(head + old_len, head + new_len, tail),
    ];
    let is_there = |op: &DiffOp| !matches!(op, DiffOp::Equal { len: 0, .. });
    ends.into_iter().filter(is_there).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> String {
        let line = |line: &DiffLine<'_>| match line {
            DiffLine::Gone(text) => format!("-{text}"),
            DiffLine::Come(text) => format!("+{text}"),
            DiffLine::Same => "=".to_owned(),
        };
        difference(old, new)
            .iter()
            .map(line)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn only_what_differs_is_shown() {
        assert_eq!(shown("a\nb\nc", "a\nx\nc"), "= -b +x =");
        assert_eq!(shown("", "a\nb"), "+a +b");
        assert_eq!(shown("a\nb", ""), "-a -b");
        assert_eq!(shown("a\nb\nc\nd\ne", "b\nc\nX\ne\nf"), "-a = -d +X = +f");
        assert_eq!(shown("a\na\na", "a\na"), "= -a");
        assert_eq!(shown("same", "same"), "=");
    }

    #[test]
    fn texts_of_any_size_are_compared() {
        let old: String = (0..3000).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..3000).map(|n| format!("new {n}\n")).collect();
        assert_eq!(difference(&old, &new).len(), 6000);
        // Many lines against one take no longer.
        let blank = "\n".repeat(1 << 20);
        assert_eq!(difference(&blank, "x").len(), (1 << 20) + 1);
        let edited = format!("{blank}{old}{blank}");
        let kept = format!("{blank}{new}{blank}");
        assert_eq!(difference(&edited, &kept).len(), 6002);
    }
}

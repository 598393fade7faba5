//! Two texts, line by line: what went and what came.

/// Pairs of lines that are compared at most; larger texts are shown as gone and come.
const MOST_PAIRS: usize = 1 << 22;

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

/// The lines that differ, in order; what is equal between them is one [`ParsedLine::Sides`].
pub(super) fn difference<'a>(old: &'a str, new: &'a str) -> Vec<DiffLine<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines = Vec::new();
    if head > 0 {
        lines.push(DiffLine::Same);
    }
    if a.len().saturating_mul(b.len()) > MOST_PAIRS {
        lines.extend(a.iter().map(|line| DiffLine::Gone(line)));
        lines.extend(b.iter().map(|line| DiffLine::Come(line)));
    } else {
        align(a, b, &mut lines);
    }
    if tail > 0 {
        lines.push(DiffLine::Same);
    }
    lines
}

/// Follows a longest common subsequence.
fn align<'a>(a: &[&'a str], b: &[&'a str], lines: &mut Vec<DiffLine<'a>>) {
    let width = b.len() + 1;
    let mut longest = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = match a[i] == b[j] {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            if lines.last() != Some(&DiffLine::Same) {
                lines.push(DiffLine::Same);
            }
            (i, j) = (i + 1, j + 1);
        } else if j == b.len()
            || (i < a.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1])
        {
            lines.push(DiffLine::Gone(a[i]));
            i += 1;
        } else {
            lines.push(DiffLine::Come(b[j]));
            j += 1;
        }
    }
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
    }
}

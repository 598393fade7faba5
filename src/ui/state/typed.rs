//! A line that is being typed.

/// The text and the place in it at which the next letter goes, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::ui) struct Typed {
    text: String,
    at: usize,
    /// True of a text that the first letter takes the place of.
    is_old: bool,
}

impl Typed {
    /// Returns a line with its cursor at the end.
    pub(super) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            at: text.len(),
            is_old: false,
        }
    }

    /// Returns a line that was typed before: a letter begins another one, a key that moves in it keeps it.
    pub(super) fn old(text: &str) -> Self {
        Self {
            is_old: true,
            ..Self::new(text)
        }
    }

    /// Returns whether it was typed before, and no key was since.
    pub(super) fn is_old(&self) -> bool {
        self.is_old
    }

    pub(in crate::ui) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text before the cursor, and behind it.
    pub(in crate::ui) fn parts(&self) -> (&str, &str) {
        self.text.split_at(self.at)
    }

    /// Inserts a text on one line.
    pub(super) fn insert(&mut self, text: &str) {
        let line = match text.contains(['\n', '\r', '\t']) {
            true => text.split_whitespace().collect::<Vec<_>>().join(" "),
            false => text.to_owned(),
        };
        if std::mem::take(&mut self.is_old) {
            *self = Self::default();
        }
        self.text.insert_str(self.at, &line);
        self.at += line.len();
    }

    /// Takes a key; one that is none of its own does nothing.
    pub(super) fn edit(&mut self, key: &str) {
        self.is_old &= key == "space" || key.chars().count() == 1;
        let (before, behind) = self.parts();
        let left = before.chars().next_back().map_or(0, char::len_utf8);
        let right = behind.chars().next().map_or(0, char::len_utf8);
        match key {
            "left" | "ctrl-b" => self.at -= left,
            "right" | "ctrl-f" => self.at += right,
            "home" | "ctrl-a" => self.at = 0,
            "end" | "ctrl-e" => self.at = self.text.len(),
            "backspace" => self.remove_back_to(self.at - left),
            "delete" => drop(self.text.drain(self.at..self.at + right)),
            "ctrl-u" => self.remove_back_to(0),
            "ctrl-k" => self.text.truncate(self.at),
            "ctrl-w" => {
                let word = before.trim_end().rfind(' ').map_or(0, |at| at + 1);
                self.remove_back_to(word);
            }
            "space" => self.insert(" "),
            _ if key.chars().count() == 1 => self.insert(key),
            _ => {}
        }
    }

    fn remove_back_to(&mut self, from: usize) {
        self.text.drain(from..self.at);
        self.at = from;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn typed(keys: &[&str]) -> String {
        let mut line = Typed::default();
        keys.iter().for_each(|key| line.edit(key));
        let (before, behind) = line.parts();
        format!("{before}|{behind}")
    }

    #[test]
    fn keys_move_and_remove() {
        assert_eq!(typed(&["a", "space", "é", "left", "b"]), "a b|é");
        assert_eq!(typed(&["é", "日", "left", "backspace", "x"]), "x|日");
        assert_eq!(typed(&["a", "space", "b", "space", "ctrl-w"]), "a |");
        assert_eq!(typed(&["a", "b", "home", "delete", "ctrl-e", "c"]), "bc|");
        assert_eq!(typed(&["a", "b", "left", "ctrl-k", "up", "f5"]), "a|");
    }

    proptest! {
        #[test]
        fn the_cursor_is_between_letters(keys in proptest::collection::vec(
            prop_oneof![
                any::<char>().prop_map(String::from),
                proptest::sample::select(vec![
                    "left", "right", "home", "end", "backspace", "delete", "ctrl-u", "ctrl-k", "ctrl-w", "space",
                ]).prop_map(str::to_owned),
            ],
            0..60,
        )) {
            let mut line = Typed::default();
            for key in keys {
                line.edit(&key);
                let (before, behind) = line.parts();
                prop_assert_eq!(format!("{before}{behind}"), line.text());
                prop_assert!(!line.text().contains(['\n', '\r', '\t']));
            }
        }
    }
}

//! What was typed, read from the bytes of the terminal.
//!
//! A reader of our own: that of crossterm waits by itself, at a moment of its own choice, and goes on for ever at a terminal
//! that has gone.

use std::time::{Duration, Instant};

const ESC: u8 = 0x1b;
/// Begins a text that was pasted.
const PASTE_BEGIN: &[u8] = b"\x1b[200~";
/// Ends it.
const PASTE_END: &[u8] = b"\x1b[201~";
/// Bytes of the longest sequence of a key; what goes on longer is none.
const LONGEST: usize = 32;

/// The time for what follows an escape, which a network can bring apart.
const PATIENCE: Duration = Duration::from_millis(40);
/// The same for the rest of a sequence or of a paste.
const LONGER_PATIENCE: Duration = Duration::from_secs(1);
/// Bytes of the longest paste; what goes on longer is one of its own.
const LONGEST_PASTE: usize = 1 << 20;

/// Something that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A key by its name, as the table of keys has it: `j`, `ctrl-d`, `enter`, `down`.
    Key(String),
    Paste(String),
    Mouse(Mouse),
}

/// Something that the mouse did, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mouse {
    pub(super) does: MouseDoes,
    pub(super) x: u16,
    pub(super) y: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MouseDoes {
    Press,
    RightPress,
    /// It was moved with a button held.
    Drag,
    Release,
    /// The wheel was turned.
    Up,
    Down,
}

/// The bytes that have come and are not read yet.
#[derive(Debug, Default)]
pub(super) struct InputReader {
    bytes: Vec<u8>,
    /// The time at which the last of them came.
    since: Option<Instant>,
}

impl InputReader {
    /// Returns what some bytes complete.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.bytes.extend_from_slice(bytes);
        self.since = Some(Instant::now());
        let mut found = self.complete();
        if self.bytes.len() > LONGEST_PASTE {
            found.extend(self.end());
        }
        found
    }

    /// Returns the time until what was begun is over, as its rest has not come; none where nothing was begun.
    pub(super) fn due(&self) -> Option<Duration> {
        let since = self.since.filter(|_| !self.bytes.is_empty())?;
        // A person types an escape alone; all else a terminal sends whole.
        let most = match self.bytes.len() {
            1 => PATIENCE,
            _ => LONGER_PATIENCE,
        };
        Some(most.saturating_sub(since.elapsed()))
    }

    pub(super) fn is_due(&self) -> bool {
        self.due() == Some(Duration::ZERO)
    }

    /// Returns what was begun as it stands: an escape alone is the key, and a paste ends where it has come to.
    pub(super) fn end(&mut self) -> Vec<Input> {
        if self.bytes == [ESC] {
            self.bytes.clear();
            return vec![Input::Key("esc".to_owned())];
        }
        if self.bytes.starts_with(PASTE_BEGIN) {
            self.bytes.extend_from_slice(PASTE_END);
            return self.complete();
        }
        self.bytes.clear();
        Vec::new()
    }

    fn complete(&mut self) -> Vec<Input> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(taken) = next(&self.bytes[at..]) {
            found.extend(taken.input);
            at += taken.bytes;
        }
        self.bytes.drain(..at);
        found
    }
}

/// A part of the bytes, and what it is; nothing where no one knows it.
struct Taken {
    bytes: usize,
    input: Option<Input>,
}

fn key(bytes: usize, name: &str) -> Taken {
    let input = (!name.is_empty()).then(|| Input::Key(name.to_owned()));
    Taken { bytes, input }
}

/// Reads the first key; none where more has to come.
fn next(bytes: &[u8]) -> Option<Taken> {
    let first = *bytes.first()?;
    Some(match first {
        b'\r' | b'\n' => key(1, "enter"),
        b'\t' => key(1, "tab"),
        0x7f | 0x08 => key(1, "backspace"),
        ESC => return escape(bytes),
        0 => key(1, "ctrl-space"),
        1..=26 => key(1, &format!("ctrl-{}", char::from(first - 1 + b'a'))),
        b' ' => key(1, "space"),
        0x1c..=0x1f => key(1, ""),
        _ => return character(bytes),
    })
}

/// Reads a character of one to four bytes.
fn character(bytes: &[u8]) -> Option<Taken> {
    let length = match bytes[0] {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => return Some(key(1, "")),
    };
    let Some(text) = bytes.get(..length) else {
        // The rest of it is on its way, where it can be one at all.
        let is_begun = bytes[1..].iter().all(|byte| byte & 0xc0 == 0x80);
        return if is_begun { None } else { Some(key(1, "")) };
    };
    Some(match std::str::from_utf8(text) {
        Ok(text) => key(length, text),
        Err(_) => key(1, ""),
    })
}

/// Reads what an escape begins.
fn escape(bytes: &[u8]) -> Option<Taken> {
    let rest = &bytes[1..];
    if let Some(text) = bytes.strip_prefix(PASTE_BEGIN) {
        let end = text
            .windows(PASTE_END.len())
            .position(|it| it == PASTE_END)?;
        let pasted = String::from_utf8_lossy(&text[..end]).into_owned();
        return Some(Taken {
            bytes: PASTE_BEGIN.len() + end + PASTE_END.len(),
            input: Some(Input::Paste(pasted)),
        });
    }
    match rest {
        // Alone it is the key, once nothing follows.
        [] => None,
        [ESC, ..] => Some(key(1, "esc")),
        [b'O', name, ..] => Some(key(3, final_name(*name))),
        [b'[', sequence @ ..] => {
            let Some(end) = sequence.iter().position(|byte| (0x40..0x7f).contains(byte)) else {
                // What does not end is no key: the escape is left out, and the rest is read as it stands.
                return (sequence.len() > LONGEST).then(|| key(2, ""));
            };
            if let [b'<', numbers @ ..] = &sequence[..end] {
                return Some(Taken {
                    bytes: 2 + end + 1,
                    input: mouse(numbers, sequence[end]).map(Input::Mouse),
                });
            }
            let name = match (&sequence[..end], sequence[end]) {
                (b"1" | b"7", b'~') => "home",
                (b"4" | b"8", b'~') => "end",
                (b"3", b'~') => "delete",
                (b"5", b'~') => "pageup",
                (b"6", b'~') => "pagedown",
                (b"", last) => final_name(last),
                _ => "",
            };
            Some(key(2 + end + 1, name))
        }
        // With Alt, which no key of ours has.
        _ => Some(key(2, "")),
    }
}

/// Reads what the mouse did: button, column and line, from one on.
fn mouse(numbers: &[u8], last: u8) -> Option<Mouse> {
    let text = std::str::from_utf8(numbers).ok()?;
    let mut numbers = text.split(';').map(str::parse::<u16>);
    let (button, x, y) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let (button, x, y) = (button.ok()?, x.ok()?, y.ok()?);
    // Whichever of Shift, Alt and Ctrl are held.
    let does = match (button & !(4 | 8 | 16), last) {
        (0..64, b'm') => MouseDoes::Release,
        (0, b'M') => MouseDoes::Press,
        (2, b'M') => MouseDoes::RightPress,
        (32, b'M') => MouseDoes::Drag,
        (64, b'M') => MouseDoes::Up,
        (65, b'M') => MouseDoes::Down,
        _ => return None,
    };
    let (x, y) = (x.checked_sub(1)?, y.checked_sub(1)?);
    Some(Mouse { does, x, y })
}

fn final_name(last: u8) -> &'static str {
    match last {
        b'A' => "up",
        b'B' => "down",
        b'C' => "right",
        b'D' => "left",
        b'H' => "home",
        b'F' => "end",
        b'Z' => "backtab",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(text: &[u8]) -> Vec<String> {
        let mut reader = InputReader::default();
        let mut read = reader.read(text);
        read.extend(reader.end());
        let read = read.into_iter();
        read.map(|input| match input {
            Input::Key(name) => name,
            Input::Paste(text) => format!("paste {text}"),
            Input::Mouse(mouse) => format!("{:?} {} {}", mouse.does, mouse.x, mouse.y),
        })
        .collect()
    }

    #[test]
    fn keys_are_read_by_their_names() {
        assert_eq!(
            names(b"jG\r\t \x7f\x04"),
            ["j", "G", "enter", "tab", "space", "backspace", "ctrl-d"]
        );
        assert_eq!(
            names(b"\x1b[A\x1bOB\x1b[6~\x1b[Z"),
            ["up", "down", "pagedown", "backtab"]
        );
        assert_eq!(names("é日".as_bytes()), ["é", "日"]);
        assert_eq!(names(b"\x1b"), ["esc"]);
        // The rest of a sequence can come later, and that of a paste never.
        let mut reader = InputReader::default();
        assert_eq!(reader.read(b"\x1b"), []);
        assert_eq!(reader.read(b"[A"), [Input::Key("up".to_owned())]);
        assert_eq!(names(b"\x1b[200~ab"), ["paste ab"]);
        assert_eq!(
            names(b"\x1b[200~a\x1b[Ab\x1b[201~q"),
            ["paste a\x1b[Ab", "q"]
        );
        // Sequences that are no keys are none of their letters.
        assert_eq!(names(b"\x1b[1;5Dq"), ["q"]);
        // The mouse, whichever key is held with it; a button that has no meaning here is nothing.
        assert_eq!(
            names(b"\x1b[<0;3;4Mq\x1b[<20;1;1M\x1b[<0;3;4m\x1b[<32;9;9M\x1b[<65;1;2M"),
            [
                "Press 2 3",
                "q",
                "Press 0 0",
                "Release 2 3",
                "Drag 8 8",
                "Down 0 1"
            ]
        );
        assert_eq!(
            names(b"\x1b[<1;3;4M\x1b[<0;0;4M\x1b[<0;3M\x1b[<;;M\x1b[<0;99999;1Mq"),
            ["q"]
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_in_any_pieces(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0..200usize) {
            let mut reader = InputReader::default();
            let (one, other) = bytes.split_at(at.min(bytes.len()));
            reader.read(one);
            reader.read(other);
            // Nothing waits for ever: what is kept is the beginning of a key or of a paste.
            let is_paste = reader.bytes.starts_with(PASTE_BEGIN);
            prop_assert!(is_paste || reader.bytes.len() <= LONGEST + 2);
            reader.end();
            prop_assert!(reader.bytes.is_empty());
        }
    }
}

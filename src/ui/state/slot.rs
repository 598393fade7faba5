//! A question of which one at most is on its way, and one waits: the newest.

/// A question on its way, and the one behind it.
#[derive(Clone, Debug)]
pub(super) struct Slot<T> {
    is_sent: bool,
    next: Option<T>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self {
            is_sent: false,
            next: None,
        }
    }
}

impl<T> Slot<T> {
    /// Takes a question; returns it where it can be sent now.
    pub(super) fn want(&mut self, asked: T) -> Option<T> {
        if self.is_sent {
            self.next = Some(asked);
            return None;
        }
        self.is_sent = true;
        Some(asked)
    }

    /// Notes that the one on its way was answered; returns the one to send then.
    pub(super) fn done(&mut self) -> Option<T> {
        let next = self.next.take();
        self.is_sent = next.is_some();
        next
    }

    /// Returns whether a question is on its way.
    pub(super) fn is_sent(&self) -> bool {
        self.is_sent
    }
}

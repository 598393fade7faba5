//! What there is room for, and going from screen to screen.

use super::{
    BoardScreen, Does, LEFT, PanelKind, Parts, Prompt, SCREENS, ScreenName, State, TWO_PANES, WIDE,
};

impl State {
    /// Returns the parts of the frame that there is room for.
    pub(in crate::ui) fn parts(&self) -> Parts {
        let (width, height) = self.size;
        let is_tiny = width < 24 || height < 6;
        Parts {
            rules: height >= 8,
            query: !is_tiny && (self.screen != ScreenName::Inbox || self.asks_query()),
            keys: width >= 60 && height >= 8,
            is_tiny,
        }
    }

    /// Returns the lines of the body.
    pub(in crate::ui) fn body_height(&self) -> usize {
        let parts = self.parts();
        if parts.is_tiny {
            return 1;
        }
        let around = 2 + 2 * usize::from(parts.rules);
        let around = around + usize::from(parts.query) + usize::from(parts.keys);
        usize::from(self.size.1).saturating_sub(around).max(1)
    }

    pub(in crate::ui) fn asks_query(&self) -> bool {
        self.prompt.as_ref().is_some_and(Prompt::is_query)
    }

    pub(in crate::ui) fn has_two_panes(&self) -> bool {
        let is_shown = self.panel.is_open || !self.screen.has_output();
        let is_board = self.screen == ScreenName::Board && !self.panel.is_open;
        let least = if is_board { WIDE } else { TWO_PANES };
        self.size.0 >= least && is_shown && self.selected().is_some()
    }

    /// Returns the columns that a verb has for its output.
    pub(in crate::ui) fn output_columns(&self) -> u16 {
        // A column at either side.
        self.rows_width().saturating_sub(2)
    }

    /// Returns the columns that rows or cards have.
    pub(in crate::ui) fn rows_width(&self) -> u16 {
        let width = u32::from(self.size.0);
        match self.has_two_panes() && !self.parts().is_tiny {
            true => u16::try_from(width * LEFT / 100).unwrap_or(u16::MAX),
            false => self.size.0,
        }
    }

    pub(in crate::ui) fn change_screen(&mut self, screen: ScreenName) {
        if self.screen != screen {
            self.enter_screen(screen);
        }
    }

    pub(in crate::ui) fn enter_screen(&mut self, screen: ScreenName) {
        self.screen = screen;
        self.slipped_at = None;
        self.close_panel();
        self.panel.kind = PanelKind::Issue;
        self.refresh();
    }

    /// Goes to the screen with the next number, or the one before.
    pub(in crate::ui) fn turn_screen(&mut self, does: Does) {
        let at = SCREENS.iter().position(|(.., name)| *name == self.screen);
        let step = match does {
            Does::NextScreen => 1,
            _ => SCREENS.len() - 1,
        };
        let (.., screen) = SCREENS[(at.unwrap_or(0) + step) % SCREENS.len()];
        match screen.has_output() {
            true => self.open_verb_screen(screen),
            false => self.change_screen(screen),
        }
    }

    pub(in crate::ui) fn change_repos(&mut self) {
        if self.here.is_none() {
            "this is no repository: all of them are shown".clone_into(&mut self.message);
            return;
        }
        if self.repos.len() == 1 && !self.is_all {
            "no other repository is listed: git config --global --add beads.repository PATH"
                .clone_into(&mut self.message);
            return;
        }
        self.is_all = !self.is_all;
        self.close_panel();
        self.board = BoardScreen::default();
        self.build_board();
        let first = self.shown_repos().next().unwrap_or(0);
        self.list.begin_again(first);
        self.refresh();
    }
}

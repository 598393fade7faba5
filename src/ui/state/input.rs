//! What was typed: keys of a screen, of what lies over it, or of what is asked for.

use super::{Overlay, PanelKind, Prompt, ScreenName, State};
use crate::desk::keys::{Does, Found, find};
use crate::ui::input::Input;

/// Milliseconds within which keys are of one burst.
const BURST: u64 = 300;

impl State {
    /// Takes what was typed.
    pub(in crate::ui) fn input(&mut self, input: Input) {
        // What comes later is no longer by the act.
        (self.panel.done_at, self.made) = (None, None);
        if let Input::Mouse(mouse) = input {
            self.mouse(mouse);
            return self.settle();
        }
        // What was wrong with a prompt is read while it is mended.
        if self.prompt.is_none() {
            self.message.clear();
        }
        let asked = self.prompt.as_ref().map(|prompt| prompt.title.clone());
        match (input, self.prompt.is_some()) {
            (Input::Paste(text), true) => {
                if let Some(prompt) = &mut self.prompt {
                    prompt.paste(&text);
                }
            }
            // Outside of a field a pasted text is no keys.
            (Input::Paste(_), false) | (Input::Mouse(_), _) => {}
            (Input::Key(key), true) => self.answer_to_prompt(&key),
            (Input::Key(key), false) if self.drop_nothing() && key == "esc" => {}
            (Input::Key(key), false) if self.is_of_refused(&key) => {}
            (Input::Key(key), false) => {
                let before = self.before.take();
                match find(before.as_deref(), &key) {
                    Found::Does(does) => self.act(does),
                    Found::Begins => self.before = Some(key),
                    Found::Nothing => self.own_key(&key),
                }
            }
        }
        if self.prompt.as_ref().map(|prompt| &prompt.title) != asked.as_ref() {
            self.offer_draft();
        }
        self.settle();
    }

    /// Returns whether a key follows one that was refused at once: the rest of a sentence is no keys. Esc always is one.
    fn is_of_refused(&mut self, key: &str) -> bool {
        if let Some(at) = self.refused_at.take()
            && key != "esc"
            && self.up.saturating_sub(at) < BURST
        {
            self.refused_at = Some(self.up);
            "what was typed behind a key that was refused is left out"
                .clone_into(&mut self.message);
            return true;
        }
        false
    }

    /// Refuses a key.
    pub(super) fn refuse(&mut self, why: String) {
        self.message = why;
        self.refused_at = Some(self.up);
    }

    pub(super) fn act(&mut self, does: Does) {
        if self.overlay.is_some() && self.act_on_overlay(does) {
            return;
        }
        match does {
            Does::Down | Does::Up | Does::HalfDown | Does::HalfUp | Does::First | Does::Last => {
                self.go(does);
            }
            Does::Mark | Does::MarkRange | Does::MarkAll => self.mark(does),
            Does::Inbox => self.change_screen(ScreenName::Inbox),
            Does::Board => self.change_screen(ScreenName::Board),
            Does::List => self.change_screen(ScreenName::List),
            Does::Graph => self.open_verb_screen(ScreenName::Graph),
            Does::Log => self.open_verb_screen(ScreenName::Log),
            Does::Stats => self.open_verb_screen(ScreenName::Stats),
            Does::NextScreen | Does::ScreenBefore => self.turn_screen(does),
            Does::Palette => self.open_palette(),
            Does::News => self.open_output(ScreenName::Output, vec!["whats-new".to_owned()]),
            Does::Follow => self.follow(),
            Does::Past => self.refuse(
                "the screens show the present: `:list --at DATE` lists an earlier state".to_owned(),
            ),
            Does::AllRepos => self.change_repos(),
            Does::NextPane | Does::PaneBefore if self.panel.is_open => self.close_panel(),
            Does::NextPane | Does::PaneBefore if self.screen.has_output() => self.go_to_id(does),
            Does::ToPanel | Does::ToRows if self.is_among_cards() => {
                self.go_aside(does == Does::ToPanel);
            }
            Does::Open | Does::ToPanel | Does::NextPane | Does::PaneBefore => self.open_panel(),
            Does::ToRows => self.close_panel(),
            Does::Back => _ = self.go_back(),
            Does::Quit => {
                if !self.go_back() {
                    self.quit();
                }
            }
            Does::QuitNow => self.quit(),
            Does::Query => self.prompt = Some(Prompt::query(&self.list.query)),
            Does::Saved => self.ask_saved(),
            Does::Arrange => self.arrange(),
            Does::Change => self.show_change(),
            Does::Sync => self.sync(),
            Does::Shell => self.shell(),
            Does::InBrowser => self.show_in_browser(),
            Does::Help => self.overlay = Some(Overlay::Help { top: 0 }),
            Does::Mouse => self.turn_mouse(),
            Does::Suspend => self.wants_suspend = true,
            Does::Redraw => self.wants_redraw = true,
            // All else is about an issue.
            _ => self.begin_act(does),
        }
    }

    fn is_among_cards(&self) -> bool {
        self.screen == ScreenName::Board && !self.panel.is_open
    }

    /// Leaves, but not while an act is on its way, unless that is asked for twice.
    pub(super) fn quit(&mut self) {
        self.is_over = self.acting.is_empty() || self.has_asked_to_quit;
        if !self.is_over {
            self.has_asked_to_quit = true;
            "saving: the same key again leaves without knowing whether it was saved"
                .clone_into(&mut self.message);
        }
    }

    /// Goes back by one; returns false where there is nothing to go back from.
    fn go_back(&mut self) -> bool {
        if !self.marks.is_empty() {
            self.marks.clear();
            return true;
        }
        if self.panel.is_open {
            self.close_panel();
        } else if self.panel.kind == PanelKind::Change {
            self.panel.kind = PanelKind::Issue;
        } else if self.screen.has_output() {
            self.leave_output();
        } else if self.screen != self.first {
            self.change_screen(self.first);
        } else {
            return false;
        }
        true
    }
}

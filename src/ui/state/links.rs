//! Links of an issue with others, and the exchange with a remote.

use serde_json::json;

use super::State;
use super::prompt::{Choice, Offer, Prompt, Then};
use super::target::Target;
use crate::ui::asks::{Ask, Links};

/// The member of an act for the issue that one is part of.
const PARENT: &str = "parent";

impl State {
    /// Returns the menu of links; the issues that they can lead to are asked for meanwhile.
    pub(super) fn link_menu(&mut self, target: &Target) -> Prompt {
        self.send(target.repo, Some(Ask::Links(target.uid)));
        let id = &target.id;
        let rows = [
            ('w', "waits for", "on", json!({"act": "dep_add", "id": id})),
            ('b', "blocks", "id", json!({"act": "dep_add", "on": [id]})),
            (
                'p',
                "is part of",
                PARENT,
                json!({"act": "update", "ids": [id]}),
            ),
            (
                'r',
                "is related to",
                "on",
                json!({"act": "dep_add", "id": id, "type": "related"}),
            ),
            (
                'x',
                "no longer waits for",
                "on",
                json!({"act": "dep_rm", "id": id}),
            ),
        ];
        let choices = rows.map(|(key, words, member, act)| {
            let prompt = Prompt::text(format!("{id} {words}"), act, member);
            let prompt = match member {
                // An empty text ends that.
                PARENT => prompt.can_be_empty(),
                "on" => prompt.listed(),
                _ => prompt,
            };
            let offer = if key == 'x' {
                Offer::Links
            } else {
                Offer::Others
            };
            Choice {
                key: Some(key),
                words: words.to_owned(),
                then: Then::Prompt(Box::new(prompt.offering(offer).of(target.clone()))),
            }
        });
        Prompt::menu(format!("{id}: links"), choices.into())
    }

    /// Takes the links of an issue: the choices of the prompt that waits for them, or of those behind a menu.
    pub(super) fn take_links(&mut self, repo: usize, links: &Links) {
        let Some(prompt) = &mut self.prompt else {
            return;
        };
        if let Some(target) = prompt.target.clone().filter(|target| target.repo == repo) {
            prompt.take_links(&target.id, links);
        }
    }

    /// Exchanges with the remote of a repository.
    pub(super) fn sync(&mut self) {
        let Some(repo) = self.meant_repo() else {
            return self.refuse("which repository? select one of its issues".to_owned());
        };
        self.message = self.named(repo, "exchanging with the remote");
        if !self.repos[repo].is_syncing {
            self.repos[repo].is_syncing = true;
            self.send(repo, Some(Ask::Sync));
        }
    }

    /// Takes what an exchange has come to.
    pub(super) fn take_synced(&mut self, repo: usize, said: &str) {
        self.repos[repo].is_syncing = false;
        self.message = self.named(repo, said);
    }
}

impl Prompt {
    fn take_links(&mut self, id: &str, links: &Links) {
        match self.offer {
            Some(Offer::Others) => self.choices = others(links),
            Some(Offer::Links) => self.choices = removals(id, links),
            None => {
                for choice in &mut self.choices {
                    if let Then::Prompt(prompt) = &mut choice.then {
                        prompt.take_links(id, links);
                    }
                }
            }
        }
    }
}

/// Returns the issues to choose from.
fn others(links: &Links) -> Vec<Choice> {
    let others = links.others.iter().map(|head| Choice {
        key: None,
        words: format!("{} {}", head.summary.id, head.summary.title),
        then: Then::Text(head.summary.id.clone()),
    });
    others.collect()
}

/// Returns the links that can be removed.
fn removals(id: &str, links: &Links) -> Vec<Choice> {
    let removals = links.own.iter().map(|link| Choice {
        key: None,
        words: format!(
            "{} {} {}",
            link.kind,
            link.id,
            link.title.as_deref().unwrap_or_default()
        ),
        then: Then::Act(json!({"act": "dep_rm", "id": id, "on": [link.id], "type": link.kind})),
    });
    removals.collect()
}

//! The message of an operation's commit.

use super::Tracker;
use crate::model::{StatusChanges, Uid, status_change};
use crate::store::Message;

/// More issues than this in one commit are not listed in its trailer.
const MOST_LISTED: usize = 100;
/// The trailer of the agent that acted.
pub(in crate::ops) const AGENT: &str = "Agent";
/// The trailer of a commit that yields, one for each claim: the uid of the issue and whose claim gave way; the uid alone
/// where it had given way before.
pub(in crate::ops) const YIELD: &str = "Yield";
/// The trailer of a commit that upholds what was done under a claim that holds, one for each issue: its uid.
pub(in crate::ops) const UPHELD: &str = "Upheld";

impl Tracker {
    /// Returns the message of an operation's commit: what was done, in which issues, by whom and why.
    pub(in crate::ops) fn message(
        &self,
        subject: &str,
        touched: &[Uid],
        turns: &StatusChanges,
    ) -> Message {
        let listed: Vec<String> = touched.iter().map(ToString::to_string).collect();
        let bulk = touched.len() > MOST_LISTED;
        // `*` sends readers of the log to the trees; `undo` takes it for a bulk operation.
        let issues = if bulk {
            "*".to_owned()
        } else {
            listed.join(" ")
        };
        let turned = if bulk {
            String::new()
        } else {
            turns.to_trailer()
        };
        let actor = self.actor().to_owned();
        let named = [
            ("Issues", issues),
            ("Actor", actor),
            (status_change::TRAILER, turned),
        ];
        let mut trailers: Vec<(String, String)> =
            named.map(|(key, value)| (key.to_owned(), value)).into();
        // Without `Issues` a commit may have changed the store alone: who must know looks into its trees.
        trailers.retain(|(_, value)| !value.is_empty());
        let agent = self.agent().map(|agent| agent.name.clone());
        trailers.extend(agent.map(|name| (AGENT.to_owned(), name)));
        trailers.extend(self.caller.context.trailers());
        Message {
            subject: subject.chars().take(200).collect(),
            trailers,
        }
    }
}

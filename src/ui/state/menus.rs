//! The menus of what is copied of an issue, and of the values that the list is narrowed by.

use super::prompt::{Choice, Prompt, Then};
use super::target::Target;
use super::{ScreenName, Shown, State};
use crate::model::query::{ParsedQuery, QueryWord, UnknownKeys, exact_term, parse};
use crate::ops::Command;
use crate::ops::shared::current_branch::plain_name;

/// The orders that a key asks for: each with the other way round, which it asks for again.
const ORDERS: [(char, &str, &str); 5] = [
    ('p', "priority", "priority-desc"),
    ('u', "updated", "updated-asc"),
    ('c', "created", "created-asc"),
    ('d', "due", "due-desc"),
    ('t', "title", "title-desc"),
];
/// What a key puts issues together by.
const GROUPS: [(char, &str); 4] = [
    ('A', "assignee"),
    ('P', "priority"),
    ('T', "type"),
    ('O', "parent"),
];

impl State {
    /// Asks for the order of list and board, and for what issues are put together by.
    pub(super) fn arrange(&mut self) {
        if !matches!(self.screen, ScreenName::List | ScreenName::Board) {
            return self.refuse("`O` orders list and board: `3`, `2`".to_owned());
        }
        let parsed = match self.list.query.trim() {
            "" => Ok(ParsedQuery::default()),
            text => parse(text, UnknownKeys::Refused),
        };
        let Ok(query) = parsed else {
            return self.refuse("the query can't be read: `/` changes it".to_owned());
        };
        let word = |text: &str| {
            let text = text.to_owned();
            Some(QueryWord {
                text,
                ..QueryWord::default()
            })
        };
        let now = query.sort.as_ref().map(|it| it.text.clone());
        let mut choices = Vec::new();
        for (key, order, other) in ORDERS {
            let order = if now.as_deref() == Some(order) {
                other
            } else {
                order
            };
            let mut query = query.clone();
            query.sort = word(order);
            choices.push((key, format!("sort:{order}"), query));
        }
        for (key, group) in GROUPS {
            let mut query = query.clone();
            query.group = word(group);
            choices.push((key, format!("group:{group}"), query));
        }
        let mut plain = query;
        (plain.sort, plain.group) = (None, None);
        choices.push(('-', "as usual".to_owned(), plain));
        let choices = choices.into_iter().map(|(key, words, query)| Choice {
            key: Some(key),
            words,
            then: Then::Query(query.to_string()),
        });
        self.prompt = Some(Prompt::menu(
            "order and groups".to_owned(),
            choices.collect(),
        ));
    }

    /// Returns the menu of what can be copied.
    pub(super) fn copy_menu(&self, target: &Target) -> Prompt {
        let (id, title) = (&target.id, self.title_of(target));
        let mut texts = vec![
            ('y', id.clone()),
            ('s', Command::of("start").id(id).to_string()),
            ('t', title.clone()),
            ('b', plain_name(id, &title)),
            ('c', format!("Closes: {id}")),
        ];
        if let Some(Shown::Issue(issue)) = self.panel_shown()
            && let Some(link) = &issue.issue.fields.external_ref
        {
            texts.push(('l', link.clone()));
        }
        let choices = texts.into_iter().map(|(key, text)| Choice {
            key: Some(key),
            words: text.clone(),
            then: Then::Copy(text),
        });
        Prompt::menu(format!("copy of {id}"), choices.collect())
    }

    /// Lets the terminal copy a text. It may be pasted into a shell, which would run what is behind the end of a line.
    pub(super) fn copy(&mut self, text: &str) {
        let text = text.replace(char::is_control, " ");
        self.message = format!("copied: {text}");
        self.copied = Some(text);
    }

    /// Returns the menu of the values of an issue that the list can be narrowed by.
    pub(super) fn narrow_menu(&mut self, target: &Target) -> Option<Prompt> {
        let Some(head) = self.head_of(target) else {
            self.refuse(format!("{}: Enter opens it first", target.id));
            return None;
        };
        let issue = &head.summary;
        let mut terms = vec![
            ('p', format!("priority:{}", issue.priority)),
            ('t', exact_term("type", &issue.kind)),
        ];
        let assignee = issue.assignee.as_ref();
        terms.extend(assignee.map(|name| ('a', exact_term("assignee", name))));
        let parent = issue.parent.as_ref();
        terms.extend(parent.map(|id| ('o', exact_term("parent", id))));
        let labels = ('1'..='9').zip(&issue.labels);
        terms.extend(labels.map(|(key, label)| (key, exact_term("label", label))));
        let before = match self.screen {
            ScreenName::List => self.list.query.as_str(),
            _ => "",
        };
        let choices = terms.into_iter().map(|(key, term)| Choice {
            key: Some(key),
            then: Then::Query(format!("{before} {term}").trim().to_owned()),
            words: term,
        });
        let title = format!("list the issues with this of {}", target.id);
        Some(Prompt::menu(title, choices.collect()))
    }
}

//! What the pages ask of a repository.

use hyper::StatusCode;
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;

use crate::desk::acts::{SentAct, exchange, perform_sent};
use crate::desk::feed::Question;
use crate::ops::act::Acted;
use crate::ops::scene::inbox::{Inbox, inbox};
use crate::ops::scene::scene;
use crate::ops::verbs::whats_new::{Look, whats_new};
use crate::ops::{Code, Error, ExitClass, Result, Retry, Tracker};

/// A question about a repository.
#[derive(Clone, Debug)]
pub(super) enum PageAsk {
    Inbox,
    Scene(Call),
    Act(Call, Box<SentAct>),
    /// An exchange with the remote.
    Sync(Call),
    /// That the user has seen what is new.
    Looked(Call),
}

/// A scene or an act that a page asks for, and the way back to it.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) asked: Value,
    pub(super) is_act: bool,
    pub(super) reply: Sender<Reply>,
}

/// What is answered, as JSON, or the reason for which nothing is.
pub(super) type Reply = std::result::Result<String, (StatusCode, Error)>;

/// The answer to a question.
#[derive(Clone, Debug)]
pub(super) enum PageAnswer {
    Inbox(Box<Inbox>),
    Reply(Reply),
    Acted(Box<Acted>),
    Refused(StatusCode, Error),
}

impl Call {
    /// Answers. A page that has gone waits for nothing.
    pub(super) fn answer(&self, reply: Reply) {
        let _ = self.reply.try_send(reply);
    }
}

impl Question for PageAsk {
    type Answer = PageAnswer;

    fn is_act(&self) -> bool {
        matches!(self, Self::Act(..))
    }

    fn is_long(&self) -> bool {
        matches!(self, Self::Sync(_))
    }

    fn answer(&self, tracker: &Tracker) -> Result<PageAnswer> {
        let found = match self {
            Self::Inbox => return Ok(PageAnswer::Inbox(Box::new(inbox(tracker, false)?))),
            Self::Scene(call) => scene_of(tracker, call).map(|found| PageAnswer::Reply(Ok(found))),
            Self::Act(_, sent) => {
                perform_sent(tracker, sent).map(|acted| PageAnswer::Acted(Box::new(acted)))
            }
            Self::Sync(_) => exchange(tracker).map(|text| said(&text)),
            Self::Looked(_) => {
                let look = Look {
                    limit: 1,
                    ..Look::default()
                };
                whats_new(tracker, &look).map(|_| said("seen: what comes now is new"))
            }
        };
        match found {
            // The thread opens it again and asks once more.
            Err(error) if error.retry() == Retry::ReopenRepository => Err(error),
            Err(error) => {
                let status = match error.code {
                    Code::NotFound => StatusCode::NOT_FOUND,
                    _ if error.class() == ExitClass::Conflict => StatusCode::CONFLICT,
                    _ => StatusCode::BAD_REQUEST,
                };
                Ok(PageAnswer::Refused(status, error))
            }
            Ok(answer) => Ok(answer),
        }
    }
}

fn said(text: &str) -> PageAnswer {
    PageAnswer::Reply(Ok(json!({"said": text}).to_string()))
}

fn scene_of(tracker: &Tracker, call: &Call) -> Result<String> {
    let mut asked = call.asked.clone();
    let mut name = Value::Null;
    if let Some(asked) = asked.as_object_mut() {
        asked.remove("repo");
        name = asked.remove("scene").unwrap_or_default();
    }
    let found = scene(tracker, name.as_str().unwrap_or_default(), asked)?;
    Ok(found.to_string())
}

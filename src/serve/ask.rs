//! What the pages ask of a repository.

use hyper::StatusCode;
use serde_json::Value;
use tokio::sync::mpsc::Sender;

use crate::desk::feed::Question;
use crate::ops::scene::inbox::{Inbox, inbox};
use crate::ops::scene::scene;
use crate::ops::{Code, Error, Result, Retry, Tracker};

/// A question about a repository.
#[derive(Clone, Debug)]
pub(super) enum PageAsk {
    Inbox,
    Scene(Call),
}

/// A scene that a page asks for, and the way back to it.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) asked: Value,
    pub(super) reply: Sender<Reply>,
}

/// A scene as JSON, or the reason for which there is none.
pub(super) type Reply = std::result::Result<String, (StatusCode, Error)>;

/// The answer to a question.
#[derive(Clone, Debug)]
pub(super) enum PageAnswer {
    Inbox(Box<Inbox>),
    Scene(Reply),
}

impl Question for PageAsk {
    type Answer = PageAnswer;

    fn is_act(&self) -> bool {
        false
    }

    fn answer(&self, tracker: &Tracker) -> Result<PageAnswer> {
        let Self::Scene(call) = self else {
            return Ok(PageAnswer::Inbox(Box::new(inbox(tracker, false)?)));
        };
        let mut asked = call.asked.clone();
        let mut name = Value::Null;
        if let Some(asked) = asked.as_object_mut() {
            asked.remove("repo");
            name = asked.remove("scene").unwrap_or_default();
        }
        let found = scene(tracker, name.as_str().unwrap_or_default(), asked);
        match found {
            // The thread opens it again and asks once more.
            Err(error) if error.retry() == Retry::ReopenRepository => Err(error),
            Err(error) => {
                let status = match error.code {
                    Code::NotFound => StatusCode::NOT_FOUND,
                    _ => StatusCode::BAD_REQUEST,
                };
                Ok(PageAnswer::Scene(Err((status, error))))
            }
            Ok(scene) => Ok(PageAnswer::Scene(Ok(scene.to_string()))),
        }
    }
}

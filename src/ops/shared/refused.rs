//! Errors about states that were left alone at the door.

use crate::ops::{Code, Command, Error, Hint};
use crate::store::StoreError;
use crate::store::door::Refused;

/// Returns the error about a state of a remote, or of another place; `adopt` says how its store can be joined although it was
/// begun separately.
pub(crate) fn refused_from(who: &str, refused: Refused, adopt: Vec<Hint>) -> Error {
    match refused {
        Refused::Stranger { ours, theirs } => {
            let message = format!(
                "{who} keeps another store ({theirs}) than this repository ({ours}): they were created separately"
            );
            Error {
                hints: adopt,
                ..Error::new(Code::StoreMismatch, message)
            }
        }
        Refused::Cut => without_rest(format!(
            "what these issues and those of {who} have in common is not here: the history is cut"
        )),
        refused => StoreError::from(refused).into(),
    }
}

/// Returns an error about a history of which a part is missing here.
pub(crate) fn without_rest(message: String) -> Error {
    let whole = Command::of("fetch").flag("--unshallow").flag("--remote");
    let whole = whole.placeholder("NAME");
    Error::new(Code::Cut, message).hinted(whole.then(" brings it from a remote that has all of it"))
}

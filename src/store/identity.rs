//! Author and committer, as git has them.

use super::Store;

/// The person who writes, as git knows them.
#[derive(Clone, Copy)]
pub(crate) struct Identity<'s> {
    store: &'s Store,
}

impl Store {
    /// Returns the person who writes, as git knows them.
    pub(crate) fn identity(&self) -> Identity<'_> {
        Identity { store: self }
    }
}

impl Identity<'_> {
    /// Returns the user's name as git knows it.
    pub(crate) fn user_name(self) -> Option<String> {
        self.name("AUTHOR")
    }

    /// Returns true if git knows who the user is.
    pub(crate) fn is_known(self) -> bool {
        self.user_name().is_some()
    }

    /// Git's identity, else a placeholder: a missing one never fails a write.
    pub(super) fn signature(self, role: &str) -> gix::actor::Signature {
        let clean = |text: String| text.replace(['<', '>', '\n'], "").trim().to_owned();
        let (name, email) = match self.who(role) {
            (Some(name), email) => (clean(name), email.map(clean).unwrap_or_default()),
            (None, _) => ("git-beads".to_owned(), "git-beads@localhost".to_owned()),
        };
        let seconds = i64::try_from(self.store.env().now() / 1000).unwrap_or(0);
        gix::actor::Signature {
            name: name.into(),
            email: email.into(),
            time: gix::date::Time { seconds, offset: 0 },
        }
    }

    /// Name and email of an `AUTHOR` or `COMMITTER`, in git's order of precedence.
    ///
    /// Not by gix, which learns the local time zone on the way: that reads a hundred files.
    fn who(self, role: &str) -> (Option<String>, Option<String>) {
        let email = self
            .find(role, "email")
            .or_else(|| self.store.env().var("EMAIL"));
        let email = email.filter(|text| !text.trim().is_empty());
        (self.name(role), email)
    }

    fn name(self, role: &str) -> Option<String> {
        let name = self.find(role, "name");
        name.filter(|text| !text.trim().is_empty())
    }

    fn of_environment(self, what: &str) -> Option<String> {
        let user = self.store.env().identity()?;
        Some(match what {
            "name" => user.name.clone(),
            _ => user.email.clone(),
        })
    }

    fn find(self, role: &str, what: &str) -> Option<String> {
        let from_env = self
            .store
            .env()
            .var(&format!("GIT_{role}_{}", what.to_uppercase()));
        from_env
            .or_else(|| {
                self.store
                    .config(&format!("{}.{what}", role.to_lowercase()))
            })
            .or_else(|| self.store.config(&format!("user.{what}")))
            .or_else(|| self.of_environment(what))
    }
}

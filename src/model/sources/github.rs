//! GitHub's issues, as `gh issue list --json`, `gh issue view --json` and `gh api` write them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{MILESTONE, NewId, SourceFile, SourceIssue, SourceKey, blocked_by};
use crate::model::Status;
use crate::model::limits::{MAX_LABEL, MAX_TITLE, line};

/// The author of what the host does not name any more.
const GHOST: &str = "ghost";

/// Parts of an issue that have no place here; they are counted where they say something.
const NOT_TAKEN: [(&str, &str); 7] = [
    ("reactionGroups", "reactions"),
    ("projectItems", "projects"),
    ("projectCards", "projects"),
    (
        "closedByPullRequestsReferences",
        "pull requests that close it",
    ),
    ("isPinned", "pins"),
    ("locked", "locks"),
    ("draft", "drafts"),
];

/// Returns whether a value is an issue, a pull request or a comment of GitHub.
pub(crate) fn is_github(item: &Value) -> bool {
    let has = |key: &str| item.get(key).is_some();
    let is_issue = has("title") && (has("number") || has("stateReason") || has("createdAt"));
    is_issue || (has("number") && has("body")) || (has("issue_url") && has("body"))
}

/// Reads the elements of a file.
pub(crate) fn read(items: impl IntoIterator<Item = Result<Value, String>>) -> SourceFile {
    let mut reader = Reader::default();
    reader.file.kind = "GitHub";
    for (at, item) in (1..).zip(items) {
        let item = item.map_err(|why| format!("not JSON: {why}"));
        if let Err(why) = item.and_then(|item| reader.read(at, &item)) {
            reader.file.faults.push((at, why));
        }
    }
    reader.finish()
}

/// The elements of a file so far.
#[derive(Default)]
struct Reader {
    file: SourceFile,
    /// The elements of each issue: pages can overlap.
    places: BTreeMap<SourceKey, Vec<usize>>,
    /// The parents that list their children, by child.
    parents: BTreeMap<SourceKey, SourceKey>,
    /// Comments that are elements of their own.
    comments: BTreeMap<SourceKey, Vec<Value>>,
    /// Issues of which the file has the number of comments alone.
    untold: BTreeSet<SourceKey>,
}

impl Reader {
    fn read(&mut self, at: usize, item: &Value) -> Result<(), String> {
        if let Some(issue) = text(item, "issue_url") {
            let key = key_of(issue).ok_or_else(|| no_issue(issue))?;
            self.comments.entry(key).or_default().push(comment(item));
            return Ok(());
        }
        let address = address_of(item)
            .ok_or("it has no `url`, which says its repository: name it in --json")?;
        let is_pull = item.get("pull_request").is_some_and(|it| !it.is_null());
        if is_pull || address_parts(address).is_some_and(|it| it.kind == "pull") {
            self.file.leave_out("pull requests", 1);
            return Ok(());
        }
        let key = key_of(address).ok_or_else(|| no_issue(address))?;
        self.count_rest(item);
        let labels = names(&item["labels"], "name");
        let long = labels
            .iter()
            .filter(|label| label.chars().count() > MAX_LABEL);
        self.file
            .leave_out("labels over 120 characters", long.count());
        if item["comments"].as_u64().is_some_and(|count| count > 0) {
            self.untold.insert(key.clone());
        }
        let children = nodes(&item["subIssues"]).filter_map(|it| key_of(address_of(it)?));
        self.parents
            .extend(children.map(|child| (child, key.clone())));
        let mut record = record(item, address);
        if let Some(comments) = item["comments"].as_array() {
            record.insert(
                "comments".to_owned(),
                comments.iter().map(comment).collect(),
            );
        }
        let places = self.places.entry(key.clone()).or_default();
        places.push(self.file.issues.len());
        self.file.issues.push(SourceIssue {
            id: NewId::Numbered,
            key,
            record,
            at,
        });
        Ok(())
    }

    /// Counts what an element says and has no place here.
    fn count_rest(&mut self, item: &Value) {
        for (name, what) in NOT_TAKEN {
            let says = match &item[name] {
                Value::Array(parts) => !parts.is_empty(),
                Value::Bool(it) => *it,
                _ => false,
            };
            self.file.leave_out(what, usize::from(says));
        }
        let assignees = names(&item["assignees"], "login").len();
        let further = assignees.saturating_sub(1);
        self.file.leave_out("further assignees", further);
    }

    fn finish(mut self) -> SourceFile {
        // A parent that lists its children says it of those that do not.
        for (child, parent) in self.parents {
            for at in self.places.get(&child).into_iter().flatten() {
                let record = &mut self.file.issues[*at].record;
                let said = record.entry("parent");
                said.or_insert_with(|| json!(parent.to_string()));
            }
        }
        for (key, said) in self.comments {
            let Some(places) = self.places.get(&key) else {
                let what = "comments on what is not in the file";
                self.file.leave_out(what, said.len());
                continue;
            };
            self.untold.remove(&key);
            for at in places {
                let record = &mut self.file.issues[*at].record;
                let all = record.entry("comments").or_insert_with(|| json!([]));
                if let Some(all) = all.as_array_mut() {
                    all.extend(said.clone());
                }
            }
        }
        let what = "issues whose comments are not in the file";
        self.file.leave_out(what, self.untold.len());
        self.file
    }
}

fn no_issue(address: &str) -> String {
    format!("`{}` is no address of an issue", line(address, MAX_TITLE))
}

/// Returns the record of an issue, with the keys that the element has.
fn record(item: &Value, address: &str) -> Map<String, Value> {
    let mut record = Map::new();
    let mut put = |key: &str, value: Value| _ = record.insert(key.to_owned(), value);
    put("external_ref", json!(web_address(address)));
    if let Some(title) = text(item, "title") {
        put("title", json!(title));
    }
    if let Some(body) = item.get("body") {
        put(
            "description",
            body.as_str().map_or(Value::Null, |body| json!(lines(body))),
        );
    }
    if let Some(state) = text(item, "state") {
        let is_closed = state.eq_ignore_ascii_case("closed");
        let status = if is_closed {
            Status::Closed
        } else {
            Status::Open
        };
        put("status", json!(status.as_str()));
        let reasons = ["stateReason", "state_reason"];
        if let Some(reason) = reasons.into_iter().find_map(|key| item.get(key)) {
            let reason = reason.as_str().filter(|it| is_closed && !it.is_empty());
            let reason = reason.map(|it| it.to_lowercase().replace('_', " "));
            put("close_reason", json!(reason));
        }
    }
    if let Some(labels) = item.get("labels") {
        put("labels", names(labels, "name").into());
    }
    if let Some(milestone) = item.get("milestone") {
        let title = text(milestone, "title").map(|title| format!("milestone:{title}"));
        put(MILESTONE, json!(title));
    }
    if item.get("assignees").is_some() {
        let first = names(&item["assignees"], "login").into_iter().next();
        put("assignee", json!(first));
    }
    if let Some(kind) = ["issueType", "type"]
        .into_iter()
        .find_map(|key| item.get(key))
    {
        put(
            "issue_type",
            json!(text(kind, "name").map(str::to_lowercase)),
        );
    }
    put("created_by", json!(author(item)));
    put_times(&mut record, item);
    put_links(&mut record, item);
    record
}

fn put_times(record: &mut Map<String, Value>, item: &Value) {
    for (name, keys) in [
        ("created_at", ["createdAt", "created_at"]),
        ("updated_at", ["updatedAt", "updated_at"]),
        ("closed_at", ["closedAt", "closed_at"]),
    ] {
        if let Some(time) = keys.into_iter().find_map(|key| text(item, key)) {
            record.insert(name.to_owned(), json!(time));
        }
    }
}

/// Adds the parent, and what the issue waits for.
fn put_links(record: &mut Map<String, Value>, item: &Value) {
    let parent = address_of(&item["parent"]).or_else(|| text(item, "parent_issue_url"));
    if let Some(parent) = parent.and_then(key_of) {
        record.insert("parent".to_owned(), json!(parent.to_string()));
    } else if ["parent", "parent_issue_url"]
        .iter()
        .any(|key| item.get(*key).is_some_and(Value::is_null))
    {
        record.insert("parent".to_owned(), Value::Null);
    }
    if let Some(blockers) = item.get("blockedBy") {
        let keys = nodes(blockers).filter_map(|it| key_of(address_of(it)?));
        let edges = keys.map(|key| blocked_by(&key.to_string())).collect();
        record.insert("dependencies".to_owned(), edges);
    }
}

fn comment(item: &Value) -> Value {
    let created = ["createdAt", "created_at"]
        .into_iter()
        .find_map(|key| text(item, key));
    json!({
        "author": author(item),
        "created_at": created.unwrap_or_default(),
        "text": lines(text(item, "body").unwrap_or_default()),
    })
}

fn author(item: &Value) -> &str {
    let login = ["author", "user"]
        .into_iter()
        .find_map(|key| text(&item[key], "login"));
    login.filter(|login| !login.is_empty()).unwrap_or(GHOST)
}

/// The parts of an address: `https://HOST/OWNER/REPOSITORY/issues/NUMBER`, also of the API.
struct AddressParts<'a> {
    host: &'a str,
    owner: &'a str,
    repository: &'a str,
    kind: &'a str,
    number: &'a str,
}

fn address_parts(address: &str) -> Option<AddressParts<'_>> {
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|scheme| address.strip_prefix(scheme))?;
    let rest = rest.split(['#', '?']).next()?;
    let mut parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    let number = parts.pop().filter(|number| number.parse::<u64>().is_ok())?;
    let (kind, repository, owner) = (parts.pop()?, parts.pop()?, parts.pop()?);
    let host = parts.first()?;
    // Without the name of an account.
    let host = host.rsplit('@').next()?;
    Some(AddressParts {
        host: host.strip_prefix("api.").unwrap_or(host),
        owner,
        repository,
        kind,
        number,
    })
}

/// Returns the issue of an address.
pub(crate) fn key_of(address: &str) -> Option<SourceKey> {
    let parts = address_parts(address).filter(|parts| parts.kind == "issues")?;
    let project = format!("{}/{}", parts.owner, parts.repository);
    Some(SourceKey::new(parts.host, &project, parts.number))
}

/// Returns the address of the page of an issue.
fn web_address(address: &str) -> String {
    match address_parts(address) {
        Some(it) => format!(
            "https://{}/{}/{}/issues/{}",
            it.host, it.owner, it.repository, it.number
        ),
        None => address.to_owned(),
    }
}

fn address_of(item: &Value) -> Option<&str> {
    text(item, "html_url").or_else(|| text(item, "url"))
}

/// Returns the parts of a list, which a query wraps into `nodes`.
fn nodes(value: &Value) -> impl Iterator<Item = &Value> {
    let list = value.as_array().or_else(|| value["nodes"].as_array());
    list.into_iter().flatten()
}

/// Returns the names in a list of objects or texts.
fn names(list: &Value, key: &str) -> Vec<String> {
    nodes(list)
        .filter_map(|it| it.as_str().or_else(|| it[key].as_str()).map(str::to_owned))
        .collect()
}

fn text<'v>(item: &'v Value, key: &str) -> Option<&'v str> {
    item.get(key)?.as_str()
}

/// Returns a text with the line ends that texts have here.
pub(super) fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

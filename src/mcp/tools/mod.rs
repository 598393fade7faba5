//! The one list of tools: name, domain, access, operation, and description for models. A tool that
//! is added here is in every profile, index and reference it belongs to.
//!
//! Every byte of the texts is paid for in every session; a test counts them.

pub(crate) mod bd;
mod collect;
pub(super) mod does;
mod homes;
pub(super) mod instructions;
pub(super) mod names;
mod place;
mod prompts;
pub(crate) mod task;
mod wait;

use schemars::JsonSchema;
use serde::Deserialize;

use super::facts::{Access, Domain, Meta, Resource, Set};
use super::meta::{CallToolRequest, GetTools, Info};
use super::tool::{Tool, tracked};
use super::use_tools::UseTools;
use crate::ops::answer::envelope;
use crate::ops::verbs::{carry, conflicts, context, resolve, sync};

/// Arguments of a tool that has none.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Nothing {}

/// The argument of the tools of `beads-mcp` for the issue that a call is about.
const ISSUE: &str = "issue_id";

pub(super) fn tools() -> Vec<Tool> {
    let lists = [
        task_tools(),
        planning_tools(),
        query_tools(),
        edit_tools(),
        context_tools(),
        exchange_tools(),
        meta_tools(),
        prompts(),
    ];
    lists.into_iter().flatten().collect()
}

/// Returns the tools of the `task` profile that are called most.
fn task_tools() -> Vec<Tool> {
    use Access::{Read, Write};
    vec![
        Tool::task("task_status", Read, task::status).says(
            "Show one issue, or without id all in progress. view=meta adds description, design, acceptance, cut \
                 at meta_max_chars (400; 0: whole), memory_limit=N the newest findings and decisions. \
                 wait=N waits up to 50 seconds for changes.",
            "task_status(id=\"bd-a1b2\", view=\"meta\", memory_limit=5)",
        )
        .on("id")
        .does(&[does::CHANGES_OF_ISSUE, does::SHOW])
        .homes(homes::STATUS)
        .loaded(),
        Tool::task("task_list", Read, task::list).says(
            "Find issues, by default ready ones. Over 20 return a preview; limit a page.",
            "task_list(mode=\"list\", query=\"is:open p:<=1 -label:x\")",
        )
        .names(&["parent"])
        .does(&[
                does::READY,
                does::LIST,
                does::BLOCKED,
            ])
        .homes(homes::LIST)
        .loaded(),
        Tool::task("task_start", Write, tracked(task::start)).says(
            "Claim an issue, or make an epic of user_request.",
            "task_start(id=\"bd-a1b2\")",
        )
        .forced()
        .on("id")
        .names(&["parent"])
        .does(&[does::READY_CLAIM, does::START])
        .homes(homes::START)
        .loaded(),
        Tool::task("task_progress", Write, tracked(task::progress)).says(
            "Record findings and decisions, set status, file work, ask a person.",
            "task_progress(id=\"bd-a1b2\", decisions=[\"Use LRU cache: bounded memory\"])",
        )
        .forced()
        .on("id")
        .does(&[does::ASK, does::NOTE])
        .homes(homes::PROGRESS)
        .loaded(),
    ]
}

/// Returns the tools of that profile that plan work and end it.
fn planning_tools() -> Vec<Tool> {
    use Access::Write;
    vec![
        Tool::task("task_update_meta", Write, tracked(task::update_meta)).says(
            "Replace fields; \"\" clears.",
            "task_update_meta(id=\"bd-a1b2\", design=\"LRU in front of DB\")",
        )
        .on("id")
        .names(&["parent"])
        .homes(homes::UPDATE_META),
        Tool::task("task_decompose", Write, tracked(task::decompose)).says(
            "Split an epic into children. description WHAT, design HOW, acceptance DONE. Prefer \
                 2-7, each 0.5-2 hours; split by deliverable behavior, not by phase; depend \
                 only when truly blocked, no serial chains. A single child is started.",
            "task_decompose(epic_id=\"bd-a1b2\", sub_issues=[{\"title\": \"Add cache\", \"description\": \
                 \"Add cache layer\", \"design\": \"LRU map\", \"acceptance\": \"Hit and miss verified\"}])",
        )
        .on("epic_id")
        .homes(homes::DECOMPOSE),
        Tool::task("task_create", Write, tracked(task::create)).says(
            "Create an issue or epic.",
            "task_create(title=\"Add cache\", description=\"Add cache layer\", design=\"LRU map\", \
                 acceptance=\"Hit and miss verified\", parent=\"bd-a1b2\")",
        )
        .names(&["parent", "depends_on"]),
        Tool::task("task_link", Write, tracked(task::link)).says(
            "Make an issue depend on others. Only blocks (default) affects readiness.",
            "task_link(id=\"bd-a1b2.3\", depends_on=[\"bd-a1b2.1\", \"bd-a1b2.2\"])",
        )
        .on("id")
        .names(&["depends_on"])
        .does(&[does::DEP])
        .homes(homes::LINK),
        Tool::task("task_done", Write, tracked(task::done)).says(
            "Close an issue with evidence; the last open child closes its epic.",
            "task_done(id=\"bd-a1b2.1\", reason=\"Completed\")",
        )
        .forced()
        .on("id")
        .does(&[does::DONE])
        .homes(homes::DONE)
        .loaded(),
        Tool::task("task_reopen", Write, tracked(task::reopen))
            .says("Reopen an issue.", "task_reopen(id=\"bd-a1b2\", reason=\"Regression found\")")
        .on("id")
        .does(&[does::REOPEN]),
        Tool::task("task_undo", Write, tracked(task::undo_last))
            .says("Undo your last change, or the last on id.", "task_undo(id=\"bd-a1b2\")")
        .on("id")
        .or_last(),
    ]
}

fn query_tools() -> Vec<Tool> {
    use Access::Read;
    use Domain::Query;
    vec![
        Tool::bare("ready", Query, Read, bd::ready)
            .only(Set::Alias)
            .says(
                "Find ready issues; over 20 return a preview",
                "ready(limit=10, priority=1)",
            ),
        Tool::bare("list", Query, Read, bd::list)
            .only(Set::Alias)
            .says(
                "List issues by status, priority, type, assignee, labels",
                "list(status=\"open\", priority=0)",
            ),
        Tool::bare("show", Query, Read, tracked(bd::show))
            .says(
                "Show everything about an issue",
                "show(issue_id=\"bd-a1b2\")",
            )
            .on(ISSUE)
            .read_as(Resource {
                uri: "beads://issue/",
                name: "issue",
                title: "An issue",
                about: "Everything about an issue, with its memory",
                mime: "application/json",
            }),
        Tool::bare("search", Query, Read, bd::search)
            .only(Set::Alias)
            .says(
                "Search titles, descriptions and notes",
                "search(query=\"auth timeout\")",
            ),
        Tool::bare("comments", Query, Read, tracked(bd::comments))
            .only(Set::Alias)
            .says(
                "List the comments of an issue, oldest first",
                "comments(issue_id=\"bd-a1b2\")",
            )
            .on(ISSUE),
        Tool::bare("blocked", Query, Read, bd::blocked)
            .only(Set::Alias)
            .says("List blocked issues and what blocks them", "blocked()"),
        Tool::bare("stats", Query, Read, tracked(bd::stats))
            .says("Count issues by status", "stats()"),
        Tool::bare("log", Query, Read, tracked(bd::log))
            .says(
                "List changes and their reasons, newest first",
                "log(issue_id=\"bd-a1b2\", limit=5)",
            )
            .on(ISSUE)
            .does(&[does::LOG]),
        // `task_status(id, wait=N)` is the wait of the other profiles.
        Tool::bare("wait", Query, Read, wait::wait)
            .only(Set::Alias)
            .says(
                "Wait until issues reach a state; without ids, for any change",
                "wait(ids=[\"bd-a1b2\"], until=\"closed\", timeout=50)",
            )
            .names(&["ids"]),
    ]
}

fn edit_tools() -> Vec<Tool> {
    use Access::Write;
    use Domain::Edit;
    vec![
        Tool::bare("create", Edit, Write, tracked(bd::create))
            .says(
                "Create an issue",
                "create(title=\"Fix auth bug\", issue_type=\"bug\", priority=1)",
            )
            .names(&["id"]),
        Tool::bare("claim", Edit, Write, tracked(bd::claim))
            .only(Set::Alias)
            .says("Claim an issue", "claim(issue_id=\"bd-a1b2\")")
            .forced()
            .on(ISSUE),
        Tool::bare("comment", Edit, Write, tracked(bd::comment))
            .only(Set::Alias)
            .says(
                "Comment on an issue",
                "comment(issue_id=\"bd-a1b2\", text=\"Fails on Windows\")",
            )
            .on(ISSUE),
        Tool::bare("note", Edit, Write, tracked(bd::note))
            .only(Set::Alias)
            .says(
                "Append to the notes of an issue",
                "note(issue_id=\"bd-a1b2\", text=\"See the log\")",
            )
            .on(ISSUE),
        Tool::bare("update", Edit, Write, tracked(bd::update))
            .says(
                "Change fields of an issue",
                "update(issue_id=\"bd-a1b2\", priority=0)",
            )
            .forced()
            .on(ISSUE),
        Tool::bare("close", Edit, Write, tracked(bd::close))
            .says(
                "Close an issue",
                "close(issue_id=\"bd-a1b2\", reason=\"Fixed in PR #123\")",
            )
            .forced()
            .on(ISSUE),
        Tool::bare("reopen", Edit, Write, tracked(bd::reopen))
            .says(
                "Reopen closed issues",
                "reopen(issue_ids=[\"bd-a1b2\"], reason=\"Regression\")",
            )
            .names(&["issue_ids"]),
        Tool::bare("dep", Edit, Write, tracked(bd::dep))
            .says(
                "Make one issue depend on another",
                "dep(issue_id=\"bd-a1b2\", depends_on_id=\"bd-c3d4\")",
            )
            .on(ISSUE),
    ]
}

fn context_tools() -> Vec<Tool> {
    use Access::{Read, Remote, Session, Write};
    use Domain::Context;
    vec![
        Tool::bare(names::SET_CONTEXT, Context, Session, place::set_context)
        .choosing().says(
            "Choose the repository for all further calls",
            "set_context(workspace_root=\"/path/to/project\")",
        )
        .names_place()
        .leads_to_store(),
        Tool::one_of::<bd::BdContext>("context", bd::context).says(
            "set_context/where_am_i/init",
            "context(action=\"show\")",
        ),
        Tool::bare("admin", Context, Write, bd::admin).only(Set::Alias).says(
            "Check for problems, repair them, or show paths",
            "admin(action=\"validate\")",
        ),
        Tool::bare("where_am_i", Context, Read, place::where_am_i)
            .says("Show which repository is used, and why", "where_am_i()")
        .names_place(),
        Tool::text("session_context", Context, |call, it| {
            Ok(context::context(call.tracker, *it)?.text)
        })
        .says(
            "Context of a session: counts, what is in progress and ready, recent findings and decisions",
            "session_context(limit=8, compact=true)",
        )
        .prepared(place::read_leniently)
        .read_as(Resource {
                uri: "beads://context",
                name: "context",
                title: "Context of this repository",
                about: "Counts, what is in progress and ready, recent findings and decisions",
                mime: "text/plain",
            }),
        Tool::bare("init", Context, Remote, place::init).says(
            "Start tracking issues in this repository",
            "init(prefix=\"bd\")",
        )
        .does(&[does::INIT])
        .leads_to_store(),
    ]
}

fn exchange_tools() -> Vec<Tool> {
    use Access::{Read, Remote, Write};
    use Domain::Sync;
    vec![
        Tool::bare("sync", Sync, Remote, |call, it| {
            Ok(envelope(sync::sync(call.tracker, it)?))
        })
        .says("Exchange issues with a git remote", "sync()")
        .does(&[does::SYNC]),
        Tool::bare("collect", Sync, Remote, collect::collect)
            .only(Set::Alias)
            .says(
                "Merge changes that others could not push",
                "collect(head=true)",
            ),
        Tool::bare("carry", Sync, Write, |call, it| {
            Ok(envelope(carry::carry(call.tracker, it)?))
        })
        .only(Set::Alias)
        .says("Write unsent changes to a file to commit", "carry()")
        .does(&[does::CARRY]),
        Tool::bare("conflicts", Sync, Read, |call, it: &conflicts::Of| {
            conflicts::conflicts(call.tracker, it.id.as_deref())
        })
        .says("List conflicts", "conflicts()")
        .on("id")
        .does(&[does::CONFLICTS]),
        Tool::bare("resolve", Sync, Write, |call, it| {
            resolve::resolve(call.tracker, it)
        })
        .says(
            "Resolve a conflict",
            "resolve(id=\"bd-a1b2\", field=\"design\", take=1)",
        )
        .on("id"),
    ]
}

fn meta_tools() -> Vec<Tool> {
    vec![
        Tool::meta::<Nothing>("discover_tools", Meta::Discover).says("List all tools", "discover_tools()"),
        Tool::meta::<Info>("get_tool_info", Meta::Info)
            .says("Parameters and an example of a tool", "get_tool_info(tool_name=\"ready\")"),
        Tool::meta::<CallToolRequest>("read_tool", Meta::Read)
            .says("Call a tool that only reads", "read_tool(name=\"ready\", arguments={\"limit\": 5})"),
        Tool::meta::<CallToolRequest>(names::CALL_TOOL, Meta::Call)
            .says("Call a tool", "call_tool(name=\"ready\", arguments={\"limit\": 5})"),
        Tool::meta::<GetTools>("getTools", Meta::GetTools).says(
            "Get parameter schemas for specific tools.",
            "getTools(request=[{\"agent\": \"task\", \"tools\": [\"task_start\"]}])",
        ),
        Tool::meta::<UseTools>("useTools", Meta::UseTools).says(
            "Call tools. Fill context FIRST.",
            "useTools(context={\"workspaceId\": \"default\", \"sessionId\": \"s1\", \"memory\": \"Asked for a \
                 cache\", \"goal\": \"Start it\"}, calls=[{\"agent\": \"task\", \"tool\": \"task_start\", \
                 \"params\": {\"id\": \"bd-a1b2\"}}])",
        ),
    ]
}

/// Returns what a person can have a client ask its model.
fn prompts() -> Vec<Tool> {
    vec![
        Tool::bare("resume", Domain::Meta, Access::Read, prompts::resume)
            .only(Set::Prompt)
            .says(
                "Continue what is in progress: the issues, their memory, and what to do next.",
                "resume()",
            ),
        Tool::bare("handover", Domain::Meta, Access::Read, prompts::handover)
            .only(Set::Prompt)
            .says(
                "Record what is known of the work in progress, and release it.",
                "handover()",
            ),
    ]
}

//! The one list of tools: name, domain, access, operation, and description for models. A tool that
//! is added here is in every profile, index and reference it belongs to.
//!
//! Every byte of the texts is paid for in every session; a test counts them.

pub(crate) mod bd;
mod collect;
mod prompts;
pub(crate) mod task;
mod wait;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::meta::{CallToolRequest, GetTools, Info};
use super::tool::{Access, CallContext, Domain, Meta, Tool};
use super::use_tools::UseTools;
use crate::ops::Result;
use crate::ops::answer::envelope;
use crate::ops::verbs::{carry, conflicts, context, init, resolve, sync, where_};

/// Arguments of a tool that has none.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
struct Nothing {}

/// Arguments of the `set_context` tool.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
struct SetContext {
    /// Absolute path
    #[schemars(required)]
    #[expect(dead_code, reason = "the router reads it before the call runs")]
    workspace_root: Option<String>,
}

fn where_am_i(call: &CallContext<'_>, _: &Nothing) -> Result<Value> {
    let place = where_::where_(call.tracker)?;
    let mut here = json!({
        "workspace_root": place.repo, "common_dir": place.common_dir, "ref": place.reference,
        "commit": place.commit, "actor": place.actor, "found_by": call.route.found_by,
    });
    if let (Some(agent), Some(source)) = (place.agent, place.agent_source) {
        here["agent"] = agent.into();
        here["agent_source"] = source.into();
    }
    if let Some(rival) = &call.route.rival {
        here["could_be_meant"] = rival.display().to_string().into();
    }
    Ok(here)
}

/// Initialises a store; an empty prefix is none.
fn init_store(call: &CallContext<'_>, request: &init::Init) -> Result<init::Initialised> {
    let mut request = request.clone();
    request.prefix = request.prefix.filter(|prefix| !prefix.trim().is_empty());
    init::init(call.tracker, &request)
}

/// Reads the options of `session_context` as a command line does: what can't be read is the default.
fn read_leniently(arguments: &mut Map<String, Value>) {
    let mut text = |name| match arguments.remove(name) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(other) => Some(other.to_string()),
    };
    let (limit, compact) = (text("limit"), text("compact"));
    let options = context::ContextOptions::read(limit.as_deref(), compact.as_deref());
    arguments.extend(
        options
            .limit
            .map(|limit| ("limit".to_owned(), limit.into())),
    );
    arguments.extend(
        options
            .compact
            .map(|compact| ("compact".to_owned(), compact.into())),
    );
}

fn set_context(call: &CallContext<'_>, _: &SetContext) -> Result<Value> {
    let place = where_::where_(call.tracker)?;
    Ok(
        json!({"workspace_root": place.repo, "common_dir": place.common_dir, "ref": place.reference}),
    )
}

/// Returns all tools, in the order in which they are listed.
pub(super) fn tools() -> Vec<Tool> {
    let lists = [
        task_tools(),
        query_tools(),
        edit_tools(),
        context_tools(),
        meta_tools(),
        prompts(),
    ];
    lists.into_iter().flatten().collect()
}

/// Returns the tools of the `task` profile.
fn task_tools() -> Vec<Tool> {
    use Access::{Read, Write};
    vec![
        Tool::task("task_status", Read, task::status).says(
            "Show one issue, or without id all in progress. view=meta adds description, design, acceptance, cut \
                 at meta_max_chars (400; 0: whole), memory_limit=N the newest findings and decisions. \
                 wait=N waits up to 50 seconds for changes.",
            "task_status(id=\"bd-a1b2\", view=\"meta\", memory_limit=5)",
        ),
        Tool::task("task_list", Read, |call, it| task::list(call.tracker, it, call.compaction)).says(
            "Find issues, by default ready ones. Over 20 return a preview; limit a page.",
            "task_list(mode=\"list\", query=\"is:open p:<=1 -label:x\")",
        ),
        Tool::task("task_start", Write, |call, it| task::start(call.tracker, it)).says(
            "Claim an issue, or make an epic of user_request.",
            "task_start(id=\"bd-a1b2\")",
        ),
        Tool::task("task_progress", Write, |call, it| task::progress(call.tracker, it)).says(
            "Record findings and decisions, set status, file work, ask a person.",
            "task_progress(id=\"bd-a1b2\", decisions=[\"Use LRU cache: bounded memory\"])",
        ),
        Tool::task("task_update_meta", Write, |call, it| task::update_meta(call.tracker, it)).says(
            "Replace fields; \"\" clears.",
            "task_update_meta(id=\"bd-a1b2\", design=\"LRU in front of DB\")",
        ),
        Tool::task("task_decompose", Write, |call, it| task::decompose(call.tracker, it)).says(
            "Split an epic into children. description WHAT, design HOW, acceptance DONE. Prefer \
                 2-7, each 0.5-2 hours; split by deliverable behavior, not by phase; depend \
                 only when truly blocked, no serial chains. A single child is started.",
            "task_decompose(epic_id=\"bd-a1b2\", sub_issues=[{\"title\": \"Add cache\", \"description\": \
                 \"Add cache layer\", \"design\": \"LRU map\", \"acceptance\": \"Hit and miss verified\"}])",
        ),
        Tool::task("task_create", Write, |call, it| task::create(call.tracker, it)).says(
            "Create an issue or epic.",
            "task_create(title=\"Add cache\", description=\"Add cache layer\", design=\"LRU map\", \
                 acceptance=\"Hit and miss verified\", parent=\"bd-a1b2\")",
        ),
        Tool::task("task_link", Write, |call, it| task::link(call.tracker, it)).says(
            "Make an issue depend on others. Only blocks (default) affects readiness.",
            "task_link(id=\"bd-a1b2.3\", depends_on=[\"bd-a1b2.1\", \"bd-a1b2.2\"])",
        ),
        Tool::task("task_done", Write, |call, it| task::done(call.tracker, it)).says(
            "Close an issue with evidence; the last open child closes its epic.",
            "task_done(id=\"bd-a1b2.1\", reason=\"Completed\")",
        ),
        Tool::task("task_reopen", Write, |call, it| task::reopen(call.tracker, it))
            .says("Reopen an issue.", "task_reopen(id=\"bd-a1b2\", reason=\"Regression found\")"),
        Tool::task("task_undo", Write, |call, it| task::undo_last(call.tracker, it))
            .says("Undo your last change, or the last on id.", "task_undo(id=\"bd-a1b2\")"),
    ]
}

/// Returns the tools that read, by the names of `beads-mcp`.
fn query_tools() -> Vec<Tool> {
    use Access::Read;
    use Domain::Query;
    vec![
        Tool::bare("ready", Query, Read, |call, it| {
            bd::ready(call.tracker, it, call.compaction)
        })
        .alias()
        .says(
            "Find ready issues; over 20 return a preview",
            "ready(limit=10, priority=1)",
        ),
        Tool::bare("list", Query, Read, |call, it| {
            bd::list(call.tracker, it, call.compaction)
        })
        .alias()
        .says(
            "List issues by status, priority, type, assignee, labels",
            "list(status=\"open\", priority=0)",
        ),
        Tool::bare("show", Query, Read, |call, it| bd::show(call.tracker, it)).says(
            "Show everything about an issue",
            "show(issue_id=\"bd-a1b2\")",
        ),
        Tool::bare("search", Query, Read, |call, it| {
            bd::search(call.tracker, it, call.compaction)
        })
        .alias()
        .says(
            "Search titles, descriptions and notes",
            "search(query=\"auth timeout\")",
        ),
        Tool::bare("comments", Query, Read, |call, it| {
            bd::comments(call.tracker, it)
        })
        .alias()
        .says(
            "List the comments of an issue, oldest first",
            "comments(issue_id=\"bd-a1b2\")",
        ),
        Tool::bare("blocked", Query, Read, |call, it| {
            bd::blocked(call.tracker, it, call.compaction)
        })
        .alias()
        .says("List blocked issues and what blocks them", "blocked()"),
        Tool::bare("stats", Query, Read, |call, it| bd::stats(call.tracker, it))
            .says("Count issues by status", "stats()"),
        Tool::bare("log", Query, Read, |call, it| bd::log(call.tracker, it)).says(
            "List changes and their reasons, newest first",
            "log(issue_id=\"bd-a1b2\", limit=5)",
        ),
        // `task_status(id, wait=N)` is the wait of the other profiles.
        Tool::bare("wait", Query, Read, wait::wait).alias().says(
            "Wait until issues reach a state; without ids, for any change",
            "wait(ids=[\"bd-a1b2\"], until=\"closed\", timeout=50)",
        ),
    ]
}

/// Returns the tools that write, by the names of `beads-mcp`.
fn edit_tools() -> Vec<Tool> {
    use Access::Write;
    use Domain::Edit;
    vec![
        Tool::bare("create", Edit, Write, |call, it| {
            bd::create(call.tracker, it)
        })
        .says(
            "Create an issue",
            "create(title=\"Fix auth bug\", issue_type=\"bug\", priority=1)",
        ),
        Tool::bare("claim", Edit, Write, |call, it| bd::claim(call.tracker, it))
            .alias()
            .says("Claim an issue", "claim(issue_id=\"bd-a1b2\")"),
        Tool::bare("comment", Edit, Write, |call, it| {
            bd::comment(call.tracker, it)
        })
        .alias()
        .says(
            "Comment on an issue",
            "comment(issue_id=\"bd-a1b2\", text=\"Fails on Windows\")",
        ),
        Tool::bare("note", Edit, Write, |call, it| bd::note(call.tracker, it))
            .alias()
            .says(
                "Append to the notes of an issue",
                "note(issue_id=\"bd-a1b2\", text=\"See the log\")",
            ),
        Tool::bare("update", Edit, Write, |call, it| {
            bd::update(call.tracker, it)
        })
        .says(
            "Change fields of an issue",
            "update(issue_id=\"bd-a1b2\", priority=0)",
        ),
        Tool::bare("close", Edit, Write, |call, it| bd::close(call.tracker, it)).says(
            "Close an issue",
            "close(issue_id=\"bd-a1b2\", reason=\"Fixed in PR #123\")",
        ),
        Tool::bare("reopen", Edit, Write, |call, it| {
            bd::reopen(call.tracker, it)
        })
        .says(
            "Reopen closed issues",
            "reopen(issue_ids=[\"bd-a1b2\"], reason=\"Regression\")",
        ),
        Tool::bare("dep", Edit, Write, |call, it| bd::dep(call.tracker, it)).says(
            "Make one issue depend on another",
            "dep(issue_id=\"bd-a1b2\", depends_on_id=\"bd-c3d4\")",
        ),
    ]
}

/// Returns the tools that choose a repository and exchange with remotes.
fn context_tools() -> Vec<Tool> {
    use Access::{Read, Remote, Write};
    use Domain::{Context, Sync};
    vec![
        Tool::remember("set_context", set_context).says(
            "Choose the repository for all further calls",
            "set_context(workspace_root=\"/path/to/project\")",
        ),
        Tool::one_of::<bd::BdContext>("context", bd::context).says(
            "set_context/where_am_i/init",
            "context(action=\"show\")",
        ),
        Tool::bare("admin", Context, Write, bd::admin).alias().says(
            "Check for problems, repair them, or show paths",
            "admin(action=\"validate\")",
        ),
        Tool::bare("where_am_i", Context, Read, where_am_i)
            .says("Show which repository is used, and why", "where_am_i()"),
        Tool::text("session_context", Context, |call, it| {
            Ok(context::context(call.tracker, *it)?.text)
        })
        .says(
            "Context of a session: counts, what is in progress and ready, recent findings and decisions",
            "session_context(limit=8, compact=true)",
        )
        .prepared(read_leniently),
        Tool::bare("init", Context, Remote, init_store).says(
            "Start tracking issues in this repository",
            "init(prefix=\"bd\")",
        ),
        Tool::bare("sync", Sync, Remote, |call, it| {
            Ok(envelope(sync::sync(call.tracker, it)?))
        })
        .says("Exchange issues with a git remote", "sync()"),
        Tool::bare("collect", Sync, Remote, collect::collect)
            .alias()
            .says("Merge changes that others could not push", "collect(head=true)"),
        Tool::bare("carry", Sync, Write, |call, it| {
            Ok(envelope(carry::carry(call.tracker, it)?))
        })
        .alias()
        .says("Write unsent changes to a file to commit", "carry()"),
        Tool::bare("conflicts", Sync, Read, |call, it: &conflicts::Of| {
            conflicts::conflicts(call.tracker, it.id.as_deref())
        })
        .says("List conflicts", "conflicts()"),
        Tool::bare("resolve", Sync, Write, |call, it| {
            resolve::resolve(call.tracker, it)
        })
        .says(
            "Resolve a conflict",
            "resolve(id=\"bd-a1b2\", field=\"design\", take=1)",
        ),
    ]
}

/// Returns the tools that call or describe others.
fn meta_tools() -> Vec<Tool> {
    vec![
        Tool::meta::<Nothing>("discover_tools", Meta::Discover).says("List all tools", "discover_tools()"),
        Tool::meta::<Info>("get_tool_info", Meta::Info)
            .says("Parameters and an example of a tool", "get_tool_info(tool_name=\"ready\")"),
        Tool::meta::<CallToolRequest>("read_tool", Meta::Read)
            .says("Call a tool that only reads", "read_tool(name=\"ready\", arguments={\"limit\": 5})"),
        Tool::meta::<CallToolRequest>("call_tool", Meta::Call)
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
        Tool::prompt("resume", prompts::resume).says(
            "Continue what is in progress: the issues, their memory, and what to do next.",
            "resume()",
        ),
        Tool::prompt("handover", prompts::handover).says(
            "Record what is known of the work in progress, and release it.",
            "handover()",
        ),
    ]
}

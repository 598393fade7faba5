//! `create --template`: issues that begin with a file.

use crate::support::World;

#[test]
fn a_template_is_the_beginning_of_an_issue() {
    let world = World::with_store();
    let bug = "---\nname: Bug\ntitle: '[bug] '\nlabels: bug, triage\ntype: bug\n---\n\n## Steps\n";
    world.file("repo/.github/ISSUE_TEMPLATE/bug_report.md", bug);
    world.file("repo/plan.md", "## Why\n\n## How\n");
    world
        .git(&["config", "beads.template.plan", "plan.md"])
        .ok();
    let show = |id: &str| world.bd(&["show", id.trim(), "--json"]).json()["issue"].clone();
    let args = [
        "create",
        "Crash",
        "--template",
        "bug_report",
        "-l",
        "ui",
        "-q",
    ];
    let issue = show(&world.bd(&args).ok());
    assert_eq!(issue["title"], "[bug] Crash");
    assert_eq!(issue["type"], "bug");
    assert_eq!(issue["labels"], serde_json::json!(["bug", "triage", "ui"]));
    assert_eq!(issue["description"], "## Steps");
    let args = [
        "create",
        "Idea",
        "--template",
        "plan",
        "-t",
        "feature",
        "-q",
    ];
    let issue = show(&world.bd(&args).ok());
    assert_eq!(issue["description"], "## Why\n\n## How");
    assert_eq!(issue["type"], "feature");
    let given = ["create", "T", "--template", "plan", "-d", "Mine", "-q"];
    assert_eq!(show(&world.bd(&given).ok())["description"], "Mine");
    for name in ["bug", "../plan", "", "a/b"] {
        let unknown = world.bd(&["create", "T", "--template", name]);
        assert_eq!(unknown.code, 1);
        assert!(
            unknown.stderr.contains("there are: bug_report"),
            "{unknown:?}"
        );
    }
    world
        .git(&["config", "beads.template.gone", "gone.md"])
        .ok();
    let gone = world.bd(&["create", "T", "--template", "gone"]);
    assert!(gone.stderr.contains("gone.md"), "{gone:?}");
}

#[test]
fn the_beginning_of_a_title_is_none() {
    let mut world = World::with_store();
    world.file(
        "repo/.github/ISSUE_TEMPLATE/bug.md",
        "---\ntitle: '[bug] '\n---\n## Steps\n",
    );
    world.bd(&["create", "--template", "bug"]).fails(1);
    let editor = world.file("editor.sh", "true");
    world.set("GIT_EDITOR", &format!("sh '{editor}'"));
    let refused = world.bd(&["create", "--template", "bug", "-e"]);
    assert!(refused.stderr.contains("your text is in "), "{refused:?}");
    std::fs::write(&editor, "sed -i '1s/$/Crash/' \"$1\"").unwrap();
    let created = world.bd(&["create", "--template", "bug", "-e"]).ok();
    assert!(created.contains("[bug] Crash"), "{created}");
}

#[test]
fn no_link_of_a_repository_leads_to_a_file_of_the_user() {
    let world = World::with_store();
    let secret = world.file("home/secret", "a key");
    let folder = world.path("repo/.github/ISSUE_TEMPLATE");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(&secret, folder.join("leak.md")).unwrap();
    let refused = world.bd(&["create", "T", "--template", "leak"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.starts_with("error: no template `leak`"),
        "{refused:?}"
    );
    // What the user has configured may be anywhere.
    world.git(&["config", "beads.template.own", &secret]).ok();
    let id = world.bd(&["create", "T", "--template", "own", "-q"]).ok();
    let shown = world.bd(&["show", id.trim()]).ok();
    assert!(shown.contains("a key"), "{shown}");
}

#[test]
fn a_bare_repository_has_templates_by_whole_paths_only() {
    let world = World::with_store();
    world
        .git(&["clone", "--quiet", "--bare", ".", "../bare.git"])
        .ok();
    world.bd_in("bare.git", &["init"]).ok();
    let plan = world.file("bare.git/plan.md", "## Why");
    world
        .git_in("bare.git", &["config", "beads.template.plan", "plan.md"])
        .ok();
    world
        .bd_in("bare.git", &["create", "T", "--template", "plan"])
        .fails(1);
    world
        .git_in("bare.git", &["config", "beads.template.plan", &plan])
        .ok();
    world
        .bd_in("bare.git", &["create", "T", "--template", "plan"])
        .ok();
}

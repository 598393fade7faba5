//! The jobs of hosts that take over what agents left, as docs/cloud.md has them: what their steps do, and how those that earlier
//! versions wrote go.

use super::{files, read, write};
use crate::support::clones::{create, failed, tip, two_clones};
use crate::support::{Output, World};

const HOSTS: [(&str, &str); 3] = [
    ("github", ".github/workflows/git-beads.yml"),
    ("gitlab", ".gitlab/git-beads.yml"),
    ("forgejo", ".forgejo/workflows/git-beads.yml"),
];

/// The text of the page that begins with a line.
pub fn of_page(first: &str) -> String {
    let page = include_str!("../../../docs/cloud.md");
    let mut blocks = page.split("\n```").skip(1).step_by(2);
    let found = blocks.find_map(|block| {
        let (_, text) = block.split_once('\n')?;
        text.starts_with(first).then(|| format!("{text}\n"))
    });
    found.unwrap_or_else(|| panic!("no text of docs/cloud.md begins with {first}"))
}

/// The workflow of a host, as the page has it or describes it.
fn workflow(host: &str) -> String {
    let github =
        of_page("# Collects changes that agents left in mailboxes and carry files. The variables");
    match host {
        "github" => github,
        "forgejo" => {
            let lines = github
                .lines()
                .filter(|line| !line.starts_with("concurrency:"));
            let text: String = lines.map(|line| format!("{line}\n")).collect();
            text.replace("ubuntu-latest", "docker")
        }
        _ => of_page(
            "# Collects changes that agents left in mailboxes and carry files. CI/CD variables",
        ),
    }
}

/// The set-up steps of Copilot.
fn copilot() -> String {
    of_page("# What the sandbox of Copilot's coding agent needs.")
}

#[test]
fn a_job_that_an_earlier_version_wrote_goes_and_none_is_written() {
    let world = World::new();
    for (host, name) in HOSTS {
        for action in [&[][..], &["--write"], &["--check"]] {
            let args = [&["setup", "ci", host, "--json"], action].concat();
            let error = failed(world.bd(&args), 1);
            let said = format!("{} {}", error["message"], error["hint"]);
            assert!(
                said.contains("not written any more") && said.contains("docs/cloud.md"),
                "{said}"
            );
        }
        assert_eq!(files(&world), []);
        let text = workflow(host);
        for text in [text.clone(), text.replace('\n', "\r\n")] {
            write(&world, name, &text);
            let said = world.bd(&["setup", "ci", host, "--remove"]).ok();
            assert_eq!(said, format!("{name}: removed\n"));
            assert_eq!(files(&world), []);
        }
        let said = world.bd(&["setup", "ci", host, "--remove"]).ok();
        assert_eq!(said, format!("{name}: nothing of git-beads in it\n"));
    }
    let (host, name) = HOSTS[1];
    write(
        &world,
        name,
        include_str!("../../fixtures/gitlab-0.9.0.yml"),
    );
    world.bd(&["setup", "ci", host, "--remove"]).ok();
    assert_eq!(files(&world), []);
}

#[test]
fn a_file_of_that_name_that_is_another_stays() {
    let world = World::new();
    for (host, name) in HOSTS {
        let changed = format!("{}# ours\n", workflow(host));
        for text in [
            "on: push\n",
            "",
            "on: push\n# git-beads of ours\n",
            &changed,
        ] {
            write(&world, name, text);
            let removed = world.bd(&["setup", "ci", host, "--remove"]);
            let is_changed = text.contains("git-beads");
            assert_eq!(removed.code, if is_changed { 3 } else { 0 }, "{removed:?}");
            assert_eq!(read(&world, name), text);
        }
        std::fs::remove_file(world.path(&format!("repo/{name}"))).unwrap();
    }
}

#[test]
fn a_host_that_is_not_known_is_refused() {
    let world = World::new();
    for args in [&["ci"][..], &["ci", "jenkins"], &["claude", "github"]] {
        let error = failed(world.bd(&[&["setup", "--json"], args].concat()), 1);
        let said = error["message"].as_str().unwrap();
        assert!(said.ends_with("continue, agents-md"), "{said}");
    }
}

#[test]
fn what_has_no_sessions_in_a_cloud_is_refused_there() {
    let world = World::with_store();
    for args in [&["snapshot"][..], &["ci", "github"], &["cursor"]] {
        let error = failed(
            world.bd(&[&["setup", "--cloud", "--json"], args].concat()),
            1,
        );
        let said = error["message"].as_str().unwrap();
        assert!(said.starts_with("nothing is known of a cloud of"), "{said}");
    }
    assert_eq!(files(&world), []);
}

/// The shell scripts of a job, with the names of their steps.
fn scripts(text: &str) -> Vec<(String, String)> {
    let (mut found, mut name) = (Vec::new(), String::new());
    let mut lines = text.lines().peekable();
    let indent = |line: &str| line.len() - line.trim_start().len();
    while let Some(line) = lines.next() {
        if let Some(step) = line.trim().strip_prefix("- name: ") {
            step.clone_into(&mut name);
        }
        if !matches!(line.trim(), "run: |" | "- |") {
            continue;
        }
        let inner = indent(lines.peek().unwrap());
        let mut script = String::new();
        while let Some(line) = lines.next_if(|line| line.is_empty() || indent(line) >= inner) {
            script.push_str(line.get(inner..).unwrap_or_default());
            script.push('\n');
        }
        found.push((name.clone(), script));
    }
    found
}

const COPILOT: &str = ".github/workflows/copilot-setup-steps.yml";

#[test]
fn nothing_of_a_stranger_reaches_a_shell_and_nothing_of_a_checkout_is_run() {
    let world = World::new();
    let all = HOSTS.map(|(host, _)| workflow(host));
    for text in all.iter().chain([&copilot()]) {
        assert!(!text.contains("pull_request_target"));
        let scripts = scripts(text);
        assert!(scripts.len() >= 2, "{text}");
        for (_, script) in &scripts {
            // An expression would put its text into the script.
            assert!(!script.contains("${{"), "{script}");
            assert!(
                !script.contains("./") && !script.contains("make"),
                "{script}"
            );
            let checked = world.command(".", "bash", &["-n", "-c", script]);
            world.run(checked, None).ok();
        }
    }
    for text in [&all[0], &all[2]] {
        for job in text.split("runs-on:").skip(1) {
            let install = job.find("install_git_beads\n").unwrap();
            assert!(install < job.find("actions/checkout").unwrap(), "{job}");
        }
        let (_, show) = text.split_once("  show:\n").unwrap();
        assert!(show.contains("permissions: {contents: read}"));
        assert!(show.contains("persist-credentials: false"));
        assert!(text.contains("\npermissions: {}\n"));
    }
}

#[test]
fn every_job_is_yaml() {
    let world = World::new();
    if !world.lend("python3") {
        return;
    }
    let mut names: Vec<&str> = Vec::new();
    for (host, name) in HOSTS {
        write(&world, name, &workflow(host));
        names.push(name);
    }
    write(&world, COPILOT, &copilot());
    names.push(COPILOT);
    let script = "import json, sys\ntry:\n    import yaml\nexcept ImportError:\n    sys.exit(9)\n\
                  print(json.dumps([yaml.load(open(n), yaml.BaseLoader) for n in sys.argv[1:]]))\n";
    let args = [&["-c", script], &names[..]].concat();
    let said = world.run(world.command("repo", "python3", &args), None);
    if said.code == 9 {
        return crate::support::skipped("python3 has no yaml");
    }
    let read = said.json();
    for host in [0, 2] {
        let jobs = &read[host]["jobs"];
        assert_eq!(read[host]["on"]["schedule"][0]["cron"], "17 * * * *");
        assert_eq!(jobs["collect"]["permissions"]["contents"], "write");
        assert_eq!(jobs["collect"]["steps"].as_array().unwrap().len(), 4);
        assert_eq!(jobs["show"]["if"], "github.event_name == 'pull_request'");
        let helper = &jobs["show"]["steps"][2]["env"]["GIT_CONFIG_VALUE_0"];
        assert!(helper.as_str().unwrap().ends_with("}; f"), "{helper}");
    }
    let job = &read[1]["git-beads"];
    assert_eq!(job["script"].as_array().unwrap().len(), 2);
    assert_eq!(job["rules"][1]["changes"][0], ".git-beads/carry/**");
    let steps = &read[3]["jobs"]["copilot-setup-steps"]["steps"];
    assert_eq!(steps.as_array().unwrap().len(), 3);
    let run = steps[1]["run"].as_str().unwrap();
    let scripts = scripts(&copilot());
    assert_eq!(run, scripts[0].1, "and is read here as there");
}

/// A hub with a branch `work` that has a carry file of an issue; returns its id.
fn carried() -> (World, String) {
    let world = two_clones();
    world.git_in("b", &["checkout", "-q", "-b", "work"]).ok();
    let id = create(&world, "b", &["::warning::From <b>the</b> sandbox"]);
    world.bd_in("b", &["carry"]).ok();
    world.git_in("b", &["add", ".git-beads"]).ok();
    world.git_in("b", &["commit", "-q", "-m", "Work"]).ok();
    world.git_in("b", &["push", "-q", "origin", "work"]).ok();
    (world, id)
}

/// Makes a checkout as hosts do: one commit of one branch.
fn checkout(world: &World, name: &str, branch: &str) {
    let hub = format!("file://{}", world.path("hub.git").display());
    let args = ["clone", "-q", "--depth=1", "--branch", branch, &hub, name];
    world.git_in(".", &args).ok();
}

/// Runs a step as a runner does.
fn step(world: &World, folder: &str, script: &str) -> Output {
    let mut command = world.command(folder, "bash", &["-e", "-c", script]);
    command
        .env("GIT_BEADS_BIN", crate::support::tools::ours())
        .env("RUNNER_TEMP", world.path("home"))
        .env("GITHUB_STEP_SUMMARY", world.path("summary"));
    let at = world.path("hub").display().to_string();
    command
        .env("CI_PROJECT_URL", format!("file://{at}"))
        .env("CI_SERVER_URL", "https://example.org")
        .env("CI_COMMIT_BRANCH", "main")
        .env("BEADS_CLEAN", "1");
    world.run(command, None)
}

/// The script of a step of GitHub's file.
fn of_github(name: &str) -> String {
    let mut found = scripts(&workflow("github")).into_iter();
    found.find(|(step, _)| step == name).unwrap().1
}

#[test]
fn a_push_is_collected_and_a_pull_request_only_shown() {
    let (world, id) = carried();
    let before = tip(&world, "hub.git");
    checkout(&world, "pr", "work");
    world.git_in("pr", &["checkout", "-q", "--detach"]).ok();
    step(&world, "pr", &of_github("Show")).ok();
    let shown = std::fs::read_to_string(world.path("summary")).unwrap();
    assert!(shown.contains(&id), "{shown}");
    assert!(
        shown.lines().all(|line| line.starts_with("    ")),
        "{shown}"
    );
    assert_eq!(tip(&world, "hub.git"), before);
    checkout(&world, "ci", "work");
    let said = step(&world, "ci", &of_github("Collect"));
    assert!(
        !said
            .stdout
            .lines()
            .any(|line| line.trim().starts_with("::")),
        "{said:?}"
    );
    said.ok();
    assert_ne!(tip(&world, "hub.git"), before);
    world.bd_in("a", &["sync"]).ok();
    assert!(world.bd_in("a", &["list", "-q"]).ok().contains(&id));
    // Again: nothing moves.
    let after = tip(&world, "hub.git");
    checkout(&world, "again", "work");
    step(&world, "again", &of_github("Collect")).ok();
    assert_eq!(tip(&world, "hub.git"), after);
}

fn hub_branch(world: &World, branch: &str) -> String {
    world.git_in("hub.git", &["rev-parse", branch]).ok()
}

#[test]
fn what_has_arrived_is_taken_out_on_the_default_branch_alone() {
    let (world, _) = carried();
    let (collect, clean) = (of_github("Collect"), of_github("Clean"));
    checkout(&world, "work", "work");
    step(&world, "work", &collect).ok();
    let work = hub_branch(&world, "work");
    step(&world, "work", &clean).ok();
    assert_eq!(hub_branch(&world, "work"), work);
    world
        .git_in("b", &["push", "-q", "origin", "work:main"])
        .ok();
    checkout(&world, "main", "main");
    step(&world, "main", &collect).ok();
    step(&world, "main", &clean).ok();
    let cleaned = hub_branch(&world, "main");
    assert_ne!(cleaned, work);
    let listed = world
        .git_in("hub.git", &["ls-tree", "-r", "--name-only", "main"])
        .ok();
    assert!(!listed.contains("carry"), "{listed}");
    // The run that this push may start ends here.
    checkout(&world, "next", "main");
    step(&world, "next", &collect).ok();
    step(&world, "next", &clean).ok();
    assert_eq!(hub_branch(&world, "main"), cleaned);
}

#[test]
fn a_job_without_the_program_says_so_and_passes() {
    let (world, _) = carried();
    checkout(&world, "ci", "work");
    let install = of_github("Install git-beads");
    let scripts = [install, of_github("Collect"), of_github("Show")];
    for (i, script) in scripts.iter().enumerate() {
        let mut command = world.command("ci", "bash", &["-e", "-c", script]);
        command
            .env("PATH", world.search_path(false))
            .env("GIT_BEADS_BIN", world.path("bin"))
            .env("GITHUB_PATH", world.path("paths"));
        let said = world.run(command, None);
        assert_eq!((said.code, &*said.stdout), (0, ""), "{said:?}");
        assert_eq!(
            said.stderr.contains("set GIT_BEADS_URL"),
            i == 0,
            "{said:?}"
        );
    }
}

#[test]
fn gitlab_collects_and_takes_out() {
    let (world, id) = carried();
    world
        .git_in("b", &["push", "-q", "origin", "work:main"])
        .ok();
    let text = workflow("gitlab");
    checkout(&world, "ci", "main");
    world.git_in("ci", &["checkout", "-q", "--detach"]).ok();
    let script: Vec<String> = scripts(&text).into_iter().map(|(_, it)| it).collect();
    // One shell runs both.
    step(&world, "ci", &script.concat()).ok();
    world.bd_in("a", &["sync"]).ok();
    assert!(world.bd_in("a", &["list", "-q"]).ok().contains(&id));
    let listed = world
        .git_in("hub.git", &["ls-tree", "-r", "--name-only", "main"])
        .ok();
    assert!(!listed.contains("carry"), "{listed}");
}

#[test]
fn the_set_up_steps_of_copilot_find_the_issues_and_begin_none() {
    let world = two_clones();
    let mut found = scripts(&copilot()).into_iter();
    let (_, find) = found.find(|(name, _)| name == "Find the issues").unwrap();
    checkout(&world, "c", "main");
    step(&world, "c", &find).ok();
    assert_eq!(tip(&world, "c"), tip(&world, "hub.git"));
    assert_eq!(world.git_in("c", &["config", "beads.carry"]).ok(), "true\n");
    let world = World::new();
    step(&world, "repo", &find).ok();
    assert_eq!(world.git(&["for-each-ref"]).ok(), "");
}

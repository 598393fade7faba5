//! The jobs of hosts that take over what agents left: how they are written, and what their steps do.

use super::{files, read, write};
use crate::support::clones::{create, failed, tip, two_clones};
use crate::support::{Output, World};

const HOSTS: [(&str, &str); 3] = [
    ("github", ".github/workflows/git-beads.yml"),
    ("gitlab", ".gitlab/git-beads.yml"),
    ("forgejo", ".forgejo/workflows/git-beads.yml"),
];

#[test]
fn a_job_is_written_once_and_goes_again() {
    let world = World::new();
    for (host, name) in HOSTS {
        let said = world.bd(&["setup", "ci", host]).ok();
        assert!(said.starts_with(&format!("{name}: missing\n# Collects")));
        assert!(said.ends_with(&format!("hint: git beads setup ci {host} --write\n")));
        assert_eq!(files(&world), []);
        world.bd(&["setup", "ci", host, "--check"]).fails(1);
        let said = world.bd(&["setup", "ci", host, "--write"]).ok();
        assert!(said.starts_with(&format!("{name}: created\nhint: variables of the")));
        let text = read(&world, name);
        assert!(!text.contains("INSTALL\n") && !text.contains("CLEAN\n"));
        let again = world.bd(&["setup", "ci", host, "--write"]).ok();
        assert!(again.starts_with(&format!("{name}: already installed\n")));
        write(&world, name, &text.replace('\n', "\r\n"));
        world.bd(&["setup", "ci", host, "--check"]).ok();
        world.bd(&["setup", "ci", host, "--remove"]).ok();
        assert_eq!(files(&world), []);
    }
    let include = "include: [{local: .gitlab/git-beads.yml}]";
    assert!(
        world
            .bd(&["setup", "ci", "gitlab", "--write"])
            .ok()
            .contains(include)
    );
}

#[test]
fn a_file_of_that_name_is_never_edited() {
    let world = World::new();
    for (host, name) in HOSTS {
        for text in ["on: push\n", "on: push\n# git-beads of ours\n"] {
            write(&world, name, text);
            let said = world.bd(&["setup", "ci", host, "--write"]);
            let kept = format!("{name}: kept (it is there already, and is never edited)\n");
            assert!(said.stdout.starts_with(&kept), "{said:?}");
            let step = format!("{name}: to be added by hand\n# Collects");
            assert!(said.stdout.contains(&step), "{said:?}");
            let _ = said.fails(3);
            let removed = world.bd(&["setup", "ci", host, "--remove"]);
            let is_ours = text.contains("git-beads");
            assert_eq!(removed.code, if is_ours { 3 } else { 0 }, "{removed:?}");
            assert_eq!(read(&world, name), text);
        }
    }
}

#[test]
fn a_host_that_is_not_known_is_refused() {
    let world = World::new();
    for args in [&["ci"][..], &["ci", "jenkins"], &["claude", "github"]] {
        let error = failed(world.bd(&[&["setup", "--json"], args].concat()), 1);
        let said = error["message"].as_str().unwrap();
        assert!(
            said.ends_with("agents-md, ci github, ci gitlab, ci forgejo"),
            "{said}"
        );
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

/// The text of a file that is written for a host, or for the sandbox of Copilot.
fn written(world: &World, folder: &str, args: &[&str], name: &str) -> String {
    let all = [&["-C", folder, "setup", "--write"], args].concat();
    world.bd_in(".", &all).ok();
    std::fs::read_to_string(world.path(&format!("{folder}/{name}"))).unwrap()
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
    let all = HOSTS.map(|(host, name)| written(&world, "repo", &["ci", host], name));
    let copilot = written(&world, "repo", &["copilot", "--cloud"], COPILOT);
    for text in all.iter().chain([&copilot]) {
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
        written(&world, "repo", &["ci", host], name);
        names.push(name);
    }
    written(&world, "repo", &["copilot", "--cloud"], COPILOT);
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
    let scripts = scripts(&self::read(&world, COPILOT));
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
fn of_github(world: &World, name: &str) -> String {
    let text = written(world, "a", &["ci", "github"], HOSTS[0].1);
    let mut found = scripts(&text).into_iter();
    found.find(|(step, _)| step == name).unwrap().1
}

#[test]
fn a_push_is_collected_and_a_pull_request_only_shown() {
    let (world, id) = carried();
    let before = tip(&world, "hub.git");
    checkout(&world, "pr", "work");
    world.git_in("pr", &["checkout", "-q", "--detach"]).ok();
    step(&world, "pr", &of_github(&world, "Show")).ok();
    let shown = std::fs::read_to_string(world.path("summary")).unwrap();
    assert!(shown.contains(&id), "{shown}");
    assert!(
        shown.lines().all(|line| line.starts_with("    ")),
        "{shown}"
    );
    assert_eq!(tip(&world, "hub.git"), before);
    checkout(&world, "ci", "work");
    let said = step(&world, "ci", &of_github(&world, "Collect"));
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
    step(&world, "again", &of_github(&world, "Collect")).ok();
    assert_eq!(tip(&world, "hub.git"), after);
}

fn hub_branch(world: &World, branch: &str) -> String {
    world.git_in("hub.git", &["rev-parse", branch]).ok()
}

#[test]
fn what_has_arrived_is_taken_out_on_the_default_branch_alone() {
    let (world, _) = carried();
    let (collect, clean) = (of_github(&world, "Collect"), of_github(&world, "Clean"));
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
    let install = of_github(&world, "Install git-beads");
    let scripts = [
        install,
        of_github(&world, "Collect"),
        of_github(&world, "Show"),
    ];
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
    let text = written(&world, "a", &["ci", "gitlab"], HOSTS[1].1);
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
    let text = written(&world, "a", &["copilot", "--cloud"], COPILOT);
    let mut found = scripts(&text).into_iter();
    let (_, find) = found.find(|(name, _)| name == "Find the issues").unwrap();
    checkout(&world, "c", "main");
    step(&world, "c", &find).ok();
    assert_eq!(tip(&world, "c"), tip(&world, "hub.git"));
    assert_eq!(world.git_in("c", &["config", "beads.carry"]).ok(), "true\n");
    let world = World::new();
    step(&world, "repo", &find).ok();
    assert_eq!(world.git(&["for-each-ref"]).ok(), "");
}

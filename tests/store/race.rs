//! Writers beside what moves things around and beside kills at random moments. What was answered is kept.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::store::plumbing::sound;
use crate::support::World;

/// What every writer was answered.
type Acknowledged = Arc<Mutex<BTreeSet<String>>>;

/// A program of this world, its clock and seed its own.
fn command(world: &World, seed: &str, args: &[&str]) -> std::process::Command {
    let mut command = world.command("repo", env!("CARGO_BIN_EXE_git-beads"), args);
    command.env("GIT_BEADS_SEED", seed).stdin(Stdio::null());
    command
}

/// Asserts that all that was answered is there.
#[track_caller]
fn all_kept(world: &World, acknowledged: &Acknowledged) -> usize {
    let listed = world.bd(&["list", "-q", "-n", "0"]).ok();
    let listed: BTreeSet<&str> = listed.lines().collect();
    let acknowledged = acknowledged.lock().unwrap();
    let lost: Vec<&String> = acknowledged.iter().filter(|id| !listed.contains(id.as_str())).collect();
    assert!(lost.is_empty(), "answered and lost: {lost:?}");
    acknowledged.len()
}

#[test]
fn maintenance_beside_writers_harms_nobody() {
    let world = World::with_store();
    world.create(&["First"]);
    let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Acknowledged::default());
    let script = "git pack-refs --all; git repack -a -d -q; git gc --quiet; git prune --expire=1.hour.ago";
    let mut maintenance = world.command("repo", "sh", &["-c", script]);
    let maintaining = {
        let stop = stop.clone();
        std::thread::spawn(move || {
            let mut rounds = 0;
            while !stop.load(Ordering::Relaxed) {
                // It may be refused a lock of git's own; that is for git to say.
                let _ = maintenance.stdout(Stdio::null()).stderr(Stdio::null()).status();
                rounds += 1;
            }
            rounds
        })
    };
    for n in 0..150 {
        let output = world.run(command(&world, &format!("gc{n}"), &["create", "-q", &format!("Issue {n}")]), None);
        assert_eq!(output.code, 0, "{n}: {output:?}");
        acknowledged.lock().unwrap().insert(output.stdout.trim().to_owned());
        assert_eq!(world.bd(&["list", "--json", "-n", "1"]).json()["total_count"], n + 2);
    }
    stop.store(true, Ordering::Relaxed);
    let rounds = maintaining.join().unwrap();
    assert!(rounds > 2, "{rounds}");
    assert_eq!(all_kept(&world, &acknowledged), 150);
    sound(&world);
    eprintln!("150 writes beside {rounds} rounds of maintenance: lost 0");
}

#[test]
fn writers_killed_at_random_moments_lose_nothing_that_was_answered() {
    const WRITERS: u64 = 8;
    let world = World::with_store();
    let acknowledged = Acknowledged::default();
    let seed = std::env::var("GIT_BEADS_CASES_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0x5eed_u64);
    eprintln!("seed {seed}: GIT_BEADS_CASES_SEED={seed} cargo test -- writers_killed");
    let until = Instant::now() + Duration::from_secs(8);
    let (kills, answers) = (Mutex::new(0), Mutex::new(0));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (world_root, acknowledged) = (world.path("repo"), acknowledged.clone());
            let (kills, answers) = (&kills, &answers);
            let template: Vec<(String, String)> = command(&world, "x", &[])
                .get_envs()
                .filter_map(|(key, value)| Some((key.to_str()?.to_owned(), value?.to_str()?.to_owned())))
                .collect();
            scope.spawn(move || {
                let mut dice = seed ^ (writer.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
                for n in 0.. {
                    if Instant::now() > until {
                        return;
                    }
                    dice ^= dice << 13;
                    dice ^= dice >> 7;
                    dice ^= dice << 17;
                    let mut create = std::process::Command::new(env!("CARGO_BIN_EXE_git-beads"));
                    create.args(["create", "-q", &format!("{writer} {n}")]).current_dir(&world_root).env_clear();
                    create.envs(template.iter().cloned()).env("GIT_BEADS_SEED", format!("{seed}-{writer}-{n}"));
                    let mut child =
                        create.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
                    if dice.is_multiple_of(2) {
                        std::thread::sleep(Duration::from_micros(dice / 2 % 40_000));
                        let _ = child.kill();
                    }
                    let output = child.wait_with_output().unwrap();
                    let id = String::from_utf8(output.stdout).unwrap();
                    match output.status.code() {
                        Some(0) => *answers.lock().unwrap() += 1,
                        None => *kills.lock().unwrap() += 1,
                        Some(code) => panic!("{code}: {}", String::from_utf8_lossy(&output.stderr)),
                    }
                    if let Some(id) = id.strip_suffix('\n') {
                        acknowledged.lock().unwrap().insert(id.to_owned());
                    }
                }
            });
        }
    });
    let kept = all_kept(&world, &acknowledged);
    let start = Instant::now();
    world.create(&["After all of it"]);
    assert!(start.elapsed() < Duration::from_secs(5), "nobody waits for the dead");
    sound(&world);
    let (kills, answers) = (kills.into_inner().unwrap(), answers.into_inner().unwrap());
    assert!(kills > 20 && answers > 20, "{kills} killed, {answers} answered");
    eprintln!("{kills} killed, {answers} answered, {kept} kept, lost 0");
}

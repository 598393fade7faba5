//! Power cuts: the file system of an image is shut down without writing its log, and mounted again.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::fleet::Fleet;
use super::{Dice, plain_or, report, seed, soaking};
use crate::support::tools::{find_in_system, python};
use crate::support::{World, skipped};

/// `EXT4_IOC_SHUTDOWN`, which xfs knows as well, without flushing the log.
const SHUT_DOWN: &str = "
import fcntl, os, struct, sys
disk = os.open(sys.argv[1], os.O_RDONLY)
print('ready', flush=True)
sys.stdin.readline()
fcntl.ioctl(disk, 0x8004587D, struct.pack('I', 2))
";

fn succeeds(program: &str, args: &[&str]) -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "a tool of the system, not a program under test"
    )]
    let status = Command::new(find_in_system(program).unwrap_or_else(|| program.into()))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// A file system in a file, mounted while this lives.
struct Disk {
    image: String,
    at: String,
}

impl Disk {
    fn new(world: &World, kind: &str) -> Option<Self> {
        let (image, at) = (
            world.path("image").display().to_string(),
            world.path("disk").display().to_string(),
        );
        std::fs::create_dir_all(&at).unwrap();
        let disk = Self { image, at };
        python()?;
        let made = succeeds("truncate", &["-s", "400M", &disk.image])
            && match kind {
                "xfs" => succeeds("mkfs.xfs", &["-q", "-f", &disk.image]),
                _ => succeeds("mkfs.ext4", &["-q", "-F", &disk.image]),
            };
        (made && disk.mount()).then_some(disk)
    }

    fn mount(&self) -> bool {
        succeeds("mount", &["-o", "loop", &self.image, &self.at])
    }

    fn unmount(&self) -> bool {
        // A process that packs a journal may still be at it.
        (0..3000).any(|_| {
            let done = succeeds("umount", &[&self.at]);
            if !done {
                std::thread::sleep(Duration::from_millis(20));
            }
            done
        })
    }

    /// Waits, then cuts the power; returns what was answered until then. What is answered while the file system
    /// goes down counts neither way: a real cut would have taken whoever reads the answer as well.
    fn cut_power(&self, after: Duration, fleet: &Fleet) -> BTreeSet<String> {
        #[expect(
            clippy::disallowed_methods,
            reason = "a tool of the system, not a program under test"
        )]
        let mut command = Command::new(python().unwrap());
        let piped = command
            .args(["-c", SHUT_DOWN, &self.at])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut cutter = piped.spawn().unwrap();
        BufReader::new(cutter.stdout.take().unwrap())
            .read_line(&mut String::new())
            .unwrap();
        std::thread::sleep(after);
        let answered = fleet.words();
        cutter.stdin.take().unwrap().write_all(b"\n").unwrap();
        assert!(cutter.wait().unwrap().success());
        answered
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if Path::new(&self.at).join("repo").exists() {
            self.unmount();
        }
    }
}

/// One cut: three writers work for a while; then all that was answered has to be there. Returns how much that
/// was; none where nothing can be mounted.
fn cut(kind: &str, seed: u64) -> Option<usize> {
    let mut world = World::empty();
    let disk = Disk::new(&world, kind)?;
    world.git_in(".", &["init", "--quiet", "disk/repo"]).ok();
    world.bd_in("disk/repo", &["init"]).ok();
    assert!(succeeds("sync", &["-f", &disk.at]));
    let fleet = Fleet::new(&world, "disk/repo", seed);
    let after =
        Duration::from_millis(300 + Dice::new(seed).roll(if soaking() { 2000 } else { 1000 }));
    let answered = std::thread::scope(|scope| {
        scope.spawn(|| fleet.work(3, u64::MAX, |_| None));
        let answered = disk.cut_power(after, &fleet);
        fleet.stop();
        answered
    });
    assert!(disk.unmount() && disk.mount());
    world.set("GIT_BEADS_BOOT", "after the cut");
    Fleet::kept(&answered, &world, "disk/repo");
    let rows = |world: &World| {
        world
            .bd_in("disk/repo", &["list", "--all", "--json", "-n", "0"])
            .ok()
    };
    let before = rows(&world);
    for entry in std::fs::read_dir(world.path("disk/repo/.git/beads")).unwrap() {
        let path = entry.unwrap().path();
        if path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("index-")
        {
            std::fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(
        rows(&world),
        before,
        "the index after the cut says what one made anew says"
    );
    world.bd_in("disk/repo", &["create", "After the cut"]).ok();
    world.bd_in("disk/repo", &["doctor"]).ok();
    assert!(
        world
            .git_in(
                "disk/repo",
                &["rev-list", "--objects", "--quiet", "refs/beads/main"]
            )
            .code
            == 0
    );
    Some(answered.len())
}

#[test]
fn what_was_answered_survives_power_cuts() {
    let seed = seed("survives_power_cuts");
    let each = if soaking() { 30 } else { plain_or(1, 3) };
    let mut figures = Vec::new();
    for kind in ["ext4", "xfs"] {
        let mut answered = 0;
        for n in 0..each {
            let Some(more) = cut(kind, seed ^ (n << 8)) else {
                skipped(&format!("no {kind} image can be mounted here"));
                return;
            };
            answered += more;
        }
        figures.push(format!(
            "{kind}: {each} cuts, {answered} answered, lost 0, rows wrong 0"
        ));
    }
    report(
        "power cuts: acknowledged writes lost, index rows wrong after",
        &figures.join("; "),
    );
}

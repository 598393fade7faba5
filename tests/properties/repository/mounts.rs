//! Objects, or our own folder, on another file system than the rest of the repository.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use crate::support::World;
use crate::support::plumbing::{able, lines, sound, system};

/// A folder on another file system than the worlds; none where there is no such place.
fn elsewhere(world: &World) -> Option<tempfile::TempDir> {
    let device = |path: &Path| fs::metadata(path).map(|meta| meta.dev()).ok();
    let here = device(&world.path(""));
    let mut places = ["/dev/shm", "/run/shm", "/var/tmp"]
        .map(Path::new)
        .into_iter();
    let place = places.find(|place| device(place).is_some_and(|there| Some(there) != here));
    let folder = place.and_then(|place| tempfile::tempdir_in(place).ok());
    able(folder.is_some(), "needs a second file system").then_some(folder?)
}

fn move_away(from: &Path, to: &Path) {
    assert!(system(
        "cp",
        &["-a", from.to_str().unwrap(), to.to_str().unwrap()]
    ));
    fs::remove_dir_all(from).unwrap();
    symlink(to, from).unwrap();
}

#[test]
fn objects_may_lie_on_another_file_system() {
    let world = World::with_store();
    world.create(&["Before"]);
    let Some(folder) = elsewhere(&world) else {
        return;
    };
    let objects = world.path("repo/.git/objects");
    move_away(&objects, &folder.path().join("objects"));
    world.create(&["After", "-d", &"x".repeat(9000)]);
    world.bd_with(lines(300), &["import", "-"]).ok();
    let all = world.bd(&["list", "-q", "-n", "0"]).ok();
    assert_eq!(all.lines().count(), 302);
    // A change of hundreds is one pack.
    let many: Vec<String> = (0..300).map(|n| format!("imp-{n:04}")).collect();
    let mut args = vec!["done"];
    args.extend(many.iter().map(String::as_str));
    world.bd(&args).ok();
    world.bd(&["doctor"]).ok();
    sound(&world);
    let left = fs::read_dir(&objects).unwrap().flatten();
    let left: Vec<_> = left.filter(|entry| entry.file_name().len() > 4).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_a_killed_writer_left_among_the_objects_goes() {
    let world = World::with_store();
    let left = world.file("repo/.git/objects/beads-object-x", "half");
    world.file(
        "repo/.git/beads/lock",
        format!("{:<120}\n", "999999 1795173600000 holds"),
    );
    world.create(&["After"]);
    assert!(!Path::new(&left).exists());
}

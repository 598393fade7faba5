//! Real transports on loopback: files, `git daemon`, smart HTTP with a password, and ssh.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::support::clones::{create, failed, script, state, sync, tip};
use crate::support::events::until;
use crate::support::{World, missing, tools};

/// One of git's own programs.
fn part_of_git(name: &str) -> Option<PathBuf> {
    let output = Command::new(tools::base().join("git"))
        .arg("--exec-path")
        .output()
        .unwrap();
    let folder = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
    Some(folder.join(name)).filter(|path| path.is_file())
}

/// A port that nobody listens on.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// A server that ends with this value.
pub struct Server(Child);

impl Server {
    fn start(command: &mut Command, port: u16) -> Self {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self(child);
        until("a server that listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A bare hub with one commit.
pub fn hub() -> World {
    let world = World::empty();
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    world
        .git_in("hub.git", &["config", "http.receivepack", "true"])
        .ok();
    world.git_in(".", &["init", "--quiet", "seed"]).ok();
    world
        .git_in(
            "seed",
            &["commit", "--quiet", "--allow-empty", "-m", "first"],
        )
        .ok();
    world
        .git_in("seed", &["push", "--quiet", "../hub.git", "HEAD:main"])
        .ok();
    world
}

/// Serves the folder of a world with `git daemon`, for reading and writing; returns the beginning of its URLs.
pub fn daemon(world: &World) -> Option<(Server, String)> {
    let Some(daemon) = part_of_git("git-daemon") else {
        missing("git-daemon");
        return None;
    };
    let port = free_port();
    let mut command = world.command(".", daemon.to_str().unwrap(), &[]);
    command.args(["--reuseaddr", "--export-all", "--listen=127.0.0.1"]);
    command.arg(format!("--port={port}"));
    command.arg(format!("--base-path={}", world.path("").display()));
    command.arg("--enable=receive-pack");
    // Some at once: each clone has workers of its own.
    command.arg("--max-connections=64");
    Some((
        Server::start(&mut command, port),
        format!("git://127.0.0.1:{port}"),
    ))
}

/// Serves it with `git http-backend`, behind a password that the world knows.
pub fn http(world: &World) -> Option<(Server, String)> {
    let served = http_for(world, ["ann", "secret"])?;
    let helper = script(
        world,
        "helper",
        "[ \"$1\" = get ] && printf 'username=ann\\npassword=secret\\n'; exit 0",
    );
    world
        .git_in(".", &["config", "--global", "credential.helper", &helper])
        .ok();
    Some(served)
}

/// The same for one user, with a password that the world does not know.
pub fn http_for(world: &World, user: [&str; 2]) -> Option<(Server, String)> {
    let backend = part_of_git("git-http-backend");
    let (Some(python), Some(backend)) = (tools::python(), backend) else {
        missing("python3 or git-http-backend");
        return None;
    };
    if part_of_git("git-remote-http").is_none() {
        missing("git-remote-http");
        return None;
    }
    let port = free_port();
    let wrapper = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/serve.py");
    let mut command = world.command(".", python.to_str().unwrap(), &[]);
    command.args([wrapper, &port.to_string()]).arg(backend);
    command.arg(world.path("")).args(user);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    let server = Server::start(&mut command, port);
    Some((server, format!("http://127.0.0.1:{port}")))
}

/// Two clones of a URL: joining, both ways, a conflict, and a sync with nothing to do.
#[track_caller]
fn works_over(world: &World, url: &str) {
    world.git_in(".", &["clone", "--quiet", url, "a"]).ok();
    world.bd_in("a", &["init"]).ok();
    let x = create(world, "a", &["x"]);
    sync(world, &["a"]);
    assert!(
        world
            .bd_in(".", &["clone", url, "b"])
            .ok()
            .contains("joined from origin")
    );
    assert_eq!(state(world, "b"), state(world, "a"));
    let (y, z) = (create(world, "a", &["y"]), create(world, "b", &["z"]));
    world.bd_in("a", &["update", &x, "-d", "by a"]).ok();
    world.bd_in("b", &["update", &x, "-d", "by b"]).ok();
    sync(world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let (here, list) = state(world, clone);
        assert_eq!(here, tip(world, "hub.git"), "{clone}");
        assert!(
            [&x, &y, &z].iter().all(|id| list.contains(id.as_str())),
            "{clone}: {list}"
        );
        let conflicts = world.bd_in(clone, &["conflicts", "--json"]).json();
        assert_eq!(conflicts["conflicts"][0]["value"], "by a", "{conflicts}");
    }
    let said = world.bd_in("b", &["sync", "--json"]).json();
    assert_eq!((&said["sent"], &said["received"]), (&0.into(), &0.into()));
}

#[test]
fn a_path_works() {
    let world = hub();
    let path = world.path("hub.git").display().to_string();
    works_over(&world, &path);
}

#[test]
fn a_file_url_works() {
    let world = hub();
    let url = format!("file://{}", world.path("hub.git").display());
    works_over(&world, &url);
}

#[test]
fn git_daemon_works_and_one_that_only_reads_is_told() {
    let Some(daemon) = part_of_git("git-daemon") else {
        missing("git-daemon");
        return;
    };
    let world = hub();
    let base = world.path("").display().to_string();
    let serve = |port: u16, more: &str| {
        let listen = format!("--port={port}");
        let path = format!("--base-path={base}");
        let mut command = world.command(".", daemon.to_str().unwrap(), &[]);
        command.args([
            "--reuseaddr",
            "--export-all",
            "--listen=127.0.0.1",
            &listen,
            &path,
            more,
        ]);
        Server::start(&mut command, port)
    };
    let port = free_port();
    let server = serve(port, "--enable=receive-pack");
    works_over(&world, &format!("git://127.0.0.1:{port}/hub.git"));
    drop(server);
    create(&world, "a", &["kept"]);
    let before = state(&world, "a");
    let _ = failed(world.bd_in("a", &["sync", "--json"]), 5);
    let port = free_port();
    let _server = serve(port, "--informative-errors");
    world
        .git_in(
            "a",
            &[
                "remote",
                "set-url",
                "origin",
                &format!("git://127.0.0.1:{port}/hub.git"),
            ],
        )
        .ok();
    let _ = failed(world.bd_in("a", &["sync", "--json"]), 5);
    assert_eq!(state(&world, "a"), before);
    world.bd_in("a", &["pull"]).ok();
}

#[test]
fn smart_http_with_a_password_works_and_without_one_nothing_hangs() {
    let backend = part_of_git("git-http-backend");
    let (Some(python), Some(backend)) = (tools::python(), backend) else {
        missing("python3 or git-http-backend");
        return;
    };
    if part_of_git("git-remote-http").is_none() {
        missing("git-remote-http");
        return;
    }
    let world = hub();
    let port = free_port();
    let wrapper = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/serve.py");
    let mut command = world.command(".", python.to_str().unwrap(), &[]);
    command
        .args([wrapper, &port.to_string()])
        .arg(backend)
        .arg(world.path(""))
        .args(["ann", "secret"]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    let _server = Server::start(&mut command, port);
    let url = format!("http://127.0.0.1:{port}/hub.git");
    let _ = failed(world.bd_in(".", &["clone", "--json", &url, "none"]), 5);
    let helper = script(
        &world,
        "helper",
        "[ \"$1\" = get ] && printf 'username=ann\\npassword=secret\\n'; exit 0",
    );
    world
        .git_in(".", &["config", "--global", "credential.helper", &helper])
        .ok();
    works_over(&world, &url);
    create(&world, "a", &["kept"]);
    let before = state(&world, "a");
    for helper in [
        "",
        &script(
            &world,
            "wrong",
            "[ \"$1\" = get ] && printf 'username=ann\\npassword=no\\n'; exit 0",
        ),
    ] {
        world
            .git_in(".", &["config", "--global", "credential.helper", helper])
            .ok();
        let error = failed(world.bd_in("a", &["sync", "--json"]), 5);
        assert!(
            error["hint"].as_str().unwrap().contains("git fetch origin"),
            "{error}"
        );
        assert!(!error.to_string().contains("secret"));
        assert_eq!(state(&world, "a"), before);
    }
    world
        .git_in(".", &["config", "--global", "credential.helper", &helper])
        .ok();
    sync(&world, &["a", "b"]);
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
}

/// An ssh server on loopback that lets in who has one of the keys of a file, and its clients by the names of their keys.
pub struct Ssh {
    _server: Server,
    base: String,
    /// The beginning of its URLs, up to the path.
    pub url: String,
}

impl Ssh {
    /// Makes keys for some names, and serves the folder of a world to those in the file `known`, which have `home` as their
    /// home there; none where a tool is missing.
    pub fn start(world: &mut World, keys: &[&str], home: &str) -> Option<Self> {
        if !world.lend("ssh") || !world.lend("ssh-keygen") {
            return None;
        }
        let Some(sshd) = tools::find_in_system("sshd") else {
            missing("sshd");
            return None;
        };
        let _ = std::fs::create_dir_all("/run/sshd");
        std::fs::create_dir(world.path("keys")).unwrap();
        for key in keys.iter().chain(&["host"]) {
            let path = world.path("keys").join(key).display().to_string();
            let args = ["-q", "-t", "ed25519", "-N", "", "-f", &path];
            world
                .run(world.command(".", "ssh-keygen", &args), None)
                .ok();
        }
        let (port, base) = (free_port(), world.path("").display().to_string());
        let home = world.path(home).display().to_string();
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {base}/keys/host\nAuthorizedKeysFile {base}/known\n\
             StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\n\
             SetEnv HOME={home} GIT_CONFIG_NOSYSTEM=1\n"
        );
        let config = world.file("sshd_config", config);
        let server = Server::start(Command::new(sshd).args(["-D", "-f", &config]), port);
        let user = world.run(world.command(".", "id", &["-un"]), None).ok();
        Some(Self {
            _server: server,
            base,
            url: format!("ssh://{}@127.0.0.1:{port}", user.trim()),
        })
    }

    /// Returns the command by which git comes in with a key.
    pub fn client(&self, key: &str) -> String {
        let base = &self.base;
        format!(
            "ssh -F none -i {base}/keys/{key} -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=no \
             -o UserKnownHostsFile={base}/hosts"
        )
    }
}

#[test]
fn ssh_works_and_a_key_that_is_not_known_is_told() {
    let mut world = hub();
    let Some(ssh) = Ssh::start(&mut world, &["user", "stranger"], "home") else {
        return;
    };
    std::fs::copy(world.path("keys/user.pub"), world.path("known")).unwrap();
    world.set("GIT_SSH_COMMAND", &ssh.client("user"));
    let hub = world.path("hub.git").display().to_string();
    works_over(&world, &format!("{}{hub}", ssh.url));
    create(&world, "a", &["kept"]);
    let before = state(&world, "a");
    world.set("GIT_SSH_COMMAND", &ssh.client("stranger"));
    let _ = failed(world.bd_in("a", &["sync", "--json"]), 5);
    assert_eq!(state(&world, "a"), before);
    world.set("GIT_SSH_COMMAND", &ssh.client("user"));
    sync(&world, &["a", "b"]);
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
}

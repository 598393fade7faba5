//! macOS and its kin: what their kernel says by `sysctl`, since they have no `/proc`.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use sysctl::{Ctl, Sysctl as _};

/// Returns the name of this host; empty where the kernel does not say.
pub(crate) fn host_name() -> String {
    sysctl_text("kern.hostname")
}

/// Returns the id of the present boot of this machine; empty where the kernel does not say.
pub(crate) fn boot_id() -> String {
    sysctl_text("kern.bootsessionuuid")
}

/// Returns the time since the system was started, asleep or not.
pub(crate) fn uptime() -> Option<Duration> {
    // On these systems this clock goes on while the machine sleeps.
    let now = clock_gettime(ClockId::Monotonic);
    let nanos = u32::try_from(now.tv_nsec).ok()?;
    Some(Duration::new(u64::try_from(now.tv_sec).ok()?, nanos))
}

fn sysctl_text(name: &str) -> String {
    let found = Ctl::new(name).and_then(|ctl| ctl.value_string());
    found.unwrap_or_default().trim().to_owned()
}

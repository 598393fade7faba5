//! The terminal of another program for a while: it gets all keys, and the face is drawn whole once it has ended.

use super::asks::{Ask, WriteAsk};
use super::state::{Lent, LentCommand};
use super::terminal::Terminal;
use super::{Face, one_line};
use crate::ops::Result;
use crate::platform::{read_input, write_output};

impl Face {
    /// Lends the terminal to a program until that ends.
    pub(super) fn lend(&mut self, terminal: &Terminal, to: Lent) -> Result<()> {
        terminal.give();
        match to {
            Lent::Editor { repo, what, id } => {
                let write = self.write;
                self.feed
                    .ask(repo, Ask::Write(WriteAsk { what, id, write }));
                self.state.is_writing = true;
                while self.state.is_writing {
                    let woken = self.wake.pause(None, false);
                    if woken.change {
                        self.looks.want();
                    }
                    self.hear();
                    self.ask();
                }
            }
            Lent::Command(command) => self.run_command(&command),
        }
        // What was typed there to end a program was not meant for this one.
        self.wake.forget_interrupt();
        self.state.wants_redraw = true;
        match self.wake.is_ending() {
            true => Ok(()),
            false => terminal.take(),
        }
    }

    /// Runs a command of the user's; what it has to say of a failure stays until Enter.
    fn run_command(&mut self, lent: &LentCommand) {
        let folder = &self.folders[lent.repo];
        let shell = self.env.var("SHELL").filter(|_| lent.line.is_none());
        let shell = shell.unwrap_or_else(|| "sh".to_owned());
        let mut command = self.env.command(&shell);
        if let Some(line) = &lent.line {
            command.arg("-c").arg(line);
        }
        if folder.explicit {
            // They are about the repository that the face was started in.
            command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE");
        }
        let variables = lent.variables.iter().map(|(name, value)| (name, value));
        command.envs(variables).current_dir(&folder.dir);
        match command.status() {
            Err(error) => self.state.message = format!("can't run {shell}: {error}"),
            Ok(status) if lent.line.is_some() && !status.success() => {
                self.wait_for_enter(&format!("{status}; Enter goes back "));
            }
            Ok(_) => {}
        }
    }

    fn wait_for_enter(&self, text: &str) {
        let mut bytes = [0; 256];
        if write_output(one_line(text).as_bytes()).is_err() {
            return;
        }
        // A line at a time: the terminal is as the shell has it.
        while !self.wake.is_ending()
            && read_input(&mut bytes)
                .is_err_and(|error| error.kind() == std::io::ErrorKind::Interrupted)
        {}
    }
}

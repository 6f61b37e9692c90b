//! A server in a process of its own.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::Result;

pub struct Process {
    /// Ends with this value; servers on standard input and output belong to their client.
    child: Option<Child>,
    id: u32,
    pub port: u16,
}

impl Process {
    /// Starts a server that tells its port.
    pub fn start(name: &str) -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?).args(["serve", name]).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        Ok(Self { id: child.id(), port: line.trim().parse()?, child: Some(child) })
    }

    /// A process of another owner.
    pub fn running(id: u32) -> Self {
        Self { child: None, id, port: 0 }
    }

    /// The processor time of all threads, in nanoseconds.
    pub fn processor_time(&self) -> Result<f64> {
        let mut sum = 0.0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.id))? {
            // a thread may end meanwhile
            let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else { continue };
            sum += text.split(' ').next().ok_or("no time")?.parse::<f64>()?;
        }
        Ok(sum)
    }

    /// The resident memory, in bytes.
    pub fn resident(&self) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? * 1024.0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // it may have ended by itself
            _ = child.kill();
            _ = child.wait();
        }
    }
}

# SPDX-License-Identifier: GPL-2.0-or-later
"""The main thread of a Rust program waits for a channel. The sender waits for a mutex, whose owner
reads from a pipe."""
import os

HELD_OUT = False
NEEDS = {"rustc": "rustc"}

OFFICE = """
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;

fn main() {
    let book = Arc::new(Mutex::new(0u32));
    let (to_desk, parcels) = mpsc::channel();
    let (idle, never) = mpsc::channel::<u32>();
    println!("ready");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let (open, opened) = mpsc::channel();
    let owned = book.clone();
    let owner = thread::Builder::new().name("owner".into()).spawn(move || {
        let mut page = owned.lock().unwrap();
        let mut child = Command::new("sh").args(["-c", "exec grep -m1 parcel journal"]).stdout(Stdio::piped()).spawn().unwrap();
        open.send(()).unwrap();
        let mut found = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut found).unwrap();
        child.wait().unwrap();
        *page += found.len() as u32;
    }).unwrap();
    opened.recv().unwrap();
    let shared = book.clone();
    thread::Builder::new().name("clerk".into()).spawn(move || {
        to_desk.send(*shared.lock().unwrap()).unwrap();
    }).unwrap();
    thread::Builder::new().name("idler".into()).spawn(move || never.recv()).unwrap();
    println!("parcels {}", parcels.recv().unwrap());
    owner.join().unwrap();
    drop(idle);
}
"""


def play(s):
    with open(s.path("office.rs"), "w", encoding="ascii") as f:
        f.write(OFFICE)
    s.out(["rustc", "--edition", "2021", "office.rs"], timeout=100)
    s.out(["mkfifo", "journal"])
    victim = s.start("victim", [s.path("office")], talk=True)
    s.wait("the office is ready", lambda: "ready" in s.output("victim"))

    s.begin()
    s.say("victim", "go")
    s.wait("all threads are there", lambda: all(s.threads("victim", name) for name in ("owner", "clerk", "idler")))
    for name in "owner", "clerk", "idler":
        s.role(name, victim.pid, s.threads("victim", name)[0])
    s.wait("grep runs", lambda: s.child("victim"))
    s.role("grep", s.child("victim"))
    # The journal is a pipe, which only the test opens for writing.
    s.wait("grep opens the journal", lambda: s.syscall("grep") == "openat" and s.child("victim", "grep"))
    s.during("grep waits for a writer of the pipe", lambda: s.syscall("grep") == "openat" and
             s.wchan("grep") == "wait_for_partner")
    s.during("the owner waits for the output of grep", lambda: s.syscall("owner") == "read" and "pipe" in s.wchan("owner") and
             any(os.readlink("/proc/%d/fd/1" % s.pid("grep")) == os.readlink("/proc/%d/fd/%s" % (victim.pid, fd))
                 for fd in os.listdir("/proc/%d/fd" % victim.pid)))
    s.during("the other threads wait", lambda: all(s.syscall(r) == "futex" and s.state(r) == "S"
                                                  for r in ("victim", "clerk", "idler")))
    s.during("nothing is sent", lambda: victim.poll() is None and "parcels" not in s.output("victim"))
    s.hang(victim="victim", culprits=["grep", "test"], causes=["missing-wakeup", "external", "slow-peer"], vague=["owner"],
           stuck=["clerk"], wrong=["idler"])
    yield
    with open(s.path("journal"), "w", encoding="ascii") as f:
        f.write("parcel\n")
    s.ended("victim")
    s.check("the parcels came", "parcels 7" in s.output("victim"))

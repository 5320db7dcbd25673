# SPDX-License-Identifier: GPL-2.0-or-later
"""A script waits for a Rust program. Its main thread joins another thread while it still has the guard of a mutex. The other
thread waits for this mutex."""
import os
import re

from scene import proc

HELD_OUT = False
NEEDS = {"rustc": "rustc", "sh": "dash"}
STOCK = """
use std::sync::{mpsc, Arc, Mutex};
use std::thread;

fn main() {
    let stock = Arc::new(Mutex::new(17u32));
    let (keep, never) = mpsc::channel::<u32>();
    thread::Builder::new().name("idler".into()).spawn(move || never.recv()).unwrap();
    println!("mutex {:p}", Arc::as_ptr(&stock));
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let mut page = stock.lock().unwrap();
    *page += 1;
    let shared = stock.clone();
    let counter = thread::Builder::new().name("counter".into()).spawn(move || {
        *shared.lock().unwrap() += 10;
    }).unwrap();
    counter.join().unwrap();
    println!("stock {}", *page);
    drop(keep);
}
"""


def play(s):
    with open(s.path("stock.rs"), "w", encoding="ascii") as f:
        f.write(STOCK)
    s.out(["rustc", "--edition", "2021", "stock.rs"], timeout=100)
    victim = s.start("victim", ["sh", "-c", "./stock; echo status $?"], talk=True)
    s.wait("the program is ready", lambda: "mutex 0x" in s.output("victim"))
    s.role("stock", s.child("victim", "stock"))
    mutex = int(re.search("mutex 0x([0-9a-f]+)", s.output("victim")).group(1), 16)

    def futex(role):
        """The address of the futex for which a thread waits, and the value there."""
        pid, tid = s.roles[role]
        v = proc(pid, "syscall", tid).split()
        if v[0] != "202":
            return 0, 0
        with open("/proc/%d/mem" % pid, "rb") as f:
            f.seek(int(v[1], 16))
            return int(v[1], 16), int.from_bytes(f.read(4), "little")

    s.begin()
    s.say("victim", "go")
    s.wait("the threads are there", lambda: s.threads("stock", "counter") and s.threads("stock", "idler"))
    for name in "counter", "idler":
        s.role(name, s.pid("stock"), s.threads("stock", name)[0])
    s.wait("both threads wait", lambda: futex("counter")[0] and futex("stock")[1] == s.roles["counter"][1])
    s.during("the main thread joins the other one", lambda: futex("stock")[1] == s.roles["counter"][1])
    s.during("the other one waits for the mutex", lambda: mutex <= futex("counter")[0] < mutex + 32)
    s.during("the third thread waits for something else", lambda: s.syscall("idler") == "futex")
    s.during("the shell waits", lambda: victim.poll() is None and s.syscall("victim") == "wait4")
    s.hang(victim="victim", culprits=["stock", "counter"], causes=["circular-wait", "lock-holder", "missing-wakeup"],
           wrong=["idler", "test"])
    yield
    os.kill(s.pid("stock"), 15)  # the user gives up
    s.ended("victim")
    s.check("the program was ended", "status 143" in s.output("victim") and "stock " not in s.output("victim"))

# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a thread of a Rust server. The thread waits for a read-write lock, whose owner computes."""
HELD_OUT = True
NEEDS = {"rustc": "rustc", "gcc": "gcc", "curl": "curl"}

STOCK = """
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, RwLock};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let listener = TcpListener::bind(format!("127.0.0.1:{}", args[1])).unwrap();
    let seconds: u64 = args[2].parse().unwrap();
    let stock = Arc::new(RwLock::new(17u64));
    let clerks = stock.clone();
    let clerk = Builder::new().name("clerk".into()).spawn(move || {
        thread::park();
        let mut n = clerks.write().unwrap();
        println!("the clerk begins");
        let end = Instant::now() + Duration::from_secs(seconds);
        let mut x = *n;
        while Instant::now() < end {
            for _ in 0..1000 {
                x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            }
        }
        *n = 18 + (x & 0);
        println!("the clerk ends");
    }).unwrap();
    Builder::new().name("porter".into()).spawn(|| loop { thread::park(); }).unwrap();
    for connection in listener.incoming() {
        let mut out = connection.unwrap();
        let stock = stock.clone();
        let clerk = clerk.thread().clone();
        Builder::new().name("desk".into()).spawn(move || {
            let mut request = String::new();
            let mut input = BufReader::new(out.try_clone().unwrap());
            input.read_line(&mut request).unwrap();
            let mut line = String::new();
            while input.read_line(&mut line).unwrap() > 2 {
                line.clear();
            }
            let answer = if request.starts_with("GET /stock ") {
                stock.read().unwrap().to_string()
            } else if request.starts_with("GET /count ") {
                clerk.unpark();
                "begun".to_string()
            } else if stock.try_read().is_err() {
                "locked".to_string()
            } else {
                "free".to_string()
            };
            let _ = write!(out, "HTTP/1.0 200 OK\\r\\nContent-Length: {}\\r\\n\\r\\n{}", answer.len(), answer);
        }).unwrap();
    }
}
"""


def play(s):
    port = s.port()
    with open(s.path("stock.rs"), "w", encoding="utf-8") as f:
        f.write(STOCK)
    s.out(["rustc", "-O", "--edition", "2021", "-o", "stock", "stock.rs"], timeout=180)
    s.start("server", [s.path("stock"), port, s.seconds + 2])
    s.wait("the server answers", lambda: s.connects(port))

    def get(what):
        return s.out(["curl", "-s", "-m", "3", "http://127.0.0.1:%s/%s" % (port, what)])

    s.check("the lock is free", get("state") == "free" and get("stock") == "17")
    for name in "clerk", "porter":
        s.wait("%s is there" % name, lambda name=name: s.threads("server", name))
        s.role(name, s.pid("server"), s.threads("server", name)[0])
    s.wait("no desk is left", lambda: not s.threads("server", "desk"))

    s.begin()
    get("count")
    s.wait("the clerk computes", lambda: s.uses_cpu("clerk", 0.3, 0.2))
    s.wait("no desk is left", lambda: not s.threads("server", "desk"))
    victim = s.start("victim", ["curl", "-s", "http://127.0.0.1:%s/stock" % port])
    s.wait("a desk serves curl", lambda: s.threads("server", "desk"))
    s.role("desk", s.pid("server"), s.threads("server", "desk")[0])
    s.wait("the desk waits", lambda: s.syscall("desk") == "futex")
    s.during("the lock is taken", lambda: get("state") == "locked")
    s.during("the clerk computes", lambda: s.uses_cpu("clerk", 0.2) and "the clerk begins" in s.output("server") and
             "the clerk ends" not in s.output("server"))
    s.during("the desk waits for the lock", lambda: s.syscall("desk") == "futex" and s.state("desk") == "S")
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
    s.during("the porter is parked", lambda: s.syscall("porter") == "futex")
    s.hang(victim="victim", culprits=["clerk"], causes=["busy", "lock-holder"], stuck=["desk"], wrong=["porter", "server"])
    yield
    s.ended("victim")
    s.check("curl has the new stock", s.output("victim") == "18")
    s.check("the clerk has ended", "the clerk ends" in s.output("server"))

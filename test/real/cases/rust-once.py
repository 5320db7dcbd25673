# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a thread of a Rust server. The thread waits until another thread has made the price list (std::sync::Once).
This other thread reads the list from a tclsh that computes. A second tclsh computes too, and serves nobody."""
from scene import children, proc

HELD_OUT = False
NEEDS = {"rustc": "rustc", "gcc": "gcc", "tclsh": "tcl", "curl": "curl"}

SHOP = """
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::{Mutex, Once};
use std::thread::Builder;

static MADE: Once = Once::new();
static LIST: Mutex<String> = Mutex::new(String::new());

fn list() -> String {
    MADE.call_once(|| {
        let mut child = Command::new("tclsh").arg("prices.tcl").stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        child.wait().unwrap();
        *LIST.lock().unwrap() = text;
    });
    LIST.lock().unwrap().clone()
}

fn main() {
    let port = std::env::args().nth(1).unwrap();
    let listener = TcpListener::bind(format!("127.0.0.1:{}", port)).unwrap();
    Builder::new().name("warmer".into()).spawn(|| {
        let mut go = String::new();
        std::io::stdin().read_line(&mut go).unwrap();
        println!("warm {}", list());
    }).unwrap();
    for connection in listener.incoming() {
        let mut out = connection.unwrap();
        Builder::new().name("desk".into()).spawn(move || {
            let mut input = BufReader::new(out.try_clone().unwrap());
            let mut request = String::new();
            input.read_line(&mut request).unwrap();
            let mut line = String::new();
            while input.read_line(&mut line).unwrap() > 2 {
                line.clear();
            }
            let answer = if request.starts_with("GET /prices ") { list() } else { "open".to_string() };
            let _ = write!(out, "HTTP/1.0 200 OK\\r\\nContent-Length: {}\\r\\n\\r\\n{}", answer.len(), answer);
        }).unwrap();
    }
}
"""
PRICES = """
set x 1
while {![file exists enough]} {
    for {set i 0} {$i < 20000} {incr i} { set x [expr {($x * 7919 + $i) % 1000003}] }
}
puts -nonewline "bolt 17"
"""


def play(s):
    port = s.port()
    for name, text in ("shop.rs", SHOP), ("prices.tcl", PRICES):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["rustc", "-O", "--edition", "2021", "-o", "shop", "shop.rs"], timeout=180)
    s.start("server", [s.path("shop"), port], talk=True)
    s.wait("the server listens", lambda: s.connects(port))
    s.wait("its threads are there", lambda: s.threads("server", "warmer") and not s.threads("server", "desk"))
    s.role("warmer", s.pid("server"), s.threads("server", "warmer")[0])
    s.start("bystander", ["tclsh", "prices.tcl"])

    def get(what):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (port, what)]

    s.begin()
    s.say("server", "go")
    s.wait("tclsh runs", lambda: [p for p in children(s.pid("server")) if proc(p, "comm") == "tclsh\n"])
    s.role("tclsh", s.child("server", "tclsh"))
    victim = s.start("victim", get("prices"))
    s.wait("a desk serves curl", lambda: s.threads("server", "desk"))
    s.role("desk", s.pid("server"), s.threads("server", "desk")[0])
    s.wait("the desk waits", lambda: s.syscall("desk") == "futex")
    s.during("tclsh computes", lambda: s.state("tclsh") == "R")
    s.during("the other tclsh computes", lambda: s.state("bystander") == "R")
    s.during("the warmer reads from tclsh", lambda: s.syscall("warmer") in ("read", "recvfrom", "poll") and
             s.state("warmer") == "S")
    s.during("the desk waits for the warmer", lambda: s.syscall("desk") == "futex" and s.state("desk") == "S")
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
    s.during("another page comes", lambda: s.out(get("hours"), timeout=5) == "open")
    s.hang(victim="victim", culprits=["tclsh"], causes=["busy"], vague=["warmer"], stuck=["desk"],
           wrong=["bystander", "server", "test"])
    yield
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    s.ended("victim")
    s.check("curl has the list", s.output("victim") == "bolt 17")

# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a Rust server. Two of its threads send messages to each other through bounded channels, and wait: both channels
are full, and each thread would read its own channel only after its send."""
HELD_OUT = False
NEEDS = {"rustc": "rustc", "curl": "curl"}
# A line on the input starts the repair, which takes messages out of one of the channels.
SHOP = r"""
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;

enum Job { Order(TcpStream, u32), Priced(TcpStream, u32), Part }

static SENT: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];
static DONE: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

fn send(from: usize, to: &SyncSender<Job>, job: Job) {
    SENT[from].fetch_add(1, Ordering::SeqCst);
    to.send(job).unwrap();
    DONE[from].fetch_add(1, Ordering::SeqCst);
}

fn next(from: &Arc<Mutex<Receiver<Job>>>) -> Job {
    from.lock().unwrap().recv().unwrap()
}

fn answer(mut c: TcpStream, said: String) {
    let _ = write!(c, "HTTP/1.0 200 OK\r\n\r\n{}", said);
}

fn named<F: FnOnce() + Send + 'static>(name: &str, f: F) {
    thread::Builder::new().name(name.into()).spawn(f).unwrap();
}

fn main() {
    let port = std::env::args().nth(1).unwrap();
    let (to_intake, r0) = sync_channel::<Job>(4);
    let (to_pricing, r1) = sync_channel::<Job>(4);
    let (intake, pricing) = (Arc::new(Mutex::new(r0)), Arc::new(Mutex::new(r1)));
    let (jobs, ask, desk) = (intake.clone(), to_pricing.clone(), to_intake.clone());
    named("intake", move || loop {
        match next(&jobs) {
            Job::Order(c, n) => {
                for _ in 0..n { send(0, &ask, Job::Part) }
                send(0, &ask, Job::Order(c, n))
            }
            Job::Priced(c, n) => answer(c, format!("priced {}", n)),
            Job::Part => (),
        }
    });
    let (jobs, back) = (pricing.clone(), to_intake.clone());
    named("pricing", move || loop {
        match next(&jobs) {
            Job::Order(c, n) => send(1, &back, Job::Priced(c, n)),
            _ => for _ in 0..2 { send(1, &back, Job::Part) },
        }
    });
    let spare = intake.clone();
    named("repair", move || {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap();
        loop {
            if let Ok(r) = spare.try_lock() {
                if let Ok(Job::Priced(c, n)) = r.try_recv() { answer(c, format!("priced {}", n)) }
            }
            thread::sleep(std::time::Duration::from_millis(5));
        }
    });
    let server = TcpListener::bind(format!("127.0.0.1:{}", port)).unwrap();
    for c in server.incoming() {
        let c = c.unwrap();
        let mut line = String::new();
        let mut lines = BufReader::new(c.try_clone().unwrap().take(4096));
        lines.read_line(&mut line).unwrap();
        loop {
            let mut head = String::new();
            if lines.read_line(&mut head).unwrap() == 0 || head.trim().is_empty() { break }
        }
        if line.contains("/order/") {
            let n = line.split('/').nth(2).unwrap().split(' ').next().unwrap().parse().unwrap();
            desk.send(Job::Order(c, n)).unwrap();
        } else {
            let v = |i: usize| SENT[i].load(Ordering::SeqCst) - DONE[i].load(Ordering::SeqCst);
            answer(c, format!("intake sends {} pricing sends {} done {}", v(0), v(1), DONE[0].load(Ordering::SeqCst)));
        }
    }
}
"""


def play(s):
    port = s.port()
    with open(s.path("shop.rs"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["rustc", "--edition", "2021", "-A", "warnings", "shop.rs"], timeout=100)
    s.start("shop", [s.path("shop"), port], talk=True)
    s.wait("the server listens", lambda: s.connects(port))

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (port, page)]

    def status():
        return s.out(get("status"), timeout=5)

    s.check("a small order is priced", s.out(get("order/1")) == "priced 1")
    s.check("no thread sends", status().startswith("intake sends 0 pricing sends 0 "))
    for name in "intake", "pricing", "repair":
        s.role(name, s.pid("shop"), s.threads("shop", name)[0])

    s.begin()
    victim = s.start("victim", get("order/100"))
    s.wait("both threads wait in a send", lambda: status().startswith("intake sends 1 pricing sends 1 ") and
           s.syscall("intake") == "futex" == s.syscall("pricing"))
    said = status()
    s.during("both threads wait in the same send", lambda: status() == said)
    s.during("both threads sleep", lambda: s.syscall("intake") == "futex" == s.syscall("pricing"))
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.hang(victim="victim", culprits=["intake", "pricing"], causes=["circular-wait"], wrong=["shop", "repair", "test"])
    yield
    s.say("shop", "repair")
    s.ended("victim")
    s.check("the order is priced", s.output("victim") == "priced 100")

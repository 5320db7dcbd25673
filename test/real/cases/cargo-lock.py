# SPDX-License-Identifier: GPL-2.0-or-later
"""cargo waits for the lock of its target directory. Another cargo owns it, and waits for a build script that computes."""
import os

HELD_OUT = False
NEEDS = {"cargo": "cargo", "rustc": "rustc", "gcc": "gcc"}
MANIFEST = """[package]
name = "shop"
version = "0.1.0"
edition = "2021"
build = "build.rs"
"""
BUILD = """use std::time::{Duration, Instant};
fn main() {
    println!("cargo:rerun-if-changed=seconds");
    let seconds = std::fs::read_to_string("seconds").unwrap().trim().parse().unwrap();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut x = 1u64;
    while Instant::now() < end {
        for _ in 0..1000 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        }
    }
    println!("cargo:rustc-env=TABLE={}", x | 1);
}
"""


def play(s):
    env = {**os.environ, "CARGO_HOME": s.path("cargo-home"), "CARGO_TARGET_DIR": "target", "CARGO_TERM_COLOR": "never"}

    def computes(seconds):
        """Sets the seconds of the build script. cargo then runs the script again."""
        with open(os.path.join(s.path("shop"), "seconds"), "w", encoding="ascii") as f:
            f.write("%d\n" % seconds)

    os.makedirs(os.path.join(s.path("shop"), "src"))
    for name, text in (("Cargo.toml", MANIFEST), ("build.rs", BUILD),
                       ("src/main.rs", 'fn main() { println!("{}", env!("TABLE")); }\n')):
        with open(os.path.join(s.path("shop"), name), "w", encoding="ascii") as f:
            f.write(text)
    computes(0)
    cargo = ["cargo", "build", "--offline", "-j1"]
    s.start("first", cargo, env=env, cwd=s.path("shop"))
    s.wait("the first build ends", lambda: s.processes["first"][0].poll() is not None, 60)
    s.check("the first build is good", s.processes["first"][0].returncode == 0)

    lock = os.path.join(s.path("shop"), "target", "debug", ".cargo-lock")
    computes(s.seconds + 3)
    owner = s.start("owner", cargo, env=env, cwd=s.path("shop"))
    s.wait("the build script runs", lambda: s.child("owner", "build-script-bu"))
    s.role("script", s.child("owner", "build-script-bu"))
    s.wait("the owner has the lock", lambda: s.locks(lock)["owners"] == [owner.pid])

    s.begin()
    victim = s.start("victim", cargo, env=env, cwd=s.path("shop"))
    s.wait("the victim waits for the lock", lambda: s.locks(lock)["waiters"] == [victim.pid])
    s.during("the victim waits for the lock, and the owner has it",
             lambda: s.locks(lock) == {"owners": [owner.pid], "waiters": [victim.pid]})
    s.during("the victim says so", lambda: "Blocking waiting for file lock on" in s.output("victim"))
    s.during("the owner waits for the build script, which computes",
             lambda: s.uses_cpu("script", 0.2) and not s.uses_cpu("owner", 0.1, 0.2))
    s.hang(victim="victim", culprits=["owner", "script"], causes=["lock-holder", "busy"], wrong=["test"])
    yield
    s.ended("owner")
    s.ended("victim")
    s.check("the victim found nothing to do", "Finished" in s.output("victim") and "Compiling" not in s.output("victim"))

# SPDX-License-Identifier: GPL-2.0-or-later
"""An asyncio task waits for a thread of its executor, which waits for a file lock. perl owns the lock, and reads its input."""
from scene import proc

HELD_OUT = False
NEEDS = {"python3": "python3", "perl": "perl"}

DESK = """
import asyncio, fcntl, sys

def store():
    with open("book", "a") as book:
        fcntl.lockf(book, fcntl.LOCK_EX)
        book.write("parcel\\n")

async def main():
    for i in range(2):
        await asyncio.to_thread(sys.stdin.readline)
        await asyncio.to_thread(store)
        print("stored", i, flush=True)

asyncio.run(main())
"""
OWNER = r"""
use Fcntl;
$| = 1;
open(my $book, '>>', 'book') or die;
while (<STDIN>) {
    my $type = /^lock/ ? F_WRLCK : F_UNLCK;
    fcntl($book, F_SETLKW, pack('s s l! l! i', $type, 0, 0, 0, 0)) or die;
    print "done\n";
}
"""


def play(s):
    for name, text in ("desk.py", DESK), ("owner.pl", OWNER):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("owner", ["perl", "owner.pl"], talk=True)
    s.start("bystander", ["perl", "owner.pl"], talk=True)
    main = s.start("victim", ["/usr/bin/python3", "desk.py"], talk=True)
    s.say("victim", "go")
    s.wait("the desk stores its first parcel", lambda: "stored 0" in s.output("victim"))
    s.check("perl has the lock", s.ask("owner", "lock") == "done")

    s.begin()
    s.say("victim", "go")
    s.wait("a process waits for the lock", lambda: s.locks(s.path("book"))["waiters"])

    def waits(tid):
        """Whether a thread waits for a lock of fcntl(2)."""
        return int(proc(main.pid, "syscall", tid).split()[0]) == 72 and "setlk" in proc(main.pid, "wchan", tid)

    s.wait("a thread waits for the lock", lambda: any(waits(tid) for tid in s.threads("victim")))
    s.role("worker", main.pid, next(tid for tid in s.threads("victim") if waits(tid)))
    s.during("the desk waits for the lock of perl", lambda: s.locks(s.path("book")) == {
        "owners": [s.pid("owner")], "waiters": [main.pid]})
    s.during("a thread waits for the lock, and it is not the main thread",
             lambda: waits(s.roles["worker"][1]) and s.roles["worker"][1] != main.pid)
    s.during("the main thread waits for events", lambda: s.syscall("victim") == "epoll_wait" and s.state("victim") == "S" and
             "stored 1" not in s.output("victim"))
    s.during("perl waits for a line", lambda: s.syscall("owner") == "read" and s.state("owner") == "S")
    s.hang(victim="victim", culprits=["owner", "test"], causes=["lock-holder", "external", "slow-peer"], stuck=["worker"],
           wrong=["bystander"])
    yield
    s.check("perl unlocks", s.ask("owner", "unlock") == "done")
    s.ended("victim")
    s.check("the desk stored its second parcel", "stored 1" in s.output("victim"))

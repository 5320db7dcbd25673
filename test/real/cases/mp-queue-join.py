# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python program waits for the end of its child. The child waits until the program reads their multiprocessing.Queue."""
import signal

HELD_OUT = False
NEEDS = {"python3": "python3"}

# A thread of the child writes to the queue's pipe, which is full. SIGUSR1 makes the program read the queue.
REPORT = """
import multiprocessing, signal, sys, time

def work(queue, size):
    queue.put(b"x" * size)

def idle():
    time.sleep(100)

def read(*_):
    print("got", len(queue.get()), flush=True)

if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    queue = multiprocessing.Queue()
    signal.signal(signal.SIGUSR1, read)
    multiprocessing.Process(target=idle, daemon=True).start()
    print("ready", flush=True)
    sys.stdin.readline()
    child = multiprocessing.Process(target=work, args=(queue, 1 << 20))
    child.start()
    child.join()
    print("joined", flush=True)
"""


def play(s):
    with open(s.path("report.py"), "w", encoding="ascii") as f:
        f.write(REPORT)
    victim = s.start("victim", ["python3", "report.py"], talk=True)
    s.wait("the program is ready", lambda: "ready" in s.output("victim") and s.child("victim"))
    s.role("idle", s.child("victim"))

    s.begin()
    s.say("victim", "go")

    def workers():
        with open("/proc/%d/task/%d/children" % (victim.pid, victim.pid), encoding="ascii") as f:
            return [int(x) for x in f.read().split() if int(x) != s.pid("idle")]

    s.wait("the child is there", lambda: len(workers()) == 1 and s.role("child", workers()[0]) and
           len(s.threads("child")) == 2)
    s.role("feeder", s.pid("child"), max(s.threads("child")))
    s.wait("the child's thread waits", lambda: s.syscall("feeder") == "write")
    s.during("the child's thread waits in a write to the pipe",
             lambda: s.syscall("feeder") == "write" and "pipe" in s.wchan("feeder"))
    s.during("the child waits for its thread", lambda: s.syscall("child") == "futex" and s.state("child") == "S")
    s.during("the program waits for the child", lambda: victim.poll() is None and s.syscall("victim") == "wait4" and
             "joined" not in s.output("victim"))
    s.hang(victim="victim", culprits=["victim", "child", "feeder"], causes=["circular-wait", "slow-peer"],
           wrong=["idle", "test"])
    yield
    victim.send_signal(signal.SIGUSR1)
    s.ended("victim")
    s.check("the program went on", "got %d\njoined" % (1 << 20) in s.output("victim"))

# SPDX-License-Identifier: GPL-2.0-or-later
"""make waits for pytest, whose only test has passed. pytest waits at its exit for a thread that the test has started. The
thread waits for the next job of its queue, which nobody puts there."""
import os
import signal

HELD_OUT = False
NEEDS = {"make": "make", "python3": "python3", "pytest-3": "python3-pytest"}
TEST = """
import queue, threading

class Printer:
    def __init__(self):
        self.jobs, self.printed = queue.Queue(), []
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while (job := self.jobs.get()) is not None:
            self.printed.append(job)
            self.jobs.task_done()

    def close(self):
        self.jobs.put(None)

def test_one_page():
    printer = Printer()
    printer.jobs.put("page")
    printer.jobs.join()
    assert printer.printed == ["page"]
"""


def play(s):
    for name, text in ("test_printer.py", TEST), ("test_closed.py", TEST + "    printer.close()\n"), \
            ("Makefile", "check-%:\n\t/usr/bin/python3 -m pytest -q -p no:cacheprovider test_$*.py\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "HOME": s.where}
    s.start("closed", ["make", "check-closed"], env=env)
    s.ended("closed")  # with close(), the test ends
    s.start("bystander", ["tail", "-f", "Makefile"])

    s.begin()
    victim = s.start("victim", ["make", "check-printer"], env=env)
    s.wait("pytest runs", lambda: s.child("victim", "python3"))
    s.role("pytest", s.child("victim", "python3"))
    s.wait("the test has passed", lambda: "1 passed" in s.output("victim"))
    s.wait("pytest has two threads", lambda: len(s.threads("pytest")) == 2)
    s.role("worker", s.pid("pytest"), next(t for t in s.threads("pytest") if t != s.pid("pytest")))
    s.wait("both threads wait", lambda: s.syscall("pytest") == s.syscall("worker") == "futex")
    s.during("the thread waits for a job", lambda: s.syscall("worker") == "futex" and s.state("worker") == "S")
    s.during("pytest waits for the thread", lambda: s.syscall("pytest") == "futex" and s.state("pytest") == "S" and
             len(s.threads("pytest")) == 2 and not s.uses_cpu("pytest", 0.02, 0.2))
    s.during("make waits for pytest", lambda: victim.poll() is None and s.wchan("victim") == "do_wait" and
             s.child("victim") == s.pid("pytest"))
    s.hang(victim="victim", culprits=["worker"], causes=["missing-wakeup", "external", "slow-peer"], vague=["pytest"],
           wrong=["bystander", "test"])
    yield
    os.kill(s.pid("pytest"), signal.SIGINT)  # the user presses Ctrl-C, and Python does not wait for the thread any more
    s.ended("victim")
    s.check("Python was at its exit", "_shutdown" in s.output("victim"))

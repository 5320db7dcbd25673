# SPDX-License-Identifier: GPL-2.0-or-later
"""A Java thread joins a task of a ForkJoinPool. The pool's only worker waits for a file lock, whose owner is idle."""
import os
import re

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless",
         "python3": "python3"}

BOOKS = """
import java.io.*;
import java.nio.channels.*;
import java.util.concurrent.*;
public class Books {
    static int book(String file) {
        try (RandomAccessFile f = new RandomAccessFile(file, "rw"); FileLock l = f.getChannel().lock()) {
            return file.length();
        } catch (IOException e) {
            return -1;
        }
    }
    public static void main(String[] a) throws Exception {
        ForkJoinPool pool = new ForkJoinPool(1), other = new ForkJoinPool(1);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready " + pool.submit(() -> book("spare")).join() + " " + other.submit(() -> 1).join());
        in.readLine();
        pool.submit(() -> book("ledger"));
        in.readLine();
        Thread t = new Thread(() -> System.out.println("sum " + pool.submit(() -> 6 * 7).join()), "victim");
        t.start();
        t.join();
        System.exit(0);
    }
}
"""
OWNER = """
import fcntl, sys
f = open(sys.argv[1], "w")
fcntl.lockf(f, fcntl.LOCK_EX)
print("owns", flush=True)
sys.stdin.readline()
"""


def play(s):
    for name, text in ("Books.java", BOOKS), ("owner.py", OWNER), ("ledger", ""), ("spare", ""), ("other", ""):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["javac", "Books.java"])
    for name, path in ("owner", "ledger"), ("bystander", "other"):
        s.start(name, ["/usr/bin/python3", "owner.py", path], talk=True)
        s.wait("%s has its lock" % name, lambda name=name, path=path: s.locks(s.path(path))["owners"] == [s.pid(name)])
    jvm = s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Books"], talk=True)
    s.wait("the program is ready", lambda: "ready 5 1" in s.output("jvm"), 30)

    def stack(name):
        found = re.search(r'^"%s" .*?\n\n' % name, s.out(["jcmd", jvm.pid, "Thread.print"]) + "\n\n", re.M | re.S)
        return found.group() if found else ""

    def tid(name):
        return int(re.search(r" nid=(\w+)", stack(name)).group(1), 0)

    s.begin()
    s.say("jvm", "book")
    s.wait("the worker waits for the lock", lambda: s.locks(s.path("ledger"))["waiters"] == [jvm.pid])
    s.say("jvm", "sum")
    s.wait("the victim waits for its task", lambda: "ForkJoinTask.join" in stack("victim"))
    s.role("victim", jvm.pid, tid("victim"))
    s.role("worker", jvm.pid, tid("ForkJoinPool-1-worker-1"))
    s.during("the owner has the lock, for which the JVM waits",
             lambda: s.locks(s.path("ledger")) == {"owners": [s.pid("owner")], "waiters": [jvm.pid]})
    s.during("the worker waits for the lock", lambda: s.syscall("worker") == "fcntl" and
             "Books.book" in stack("ForkJoinPool-1-worker-1"))
    s.during("the victim waits for its task", lambda: "ForkJoinTask.join" in stack("victim") and
             s.syscall("victim") == "futex" and s.state("victim") == "S")
    s.during("the pool has one worker", lambda: stack("ForkJoinPool-1-worker-2") == "")
    s.during("the owner reads its input", lambda: s.syscall("owner") == "read" and os.path.samefile(
        "/proc/%d/fd/0" % s.pid("owner"), "/proc/self/fd/%d" % s.processes["owner"][0].stdin.fileno()))
    s.hang(victim="victim", culprits=["owner", "test"], causes=["lock-holder", "external"], vague=["worker"],
           wrong=["bystander", "jvm"])
    yield
    s.say("owner", "done")
    s.ended("jvm")
    s.check("the task ran", "sum 42" in s.output("jvm"))

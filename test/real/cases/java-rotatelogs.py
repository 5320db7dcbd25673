# SPDX-License-Identifier: GPL-2.0-or-later
"""A Java thread waits for the lock of System.out. Another thread has this lock, and waits, because the pipe for the log is
full. rotatelogs should read the pipe. It writes the log to a slow disk, and waits for this disk."""
import re
import time

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless",
         "rotatelogs": "apache2-utils", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}
SHOP = """
import java.io.*;
public class Shop {
    public static void main(String[] a) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.err.println("ready");
        in.readLine();
        String book = "a parcel goes to the counter, and a letter to the desk of the clerk\\n".repeat(30000);
        Thread audit = new Thread(() -> System.out.println(book), "audit");
        audit.start();
        in.readLine();
        Thread desk = new Thread(() -> {
            System.out.println("a sale");
            System.err.println("sold");
        }, "desk");
        desk.start();
        desk.join();
        audit.join();
    }
}
"""


def play(s):
    disk, _, limit = s.slow_disk(64, "write", "-o", "sync")
    with open(s.path("Shop.java"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["javac", "Shop.java"], timeout=120)
    fifo = s.path("log.pipe")
    s.out(["mkfifo", fifo])
    s.start("rotatelogs", ["sh", "-c", "exec rotatelogs %s/log 40M <log.pipe" % disk])
    jvm = s.start("jvm", ["sh", "-c", "exec java -Xshare:auto -Xmx64m -cp %s Shop >log.pipe" % s.where], talk=True)
    s.wait("the program is ready", lambda: "ready" in s.output("jvm"), 30)
    limit(20 << 10)

    def stack(name):
        found = re.search(r'^"%s" .*?\n\n' % name, s.out(["jcmd", jvm.pid, "Thread.print"]) + "\n\n", re.M | re.S)
        return found.group() if found else ""

    def tid(name):
        return int(re.search(r" nid=(\w+)", stack(name)).group(1), 0)

    def mostly(what):
        """Looks many times. Returns whether `what` was true in most of these looks."""
        looks = []
        for _ in range(30):
            looks.append(what())
            time.sleep(0.01)
        return sum(looks) > 15

    s.say("jvm", "audit")
    s.wait("the audit runs", lambda: stack("audit"))
    s.role("audit", jvm.pid, tid("audit"))
    s.wait("rotatelogs waits for the disk", lambda: mostly(lambda: s.state("rotatelogs") == "D"))
    s.wait("the audit waits for the pipe", lambda: mostly(lambda: "pipe" in s.wchan("audit")))

    s.begin()
    s.say("jvm", "desk")
    s.wait("the desk runs", lambda: stack("desk"))
    s.role("victim", jvm.pid, tid("desk"))
    s.wait("the desk waits for the lock", lambda: "PrintStream" in stack("desk") and s.syscall("victim") == "futex")
    s.during("rotatelogs waits for the disk", lambda: mostly(lambda: s.state("rotatelogs") == "D"))
    s.during("the audit waits for the pipe", lambda: mostly(lambda: "pipe" in s.wchan("audit")))
    s.during("the desk waits", lambda: s.state("victim") == "S" and s.syscall("victim") == "futex" and
             "sold" not in s.output("jvm"))
    s.hang(victim="victim", culprits=["rotatelogs"], causes=["disk"], vague=["audit", "jvm"], wrong=["test"])
    yield
    limit(0)
    s.ended("jvm")
    s.check("the sale is done", "sold" in s.output("jvm"))

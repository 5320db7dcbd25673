# SPDX-License-Identifier: GPL-2.0-or-later
"""A Java thread waits for a monitor. The owner of the monitor reads the answer of a sqlite3 that SIGSTOP has stopped."""
import os
import re
import signal

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless",
         "sqlite3": "sqlite3"}

SHOP = """
import java.io.*;
public class Shop {
    static final Object stock = new Object();
    static BufferedReader answers;
    static Writer questions;
    static String ask() throws IOException {
        synchronized (stock) {
            questions.write("select 6 * 7;\\n");
            questions.flush();
            return answers.readLine();
        }
    }
    static void named(String name) {
        new Thread(() -> {
            try { System.out.println(name + " has " + ask()); } catch (IOException e) { System.exit(3); }
        }, name).start();
    }
    public static void main(String[] a) throws Exception {
        Process p = new ProcessBuilder("sqlite3", "-batch", ":memory:").start();
        answers = new BufferedReader(new InputStreamReader(p.getInputStream()));
        questions = new OutputStreamWriter(p.getOutputStream());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready " + ask());
        for (String line; (line = in.readLine()) != null; )
            named(line);
    }
}
"""


def play(s):
    with open(s.path("Shop.java"), "w", encoding="utf-8") as f:
        f.write(SHOP)
    s.out(["javac", "Shop.java"])
    s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Shop"], talk=True)
    s.wait("the program is ready", lambda: "ready 42" in s.output("jvm"))
    s.start("bystander", ["sqlite3", "-batch", ":memory:"], talk=True)
    base = s.role("base", s.child("jvm", "sqlite3"))

    def thread(role):
        s.say("jvm", role)
        s.wait("%s is there" % role, lambda: s.threads("jvm", role))
        s.role(role, s.pid("jvm"), s.threads("jvm", role)[0])

    def stack(name):
        found = re.search(r'^"%s" .*?\n\n' % name, s.out(["jcmd", s.pid("jvm"), "Thread.print"]) + "\n\n", re.M | re.S)
        return found.group() if found else ""

    def monitor(name, how):
        return re.search(r"- %s <(0x\w+)> \(a java.lang.Object\)" % how, stack(name)).group(1)

    s.begin()
    os.kill(base, signal.SIGSTOP)
    s.wait("sqlite3 stops", lambda: s.state("base") == "T")
    thread("owner")
    s.wait("the owner waits for sqlite3", lambda: "readLine" in stack("owner"))
    thread("victim")
    s.wait("the victim waits for the monitor", lambda: "BLOCKED" in stack("victim"))
    s.during("sqlite3 is stopped", lambda: s.state("base") == "T")
    s.during("the owner reads from sqlite3", lambda: s.syscall("owner") == "read" and "readBytes" in stack("owner"))
    s.during("the victim waits for the monitor of the owner",
             lambda: monitor("victim", "waiting to lock") == monitor("owner", "locked") and s.syscall("victim") == "futex")
    s.hang(victim="victim", culprits=["base", "test"], causes=["stopped"], vague=["owner"], wrong=["bystander", "jvm"])
    yield
    os.kill(base, signal.SIGCONT)
    s.went_on("the victim has its answer", lambda: "victim has 42" in s.output("jvm"))
    s.check("the owner has its answer", "owner has 42" in s.output("jvm"))

# SPDX-License-Identifier: GPL-2.0-or-later
"""A Java thread waits for a Semaphore. The exporter has its only permit, and writes to a brotli. cpulimit stops this brotli
again and again, so that brotli runs for 1 % of the time."""
import os
import re
import signal
import time

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless",
         "brotli": "brotli", "cpulimit": "cpulimit"}
SHOP = """
import java.io.*;
import java.util.concurrent.*;
public class Shop {
    static final Semaphore disk = new Semaphore(1);
    static void export() {
        try {
            disk.acquire();
            Process packer = new ProcessBuilder("cpulimit", "-l", "1", "-f", "--", "brotli", "-q", "9", "-c")
                .redirectOutput(new File("export.br")).redirectError(new File("said")).start();
            System.out.println("packs");
            try (OutputStream out = packer.getOutputStream()) {
                for (int i = 0; i % 1000 != 0 || !new File("enough").exists(); i++)
                    out.write(("row " + i + " costs " + i * 7919L % 100003 + "\\n").getBytes());
            }
            packer.waitFor();
        } catch (IOException | InterruptedException e) {
            System.out.println(e);  // the end of cpulimit closes the stream
        } finally {
            disk.release();
        }
    }
    public static void main(String[] a) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        in.readLine();
        Thread exporter = new Thread(() -> export(), "exporter");
        exporter.start();
        in.readLine();
        Thread report = new Thread(() -> {
            disk.acquireUninterruptibly();
            System.out.println("reported");
        }, "report");
        report.start();
        report.join();
        exporter.join();
    }
}
"""


def play(s):
    with open(s.path("Shop.java"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["javac", "Shop.java"])
    jvm = s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Shop"], talk=True)
    s.wait("the program is ready", lambda: "ready" in s.output("jvm"), 30)
    s.start("bystander", ["sh", "-c", "yes parcel | brotli -q 9 -c | cat >/dev/null"])
    s.wait("the other brotli runs", lambda: s.child("bystander", "brotli"))
    s.role("bystander_brotli", s.child("bystander", "brotli"))

    def stack(name):
        found = re.search(r'^"%s" .*?\n\n' % name, s.out(["jcmd", jvm.pid, "Thread.print"]) + "\n\n", re.M | re.S)
        return found.group() if found else ""

    def tid(name):
        return int(re.search(r" nid=(\w+)", stack(name)).group(1), 0)

    def found(comm):
        return [p for p in descendants(jvm.pid) if proc(p, "comm") == comm + "\n"]

    s.say("jvm", "export")
    s.wait("brotli runs", lambda: "packs" in s.output("jvm") and found("brotli"))
    s.role("cpulimit", found("cpulimit")[0])
    s.role("brotli", found("brotli")[0])

    def mostly(what):
        """Looks many times. Returns whether `what` was true in most of these looks."""
        looks = []
        for _ in range(30):
            looks.append(what())
            time.sleep(0.01)
        return sum(looks) > 15

    def stopped():
        return s.state("brotli") == "T"

    def full():
        return s.syscall("exporter") == "write" and "pipe" in s.wchan("exporter")

    s.role("exporter", jvm.pid, tid("exporter"))
    s.wait("brotli is stopped most of the time", lambda: mostly(stopped))
    s.wait("the exporter waits", lambda: mostly(full))

    s.begin()
    s.say("jvm", "report")
    s.wait("the report waits", lambda: "Semaphore.acquire" in stack("report"))
    s.role("victim", jvm.pid, tid("report"))
    s.during("brotli is stopped most of the time", lambda: mostly(stopped) and found("cpulimit"))
    s.during("the exporter waits for the pipe to brotli", lambda: mostly(full))
    s.during("the report waits", lambda: s.syscall("victim") == "futex" and s.state("victim") == "S" and
             "reported" not in s.output("jvm"))
    s.during("the other brotli is not stopped", lambda: s.state("bystander_brotli") in "RS")
    s.hang(victim="victim", culprits=["brotli", "cpulimit"], causes=["stopped", "starved"], vague=["exporter"],
           wrong=["bystander_brotli", "bystander", "jvm", "test"])
    yield
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    for role, sig in ("cpulimit", signal.SIGTERM), ("brotli", signal.SIGCONT):
        os.kill(s.pid(role), sig)
    s.ended("jvm")
    s.check("the report came", "reported" in s.output("jvm"))

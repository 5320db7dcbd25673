# SPDX-License-Identifier: GPL-2.0-or-later
"""A Java thread waits for a CompletableFuture. The courier thread should complete it, but has died of an exception. So no
task completes it."""
import os
import re

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless"}
SHOP = """
import java.io.*;
import java.nio.file.*;
import java.util.concurrent.*;
public class Shop {
    static CompletableFuture<Integer> deliver(String parcel) {
        CompletableFuture<Integer> done = new CompletableFuture<>();
        Thread courier = new Thread(() -> {
            try { Thread.sleep(200); } catch (InterruptedException e) { }
            try { System.out.println("courier of " + parcel + ": " + Files.readSymbolicLink(Path.of("/proc/thread-self"))); }
            catch (IOException e) { }
            done.complete(Integer.parseInt(parcel));
        }, "courier");
        courier.start();
        return done;
    }
    static volatile CompletableFuture<Integer> last;
    public static void main(String[] a) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Thread other = new Thread(() -> {
            for (int i = 0; ; i++) {
                try { deliver("" + i).get(); } catch (Exception e) { }
                System.out.println("other " + i);
            }
        }, "other");
        other.setDaemon(true);
        other.start();
        for (String line; (line = in.readLine()) != null; ) {
            String parcel = line;
            if (parcel.equals("lost")) {
                last.complete(-1);
                continue;
            }
            new Thread(() -> {
                try {
                    last = deliver(parcel);
                    System.out.println("delivered " + last.get());
                } catch (Exception e) {
                    System.out.println(e);
                }
            }, "desk").start();
        }
    }
}
"""


def play(s):
    with open(s.path("Shop.java"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["javac", "Shop.java"], timeout=120)
    jvm = s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Shop"], talk=True)
    s.wait("the program runs", lambda: "other 1" in s.output("jvm"), 30)

    def stack(name):
        found = re.search(r'^"%s" .*?\n\n' % name, s.out(["jcmd", jvm.pid, "Thread.print"]) + "\n\n", re.M | re.S)
        return found.group() if found else ""

    def tid(name):
        return int(re.search(r" nid=(\w+)", stack(name)).group(1), 0)

    s.say("jvm", "16")
    s.wait("a parcel is delivered", lambda: "delivered 16" in s.output("jvm"))
    s.wait("no desk waits", lambda: not stack("desk"))
    s.role("other", jvm.pid, tid("other"))

    s.begin()
    s.say("jvm", "17 kg")
    s.wait("the courier dies", lambda: "NumberFormatException" in s.output("jvm"))
    s.wait("the desk waits", lambda: "CompletableFuture.get" in stack("desk"))
    s.role("victim", jvm.pid, tid("desk"))
    s.role("courier", jvm.pid, int(re.search(r"courier of 17 kg: \d+/task/(\d+)", s.output("jvm")).group(1)))
    s.check("the courier is gone", not os.path.exists("/proc/%d/task/%d" % s.roles["courier"]))
    s.during("the desk waits for the parcel", lambda: s.syscall("victim") == "futex" and s.state("victim") == "S" and
             "CompletableFuture.get" in stack("desk"))
    seen = [0]

    def goes_on():
        before, seen[0] = seen[0], s.output("jvm").count("other")
        return seen[0] > before or s.wait("another parcel", lambda: s.output("jvm").count("other") > before) is None

    s.during("other parcels are delivered", goes_on)
    s.hang(victim="victim", culprits=["victim", "courier"], causes=["missing-wakeup"], wrong=["other", "jvm", "test"])
    yield
    s.say("jvm", "lost")
    s.went_on("the desk goes on", lambda: "delivered -1" in s.output("jvm"))

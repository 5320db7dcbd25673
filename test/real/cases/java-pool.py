# SPDX-License-Identifier: GPL-2.0-or-later
"""A job of a Java thread pool waits for a second job of the pool. The pool has one thread, so the second job is queued."""
import re

HELD_OUT = True
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless"}

OFFICE = """
import java.util.concurrent.*;
public class Office {
    public static void main(String[] a) throws Exception {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>(),
            r -> new Thread(r, "clerk"));
        ThreadPoolExecutor other = new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>(),
            r -> new Thread(r, "idle-clerk"));
        other.submit(() -> "x").get();
        pool.submit(() -> "x").get();
        ScheduledExecutorService gauge = Executors.newScheduledThreadPool(1, r -> new Thread(r, "gauge"));
        gauge.scheduleAtFixedRate(() -> System.out.println("active=" + pool.getActiveCount() + " queued=" +
            pool.getQueue().size() + " done=" + pool.getCompletedTaskCount()), 0, 200, TimeUnit.MILLISECONDS);
        int seconds = Integer.parseInt(a[0]);
        System.in.read();
        Thread desk = new Thread(() -> {
            try {
                System.out.println("report: " + pool.submit(() -> {
                    Future<String> page = pool.submit(() -> "page");
                    try {
                        return page.get(seconds, TimeUnit.SECONDS);
                    } catch (TimeoutException e) {
                        return "no page";
                    }
                }).get());
                System.exit(0);
            } catch (Exception e) {
                System.exit(3);
            }
        }, "desk");
        desk.start();
    }
}
"""


def play(s):
    with open(s.path("Office.java"), "w", encoding="utf-8") as f:
        f.write(OFFICE)
    s.out(["javac", "Office.java"])
    # The job that waits gives up by itself, a second after the last check.
    s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Office", s.seconds + 2], talk=True)
    s.wait("both pools have their thread, and nothing is queued", lambda: "active=0 queued=0 done=1" in s.output("jvm"))
    for name in "clerk", "idle-clerk":
        s.role(name, s.pid("jvm"), s.threads("jvm", name)[0])

    def stack(name):
        found = re.search(r'^"%s" .*?\n\n' % name, s.out(["jcmd", s.pid("jvm"), "Thread.print"]) + "\n\n", re.M | re.S)
        return found.group() if found else ""

    def gauge():
        return [line for line in s.output("jvm").splitlines() if "done=" in line][-1]

    s.begin()
    s.say("jvm", "go")
    s.wait("the desk is there", lambda: s.threads("jvm", "desk"))
    s.role("desk", s.pid("jvm"), s.threads("jvm", "desk")[0])
    s.wait("the second job is queued", lambda: gauge() == "active=1 queued=1 done=1")
    s.during("one job runs, and one is queued", lambda: gauge() == "active=1 queued=1 done=1")
    s.during("the only thread of the pool waits for the queued job",
             lambda: "FutureTask.get" in stack("clerk") and "Office.lambda" in stack("clerk"))
    s.during("the desk waits for the job", lambda: "FutureTask.get" in stack("desk") and s.syscall("desk") == "futex")
    # The clerk waits, with a timer, for a job that only the clerk can do.
    s.hang(victim="desk", culprits=["clerk"], causes=["queueing", "missing-wakeup", "circular-wait", "timer"],
           wrong=["idle-clerk", "test"])
    yield
    s.ended("jvm")
    s.check("the clerk gave up", "report: no page" in s.output("jvm"))

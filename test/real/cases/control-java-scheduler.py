# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a ScheduledExecutorService of Java counts the parcels each 0.4 s. Its other thread, and a second pool, have
nothing to do, and wait for a job."""
import re

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless"}
SHOP = """
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
public class Shop {
    static ThreadFactory named(String name) {
        AtomicInteger n = new AtomicInteger();
        return r -> new Thread(r, name + n.incrementAndGet());
    }
    public static void main(String[] a) throws Exception {
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, named("clock"));
        ExecutorService desks = Executors.newFixedThreadPool(2, named("desk"));
        for (int i = 0; i < 2; i++) {
            int n = i;
            desks.submit(() -> System.out.println("desk " + n));
        }
        clock.schedule(() -> System.out.println("a day later"), 1, TimeUnit.DAYS);
        AtomicInteger parcels = new AtomicInteger();
        clock.scheduleAtFixedRate(() -> System.out.println("parcels " + parcels.addAndGet(3)), 0, 400, TimeUnit.MILLISECONDS);
    }
}
"""


def play(s):
    with open(s.path("Shop.java"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["javac", "Shop.java"], timeout=120)
    jvm = s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Shop"])

    def parcels():
        return s.output("jvm").count("parcels")

    s.wait("the clock runs", lambda: parcels() > 2 and s.output("jvm").count("desk") == 2, 30)
    stacks = s.out(["jcmd", jvm.pid, "Thread.print"])
    for name in "clock1", "clock2", "desk1", "desk2":
        s.role(name, jvm.pid, int(re.search(r'^"%s" .* nid=(\w+)' % name, stacks, re.M).group(1), 0))

    s.begin()
    first, seen = parcels(), [0]

    def goes_on():
        before = max(seen[0], parcels())
        s.wait("the clock counts", lambda: parcels() > before, 2)
        seen[0] = parcels()
        return True

    s.during("the clock counts", goes_on)
    s.during("the desks wait for a job", lambda: all(s.syscall(x) == "futex" for x in ("desk1", "desk2")))
    s.during("the program does not compute", lambda: not s.uses_cpu("jvm", 0.3, 0.2))
    s.normal(victim="clock1", causes=["timer"])
    yield
    s.check("the clock was in time", abs(parcels() - first - s.seconds / 0.4) <= 3)
    n = parcels()
    s.went_on("it goes on", lambda: parcels() > n)

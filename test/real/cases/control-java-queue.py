# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a Java thread takes parcels out of a BlockingQueue. Another thread puts in one parcel every 20 ms."""
HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless"}

SHOP = """
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
public class Shop {
    public static void main(String[] a) throws Exception {
        BlockingQueue<Long> belt = new ArrayBlockingQueue<>(10);
        AtomicInteger sold = new AtomicInteger();
        AtomicLong latest = new AtomicLong();
        new Thread(() -> {
            try {
                for (long put; (put = belt.take()) != 0; sold.incrementAndGet())
                    latest.accumulateAndGet(System.nanoTime() - put, Math::max);
                System.out.println("closed");
            } catch (InterruptedException e) {
                System.exit(3);
            }
        }, "clerk").start();
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1, r -> new Thread(r, "porter"));
        clock.scheduleAtFixedRate(() -> {
            try {
                belt.put(System.nanoTime());
            } catch (InterruptedException e) {
                System.exit(3);
            }
        }, 0, 20, TimeUnit.MILLISECONDS);
        System.out.println("ready");
        for (int line; (line = System.in.read()) == '\\n';)
            System.out.println(sold.get() + " " + belt.size() + " " + latest.getAndSet(0) / 1000000);
        clock.shutdown();
        clock.awaitTermination(1, TimeUnit.SECONDS);
        belt.put(0L);
    }
}
"""


def play(s):
    with open(s.path("Shop.java"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["javac", "Shop.java"])
    s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Shop"], talk=True)
    s.wait("the shop is open", lambda: "ready" in s.output("jvm"))

    def gauge():
        """[parcels sold, parcels on the belt, longest wait of a parcel in ms since the last call]"""
        return [int(x) for x in s.ask("jvm", "").split()]

    s.wait("the shop sells", lambda: gauge()[0] > 50)
    for name in "clerk", "porter":
        s.role(name, s.pid("jvm"), s.threads("jvm", name)[0])
    gauge()

    s.begin()
    first, seen = gauge()[0], [0]

    def sells():
        before, (seen[0], belt, latest) = seen[0], gauge()
        return seen[0] > before and belt < 5 and latest < 500

    s.during("more parcels are sold, and none waits for long", sells)
    s.during("the clerk uses little CPU", lambda: not s.uses_cpu("clerk", 0.3))
    s.normal(victim="clerk", causes=["timer"])
    yield
    s.check("25 parcels were sold in each second", gauge()[0] - first > 25 * s.seconds)
    s.say("jvm", "x")
    s.ended("jvm")
    s.check("the shop has closed", "closed" in s.output("jvm"))

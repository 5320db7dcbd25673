# SPDX-License-Identifier: GPL-2.0-or-later
"""A Java thread waits for the write lock of a ReentrantReadWriteLock. It has the read lock itself, and does not give it back: a
read lock cannot become a write lock. So it waits for itself."""
import re

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless"}
SHOP = """
import java.io.*;
import java.util.*;
import java.util.concurrent.locks.*;
public class Shop {
    static final ReentrantReadWriteLock prices = new ReentrantReadWriteLock(), stock = new ReentrantReadWriteLock();
    static final Map<String, Integer> cache = new HashMap<>();
    static volatile Thread desk;
    static int price(String parcel) throws InterruptedException {
        prices.readLock().lock();
        try {
            Integer price = cache.get(parcel);
            if (price == null) {
                prices.writeLock().lockInterruptibly();
                try { cache.put(parcel, price = parcel.length()); }
                finally { prices.writeLock().unlock(); }
            }
            return price;
        } finally { prices.readLock().unlock(); }
    }
    public static void main(String[] a) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        cache.put("letter", 1);
        Thread other = new Thread(() -> {
            for (int i = 0; ; i++) {
                stock.writeLock().lock();
                System.out.println("stock " + i);
                stock.writeLock().unlock();
                try { Thread.sleep(200); } catch (InterruptedException e) { }
            }
        }, "stock");
        other.setDaemon(true);
        other.start();
        for (String line; (line = in.readLine()) != null; ) {
            String parcel = line;
            if (parcel.equals("stop")) {
                desk.interrupt();
                continue;
            }
            desk = new Thread(() -> {
                try { System.out.println("price " + price(parcel)); }
                catch (InterruptedException e) { System.out.println("no price"); }
            }, "desk");
            desk.start();
        }
    }
}
"""


def play(s):
    with open(s.path("Shop.java"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["javac", "Shop.java"], timeout=120)
    jvm = s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Shop"], talk=True)
    s.wait("the program runs", lambda: "stock 1" in s.output("jvm"), 30)
    s.say("jvm", "letter")
    s.wait("a known price comes", lambda: "price 1" in s.output("jvm"))

    def threads(*options):
        return s.out(["jcmd", jvm.pid, "Thread.print", *options])

    def stack(name):
        found = re.search(r'^"%s" .*?\n\n' % name, threads() + "\n\n", re.M | re.S)
        return found.group() if found else ""

    def tid(name):
        return int(re.search(r" nid=(\w+)", stack(name)).group(1), 0)

    s.wait("no desk is open", lambda: not stack("desk"))
    s.role("stock", jvm.pid, tid("stock"))

    s.begin()
    s.say("jvm", "parcel")
    s.wait("the desk waits", lambda: "WriteLock.lockInterruptibly" in stack("desk"), 30)
    s.role("victim", jvm.pid, tid("desk"))
    s.during("the desk waits for the write lock", lambda: s.syscall("victim") == "futex" and s.state("victim") == "S" and
             "WriteLock.lockInterruptibly" in stack("desk") and "price" not in s.output("jvm").partition("price 1")[2])
    # Only Shop.price() uses this lock, and no other thread is in it.
    s.during("no other thread has the lock", lambda: threads("-l").count("Shop.price(") == 1)
    seen = [0]

    def goes_on():
        before, seen[0] = seen[0], s.output("jvm").count("stock")
        return seen[0] > before or s.wait("the stock is counted", lambda: s.output("jvm").count("stock") > before) is None

    s.during("another thread goes on", goes_on)
    s.hang(victim="victim", culprits=["victim"], causes=["circular-wait", "missing-wakeup"], wrong=["stock", "jvm", "test"])
    yield
    s.say("jvm", "stop")
    s.went_on("the desk goes on", lambda: "no price" in s.output("jvm"))

# SPDX-License-Identifier: GPL-2.0-or-later
"""A Java thread waits for a lock. Its owner waits for another lock, whose owner waits for the first: a deadlock."""
import re

HELD_OUT = True
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless"}

KITCHEN = """
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
public class Kitchen {
    static final ReentrantLock pot = new ReentrantLock(), stove = new ReentrantLock(), sink = new ReentrantLock();
    static final CyclicBarrier both = new CyclicBarrier(2);
    static Thread cook(String name, ReentrantLock first, ReentrantLock second) {
        return new Thread(() -> {
            first.lock();
            try {
                both.await();
                second.lockInterruptibly();
                second.unlock();
                System.out.println(name + " has cooked");
            } catch (InterruptedException e) {
                System.out.println(name + " gives up");
            } catch (BrokenBarrierException e) {
                System.exit(3);
            } finally {
                first.unlock();
            }
        }, name);
    }
    public static void main(String[] a) throws Exception {
        Thread washer = new Thread(() -> {
            for (;;) {
                sink.lock();
                try {
                    Thread.sleep(20);
                } catch (InterruptedException e) {
                    System.exit(3);
                } finally {
                    sink.unlock();
                }
            }
        }, "washer");
        washer.setDaemon(true);
        washer.start();
        System.out.println("ready");
        System.in.read();
        Thread tea = cook("tea", pot, stove), cake = cook("cake", stove, pot);
        tea.start();
        cake.start();
        System.in.read();
        Thread guest = new Thread(() -> {
            pot.lock();
            System.out.println("guest has eaten");
            pot.unlock();
        }, "guest");
        guest.start();
        System.in.read();
        cake.interrupt();
        guest.join();
    }
}
"""


def play(s):
    with open(s.path("Kitchen.java"), "w", encoding="utf-8") as f:
        f.write(KITCHEN)
    s.out(["javac", "Kitchen.java"])
    jvm = s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Kitchen"], talk=True)
    s.wait("the JVM is ready", lambda: "ready" in s.output("jvm"))

    def press():
        jvm.stdin.write(b".")
        jvm.stdin.flush()

    def thread(name):
        s.wait("%s is there" % name, lambda: s.threads("jvm", name))
        s.role(name, s.pid("jvm"), s.threads("jvm", name)[0])

    def dump():
        return s.out(["jcmd", s.pid("jvm"), "Thread.print"]) + "\n\n"

    def stack(name, said):
        found = re.search(r'^"%s" .*?\n\n' % name, said, re.M | re.S)
        return found.group() if found else ""

    def deadlock(said):
        """Whether the JVM itself finds that tea and cake wait for each other."""
        found = said.partition("Found one Java-level deadlock")[2].partition("Java stack information")[0]
        return '"tea":' in found and '"cake":' in found and "guest" not in found

    thread("washer")
    press()
    for name in "tea", "cake":
        thread(name)
    s.wait("the JVM finds a deadlock", lambda: deadlock(dump()))

    s.begin()
    press()
    thread("guest")
    s.wait("the guest waits for the pot", lambda: "ReentrantLock.lock(" in stack("guest", dump()))
    s.during("the JVM finds a deadlock of tea and cake", lambda: deadlock(dump()))
    s.during("the guest waits for a lock", lambda: "ReentrantLock.lock(" in stack("guest", dump()) and
             s.syscall("guest") == "futex")
    s.during("tea and cake sleep", lambda: s.syscall("tea") == s.syscall("cake") == "futex")
    s.hang(victim="guest", culprits=["tea", "cake"], causes=["circular-wait"], wrong=["washer", "jvm", "test"])
    yield
    press()
    s.ended("jvm")
    s.check("cake gave up, and then the others went on", all(
        word in s.output("jvm") for word in ("cake gives up", "tea has cooked", "guest has eaten")))

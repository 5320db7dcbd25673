# SPDX-License-Identifier: GPL-2.0-or-later
"""A Java thread waits for a lock. Its owner waits for a second lock, whose owner waits for the first one."""
import re

HELD_OUT = True
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless"}

# "east" gives up after some seconds. This ends the circle.
BANK = """
import java.io.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
public class Bank {
    static final ReentrantLock anna = new ReentrantLock(), bert = new ReentrantLock();
    static final CyclicBarrier both = new CyclicBarrier(2);
    static void pay(ReentrantLock from, ReentrantLock to, int seconds) {
        from.lock();
        try {
            both.await();
            if (to.tryLock(seconds, TimeUnit.SECONDS))
                to.unlock();
            else
                System.out.println(Thread.currentThread().getName() + " gives up");
        } catch (Exception e) {
            System.exit(3);
        } finally {
            from.unlock();
        }
    }
    public static void main(String[] a) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        new Thread(() -> LockSupport.park(), "bystander").start();
        System.out.println("ready");
        in.readLine();
        new Thread(() -> pay(anna, bert, Integer.parseInt(a[0])), "east").start();
        new Thread(() -> pay(bert, anna, 600), "west").start();
        in.readLine();
        new Thread(() -> { anna.lock(); System.out.println("audit done"); anna.unlock(); }, "audit").start();
        in.readLine();
        System.exit(0);
    }
}
"""


def play(s):
    with open(s.path("Bank.java"), "w", encoding="utf-8") as f:
        f.write(BANK)
    s.out(["javac", "Bank.java"])
    s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Bank", s.seconds + 5], talk=True)
    s.wait("the program is ready", lambda: "ready" in s.output("jvm"))

    def thread(role, name):
        s.wait("%s is there" % name, lambda: s.threads("jvm", name))
        s.role(role, s.pid("jvm"), s.threads("jvm", name)[0])

    def stack(name):
        found = re.search(r'^"%s" .*?\n\n.*?\n\n' % name, s.out(["jcmd", s.pid("jvm"), "Thread.print", "-l"]) + "\n\n",
                          re.M | re.S)
        return found.group() if found else ""

    def has(name):
        return set(re.findall(r"\t- <(0x\w+)>", stack(name)))

    def wants(name):
        return set(re.findall(r"parking to wait for +<(0x\w+)>", stack(name)))

    s.say("jvm", "go")
    for name in "east", "west", "bystander":
        thread(name, name)
    s.wait("each waits for the other", lambda: wants("east") and wants("east") == has("west") and wants("west") == has("east"))

    s.begin()
    s.say("jvm", "go")
    thread("victim", "audit")
    s.wait("audit waits for the lock of east", lambda: wants("audit") == has("east"))
    s.during("east and west wait for each other", lambda: wants("east") == has("west") and wants("west") == has("east"))
    s.during("audit waits for the lock of east", lambda: wants("audit") == has("east") and len(has("east")) == 1)
    s.during("the threads wait", lambda: {s.syscall(x) for x in ("victim", "east", "west")} == {"futex"} and
             "audit done" not in s.output("jvm"))
    s.hang(victim="victim", culprits=["east", "west"], causes=["circular-wait", "lock-holder", "missing-wakeup", "timer"],
           wrong=["bystander", "jvm", "test"])
    yield
    s.went_on("audit has its lock", lambda: "audit done" in s.output("jvm"))
    s.check("east has given up", "east gives up" in s.output("jvm"))
    s.say("jvm", "end")

# SPDX-License-Identifier: GPL-2.0-or-later
"""A Java thread waits in System.exit for a shutdown hook. The hook waits for the end of a worker thread, and the worker
waits in a System.exit of its own, until the first one is done. All three are to blame."""
import re

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless"}
TILL = """
import java.io.*;
import java.util.concurrent.*;
public class Till {
    static volatile boolean closing;
    public static void main(String[] a) throws Exception {
        SynchronousQueue<String> said = new SynchronousQueue<>();
        Thread cashier = new Thread(() -> {
            try {
                while (!closing)
                    Thread.sleep(50);
            } catch (InterruptedException e) { }
            System.exit(3); // no more work is a failure
        }, "cashier");
        Thread drain = new Thread(() -> {
            closing = true;
            try {
                cashier.join();
            } catch (InterruptedException e) { }
            System.out.println("drained");
        }, "drain");
        Runtime.getRuntime().addShutdownHook(drain);
        cashier.start();
        Thread idler = new Thread(() -> {
            try {
                new Semaphore(0).acquire();
            } catch (InterruptedException e) { }
        }, "idler");
        idler.setDaemon(true);
        idler.start();
        new Thread(() -> {
            try {
                said.take();
            } catch (InterruptedException e) { }
            System.exit(0);
        }, "closer").start();
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        said.put(in.readLine());
        in.readLine();
        drain.interrupt();
        in.readLine();
    }
}
"""


def play(s):
    with open(s.path("Till.java"), "w", encoding="ascii") as f:
        f.write(TILL)
    s.out(["javac", "Till.java"])
    s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Till"], talk=True)
    s.wait("the program is ready", lambda: "ready" in s.output("jvm"))

    def thread(role):
        s.wait("%s is there" % role, lambda: s.threads("jvm", role))
        s.role(role, s.pid("jvm"), s.threads("jvm", role)[0])

    def stack(name):
        found = re.search(r'^"%s" .*?\n\n' % name, s.out(["jcmd", s.pid("jvm"), "Thread.print"]) + "\n\n", re.M | re.S)
        return found.group() if found else ""

    for name in "idler", "cashier", "closer":
        thread(name)

    s.begin()
    s.say("jvm", "close")
    thread("drain")

    def circle():
        return ("ApplicationShutdownHooks.runHooks" in stack("closer") and "Till.lambda" in stack("drain") and
                "Thread.join" in stack("drain") and "waiting to lock" in stack("cashier") and
                "java.lang.Shutdown.exit" in stack("cashier"))

    s.wait("the threads wait for each other", circle)
    s.during("the threads wait for each other", circle)
    s.during("the threads sleep", lambda: all(s.syscall(t) == "futex" for t in ("closer", "drain", "cashier")))
    s.during("the program is not closed", lambda: "drained" not in s.output("jvm"))
    s.hang(victim="closer", culprits=["closer", "drain", "cashier"], causes=["circular-wait"],
           wrong=["idler", "jvm", "test"])
    yield
    s.say("jvm", "enough")
    s.ended("jvm")
    s.check("the hook ran", "drained" in s.output("jvm"))

# SPDX-License-Identifier: GPL-2.0-or-later
"""A Java thread waits for a class. The thread that initializes it asks a redis-server that SIGSTOP has stopped."""
import os
import re
import signal

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless",
         "redis-server": "redis-server", "redis-cli": "redis-tools"}

SHOP = """
import java.io.*;
import java.net.Socket;
public class Shop {
    static int port;
    static String get(String key) {
        try (Socket c = new Socket("127.0.0.1", port)) {
            c.getOutputStream().write(("GET " + key + "\\r\\n").getBytes());
            BufferedReader in = new BufferedReader(new InputStreamReader(c.getInputStream()));
            in.readLine();
            return in.readLine();
        } catch (IOException e) {
            throw new RuntimeException(e);
        }
    }
    static class Settings {
        static final String currency = get("currency");
    }
    static void named(String name, Runnable r) {
        new Thread(r, name).start();
    }
    public static void main(String[] a) throws Exception {
        port = Integer.parseInt(a[0]);
        Object never = new Object();
        named("sleeper", () -> {
            synchronized (never) {
                try { never.wait(); } catch (InterruptedException e) { }
            }
        });
        System.out.println("ready " + get("currency"));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            String name = line;
            named(name, () -> System.out.println(name + " pays in " + Settings.currency));
        }
    }
}
"""


def play(s):
    ports = {"redis": s.port(), "bystander": s.port()}
    with open(s.path("Shop.java"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["javac", "Shop.java"])
    for name, port in ports.items():
        s.start(name, ["redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.where])
        s.wait("%s answers" % name, lambda port=port: s.connects(port))
        s.out(["redis-cli", "-p", port, "SET", "currency", "euro"])
    s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Shop", ports["redis"]], talk=True)
    s.wait("the program is ready", lambda: "ready euro" in s.output("jvm"))

    def thread(role):
        s.wait("%s is there" % role, lambda: s.threads("jvm", role))
        s.role(role, s.pid("jvm"), s.threads("jvm", role)[0])

    def stack(name):
        found = re.search(r'^"%s" .*?\n\n' % name, s.out(["jcmd", s.pid("jvm"), "Thread.print"]) + "\n\n", re.M | re.S)
        return found.group() if found else ""

    thread("sleeper")

    s.begin()
    os.kill(s.pid("redis"), signal.SIGSTOP)
    s.wait("redis-server stops", lambda: s.state("redis") == "T")
    s.say("jvm", "first")
    thread("first")
    s.wait("the first thread waits for redis-server", lambda: "Settings.<clinit>" in stack("first") and
           "readLine" in stack("first"))
    s.say("jvm", "victim")
    thread("victim")
    s.wait("the victim waits for the class", lambda: "Class initialization monitor" in stack("victim"))
    s.during("redis-server is stopped", lambda: s.state("redis") == "T")
    s.during("the first thread waits for redis-server", lambda: "Settings.<clinit>" in stack("first") and
             "readLine" in stack("first"))
    s.during("the victim waits for the class", lambda: "Class initialization monitor for Shop$Settings" in stack("victim") and
             s.syscall("victim") == "futex")
    s.during("the other redis-server works",
             lambda: s.out(["redis-cli", "-p", ports["bystander"], "PING"], timeout=5) == "PONG")
    s.hang(victim="victim", culprits=["redis", "test"], causes=["stopped"], vague=["first"],
           wrong=["bystander", "sleeper", "jvm"])
    yield
    os.kill(s.pid("redis"), signal.SIGCONT)
    s.went_on("the victim has the class", lambda: "victim pays in euro" in s.output("jvm"))
    s.check("the first thread has its answer", "first pays in euro" in s.output("jvm"))

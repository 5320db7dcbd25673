# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a thread of a Java server, which waits for a ReentrantReadWriteLock to read the prices. Another thread waits to
write, so new readers wait behind it. It waits for a third thread, which has the lock to read, and sends an export under it. The
client of the export is a curl that reads slowly on purpose (--limit-rate): it sleeps."""
import re

HELD_OUT = True
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless",
         "curl": "curl"}
SHOP = """
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

public class Shop {
    static final ReentrantReadWriteLock prices = new ReentrantReadWriteLock();
    static int price = 17;

    static void send(HttpExchange x, int times) throws IOException {
        byte[] part = ("price " + price + "\\n").repeat(times).getBytes();
        x.sendResponseHeaders(200, 0);
        try (OutputStream out = x.getResponseBody()) {
            for (int i = 0; i < times; i++)
                out.write(part);
        }
    }

    static void answer(HttpExchange x) throws IOException {
        String page = x.getRequestURI().getPath().substring(1);
        Thread.currentThread().setName(page.isEmpty() ? "idle" : page);
        if (page.equals("hello")) {
            send(x, 0);
        } else if (page.equals("refresh")) {
            prices.writeLock().lock();
            try { price++; send(x, 1); } finally { prices.writeLock().unlock(); }
        } else {
            prices.readLock().lock();
            try { send(x, page.equals("export") ? 1500 : 1); } finally { prices.readLock().unlock(); }
        }
        Thread.currentThread().setName("idle");
    }

    public static void main(String[] a) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(a[0])), 0);
        server.createContext("/", Shop::answer);
        server.setExecutor(Executors.newFixedThreadPool(6));
        server.start();
    }
}
"""


def play(s):
    port = s.port()
    with open(s.path("Shop.java"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["javac", "Shop.java"], timeout=120)
    jvm = s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Shop", port])
    s.wait("the server listens", lambda: s.connects(port), 30)

    def get(page, *words):
        return ["curl", "-sS", *words, "http://127.0.0.1:%s/%s" % (port, page)]

    def stack(name):
        found = re.search(r'^"%s" .*?\n\n' % name, s.out(["jcmd", jvm.pid, "Thread.print"]) + "\n\n", re.M | re.S)
        return found.group() if found else ""

    def tid(name):
        return int(re.search(r" nid=(\w+)", stack(name)).group(1), 0)

    s.check("a price comes", s.out(get("price")) == "price 17")
    mobile = s.start("mobile", get("export", "--limit-rate", "2k", "-o", s.path("export")))

    def unread():
        """The bytes of the export that its client has not read yet."""
        row = [r for r in s.out(["ss", "-tnpH", "state", "established", "dport = :" + port]).splitlines()
                   if "pid=%d," % mobile.pid in r][0]
        return int(row.split()[0])

    def exports():
        return "socketWrite" in stack("export") or "SocketDispatcher.write" in stack("export") or "Net.poll" in stack("export")

    s.wait("the export waits for its client", lambda: unread() > 10000 and exports())
    s.role("export", jvm.pid, tid("export"))

    s.begin()
    refresh = s.start("refresh", get("refresh"))
    s.wait("the writer waits", lambda: "WriteLock.lock" in stack("refresh"))
    s.role("writer", jvm.pid, tid("refresh"))
    victim = s.start("victim", get("price"))
    s.wait("the reader waits", lambda: "ReadLock.lock" in stack("price"))
    s.role("reader", jvm.pid, tid("price"))
    s.during("the reader waits behind the writer", lambda: "WriteLock.lock" in stack("refresh") and
             "ReadLock.lock" in stack("price") and s.syscall("reader") == "futex" == s.syscall("writer"))
    s.during("the export waits for its client", lambda: unread() > 10000 and exports() and s.state("export") == "S")
    s.during("the client of the export sleeps", lambda: mobile.poll() is None and not s.uses_cpu("mobile", 0.3, 0.3))
    s.during("the server answers others", lambda: s.out(get("hello"), timeout=5) == "")
    s.during("curl waits", lambda: victim.poll() is None and refresh.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["mobile"], causes=["timer", "slow-peer"], vague=["export", "writer"], stuck=["reader"],
           wrong=["jvm", "refresh", "test"])
    yield
    mobile.terminate()
    s.ended("victim")
    s.ended("refresh")
    s.check("the price came", s.output("victim") == "price 18\n")

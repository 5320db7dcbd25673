# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a Java server whose heap is nearly full, because of a cache that is too big. The VM thread collects garbage
again and again, frees little each time, and meanwhile the thread of curl's request stands still."""
import re
import time

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "curl": "curl"}
SHOP = """
import com.sun.net.httpserver.*;
import java.io.File;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;

public class Shop {
    static volatile List<List<byte[]>> cache = new ArrayList<>();
    static volatile byte[] last;

    static List<byte[]> megabyte() {
        List<byte[]> part = new ArrayList<>();
        for (int i = 0; i < 9000; i++)
            part.add(new byte[96]);
        return part;
    }

    static long used() {
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    static void fill(long limit) {
        for (;;) {
            while (used() < limit)
                cache.add(megabyte());
            System.gc();
            if (used() >= limit)
                return;
        }
    }

    public static void main(String[] a) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(a[0])), 0);
        server.createContext("/", exchange -> {
            int n = exchange.getRequestURI().getPath().equals("/report") ? 30000 : 10;
            for (int i = 0; i < n; i++)
                last = new byte[32 << 10];
            byte[] page = ("made of " + n).getBytes();
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.setExecutor(Executors.newFixedThreadPool(2, r -> new Thread(r, "desk")));
        server.start();
        fill(Runtime.getRuntime().maxMemory() - (Integer.parseInt(a[1]) << 20));
        System.out.println("ready");
        while (!new File("flush").exists())
            Thread.sleep(100);
        cache = new ArrayList<>();
        System.out.println("flushed");
        Thread.sleep(3600000);
    }
}
"""


def play(s):
    with open(s.path("Shop.java"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["javac", "Shop.java"], timeout=120)
    ports = {"jvm": s.port(), "bystander": s.port()}
    for name, free in ("jvm", 6), ("bystander", 150):
        s.start(name, ["java", "-XX:+UseSerialGC", "-Xms200m", "-Xmx200m", "-Xlog:disable", "-Xlog:gc:file=%s.gc" % name,
                       "-cp", s.where, "Shop", ports[name], free])
        s.wait("the server is ready", lambda name=name: "ready" in s.output(name), 60)

    def get(name, page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (ports[name], page)]

    for name, page in ("jvm", ""), ("jvm", ""), ("bystander", "report"):
        s.check("%s makes a page" % name, s.out(get(name, page), timeout=15).startswith("made of"))
    s.role("vm", s.pid("jvm"), s.threads("jvm", "VM Thread")[0])
    s.role("main", s.pid("jvm"), s.threads("jvm", "java")[-1])
    s.role("dispatcher", s.pid("jvm"), s.threads("jvm", "HTTP-Dispatcher")[0])
    for i, tid in enumerate(s.threads("jvm", "desk")):
        s.role("desk%d" % i, s.pid("jvm"), tid)

    def pauses():
        """The times of the full collections, in seconds."""
        with open(s.path("jvm.gc"), encoding="ascii") as f:
            return [float(x) / 1000 for x in re.findall(r"Pause Full .* ([\d.]+)ms\n", f.read())]

    n = len(pauses())

    s.begin()
    victim = s.start("victim", get("jvm", "report"))
    s.wait("the JVM collects garbage", lambda: len(pauses()) > n + 1)
    began, before = time.monotonic(), len(pauses())

    def mostly_pauses():
        """Whether full collections took most of the time so far. The last one may not have ended."""
        done = pauses()[before:]
        return len(done) > 0 and sum(done) + max(done) > 0.6 * (time.monotonic() - began)

    s.during("one full collection follows the other", mostly_pauses)
    s.during("the VM thread computes", lambda: s.uses_cpu("vm", 0.15, 0.4))
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll") and
             "flushed" not in s.output("jvm"))
    s.during("the other server answers", lambda: s.out(get("bystander", "report"), timeout=8) == "made of 30000")
    s.hang(victim="victim", culprits=["vm", "jvm"], causes=["busy", "memory"],
           stuck=["dispatcher", *(r for r in s.roles if r.startswith("desk"))], wrong=["main", "bystander", "test"])
    yield
    with open(s.path("flush"), "w", encoding="ascii"):
        pass
    s.wait("the cache is flushed", lambda: "flushed" in s.output("jvm"), 20)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "made of 30000")

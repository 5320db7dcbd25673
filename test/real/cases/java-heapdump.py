# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a Java server, which stands still at a safepoint: jmap has asked for a dump of the heap. The VM thread
writes the dump to a slow disk, and waits for this disk."""
import os
import time

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jmap": "openjdk-17-jdk-headless",
         "curl": "curl", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}
SHOP = """
import com.sun.net.httpserver.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;

public class Shop {
    static final List<byte[]> stock = new ArrayList<>();

    public static void main(String[] a) throws Exception {
        for (int i = 0; i < 8000; i++)
            stock.add(new byte[1000]);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(a[0])), 0);
        server.createContext("/", exchange -> {
            byte[] page = ("stock " + stock.size() + "\\n").getBytes();
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.setExecutor(Executors.newFixedThreadPool(2, r -> new Thread(r, "desk")));
        server.start();
        System.out.println("ready");
    }
}
"""


def play(s):
    port = s.port()
    disk, _, limit = s.slow_disk(128, "write", "-o", "sync")  # written without a cache
    dump = os.path.join(disk, "heap.hprof")
    with open(s.path("Shop.java"), "w", encoding="utf-8") as f:
        f.write(SHOP)
    s.out(["javac", "Shop.java"], timeout=120)
    java = ["java", "-XX:+UseSerialGC", "-Xmx64m", "-cp", s.where, "Shop"]
    ports = {"jvm": port, "bystander": s.port()}
    for name, number in ports.items():
        s.start(name, [*java, number])
        s.wait("the server is ready", lambda name=name: "ready" in s.output(name), 60)

    def get(name):
        return ["curl", "-sS", "http://127.0.0.1:%s/" % ports[name]]

    for name in ports:
        s.check("the page comes", s.out(get(name)) == "stock 8000")
    for name, comm in ("dispatcher", "HTTP-Dispatcher"), ("desk", "desk"):
        s.role(name, s.pid("jvm"), s.threads("jvm", comm)[0])
    s.role("vm", s.pid("jvm"), s.threads("jvm", "VM Thread")[0])
    limit(300 << 10)

    s.begin()
    s.start("jmap", ["jmap", "-dump:format=b,file=" + dump, s.pid("jvm")])
    s.wait("the VM thread writes the dump", lambda: os.path.exists(dump) and s.syscall("vm") == "write", 30)
    victim = s.start("victim", get("jvm"))

    def waits_for_disk():
        """Looks at the VM thread many times. Returns whether it waited for the disk in most of these looks."""
        looks = []
        for _ in range(30):
            looks.append(s.state("vm") == "D")
            time.sleep(0.01)
        return sum(looks) > 15

    s.wait("it waits for the disk", waits_for_disk)
    s.during("the VM thread waits for the disk", waits_for_disk)
    s.during("the dump is not complete", lambda: os.path.getsize(dump) < 8 << 20)
    s.during("curl waits for the server", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
    s.during("the other server answers", lambda: s.out(get("bystander"), timeout=8) == "stock 8000")
    s.hang(victim="victim", culprits=["vm"], causes=["disk"], vague=["jvm", "jmap"], stuck=["dispatcher", "desk"],
           wrong=["bystander", "test"])
    yield
    limit(0)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "stock 8000\n")
    s.wait("jmap ends", lambda: s.processes["jmap"][0].poll() is not None, 30)
    s.check("the dump is complete", os.path.getsize(dump) > 8 << 20)

# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a Java server. Its thread waits for the lock of the log handler, whose owner sends an export's log lines to a
log server, and waits because the log server does not read. A regular expression of the log server backtracks without end."""
import re

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "jcmd": "openjdk-17-jdk-headless",
         "python3": "python3", "curl": "curl"}
SHOP = """
import com.sun.net.httpserver.*;
import java.net.*;
import java.util.concurrent.*;
import java.util.logging.*;

public class Shop {
    static final Logger log = Logger.getLogger("shop");

    static void page(HttpServer server, String path, Runnable work) {
        server.createContext(path, exchange -> {
            work.run();
            byte[] page = "done\\n".getBytes();
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
    }

    public static void main(String[] a) throws Exception {
        System.setProperty("java.util.logging.SimpleFormatter.format", "%5$s%n");
        SocketHandler handler = new SocketHandler("127.0.0.1", Integer.parseInt(a[1]));
        handler.setFormatter(new SimpleFormatter());
        log.setUseParentHandlers(false);
        log.addHandler(handler);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(a[0])), 0);
        page(server, "/hours", () -> { });
        page(server, "/order", () -> log.info("order"));
        page(server, "/note", () -> log.info("a".repeat(40) + "!"));
        page(server, "/export", () -> {
            for (int i = 0; i < 4000; i++)
                log.info("row " + "x".repeat(4000));
        });
        server.setExecutor(Executors.newFixedThreadPool(4, r -> new Thread(r, "desk")));
        server.start();
        System.out.println("ready");
    }
}
"""
LOGS = """
import re, socket, sys
words = re.compile(r"^(\\w+\\s?)*$")
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen()
print("listens", flush=True)
connection, _ = listener.accept()
for line in connection.makefile(encoding="utf-8"):
    print("text" if words.match(line.strip()) else "other", flush=True)
"""


def play(s):
    for name, text in ("Shop.java", SHOP), ("logs.py", LOGS):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["javac", "Shop.java"], timeout=120)
    ports = {}
    for name, logs in ("jvm", "logs"), ("bystander", "other_logs"):
        ports[name], port = s.port(), s.port()
        s.start(logs, ["python3", "logs.py", port])
        s.wait("the log server listens", lambda logs=logs: "listens" in s.output(logs))
        s.start(name, ["java", "-Xshare:auto", "-Xmx128m", "-cp", s.where, "Shop", ports[name], port])
        s.wait("the server is ready", lambda name=name: "ready" in s.output(name), 60)

    def get(page, name="jvm"):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (ports[name], page)]

    def stacks(what):
        """The threads for requests that have these words in their stacks: {tid: stack}"""
        found = re.findall(r'^"desk" .*? nid=(\w+) (.*?\n)\n', s.out(["jcmd", s.pid("jvm"), "Thread.print"]) + "\n\n",
                           re.M | re.S)
        return {int(nid, 0): stack for nid, stack in found if what in stack}

    s.check("an order is logged", s.out(get("order")) == "done")
    s.wait("the line is there", lambda: "text" in s.output("logs"))
    s.check("a note is logged", s.out(get("note")) == "done")
    s.wait("the log server computes", lambda: s.uses_cpu("logs", 0.2))
    s.start("export", get("export"))
    s.wait("the export waits for the log server", lambda: stacks("Net.poll") or stacks("SocketDispatcher.write"), 20)
    s.role("exporter", s.pid("jvm"), list(stacks("SocketHandler.publish"))[0])
    s.wait("it does not go on", lambda: s.state("exporter") == "S" and not s.uses_cpu("exporter", 0.01))

    s.begin()
    victim = s.start("victim", get("order"))
    s.wait("the order waits for the handler", lambda: stacks("waiting to lock"))
    desk = list(stacks("waiting to lock"))
    s.check("one thread waits", len(desk) == 1)
    s.role("desk", s.pid("jvm"), desk[0])
    s.during("the thread waits for the lock of the handler", lambda: list(stacks("waiting to lock")) == desk and
             "SocketHandler" in stacks("waiting to lock")[desk[0]] and s.syscall("desk") == "futex")
    s.during("the owner of the lock sends", lambda: s.syscall("exporter") in ("poll", "write", "sendto") and
             s.state("exporter") == "S")
    s.during("the log server computes", lambda: s.uses_cpu("logs", 0.2))
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the server answers others", lambda: s.out(get("hours"), timeout=8) == "done")
    s.during("the other server logs", lambda: s.out(get("order", "bystander"), timeout=8) == "done")
    s.hang(victim="victim", culprits=["logs"], causes=["busy"], vague=["exporter", "jvm"], stuck=["desk"],
           wrong=["export", "bystander", "other_logs", "test"])
    yield
    s.processes["logs"][0].kill()
    s.ended("victim")
    s.ended("export")
    s.check("the page came", s.output("victim") == "done\n")

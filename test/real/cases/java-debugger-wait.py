# SPDX-License-Identifier: GPL-2.0-or-later
"""make waits for a Java program, which was started with suspend=y: it waits until a debugger connects. No debugger comes."""
import contextlib
import os
import socket
import struct

HELD_OUT = False
NEEDS = {"make": "make", "java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "ss": "iproute2"}
CHECK = """
public class Check {
    public static void main(String[] a) {
        System.out.println("checked");
    }
}
"""
MAKEFILE = """check:
\tjava -Xshare:auto -Xmx64m -agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:%s Check
"""


def play(s):
    port = s.port()
    for name, text in ("Check.java", CHECK), ("Makefile", MAKEFILE % port):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    env = {k: v for k, v in os.environ.items() if k != "JAVA_TOOL_OPTIONS"}
    s.out(["javac", "Check.java"])

    s.begin()
    victim = s.start("victim", ["make", "check"], env=env)
    s.wait("Java waits for a debugger", lambda: "Listening for transport dt_socket" in s.output("victim"))
    s.role("java", s.child("victim", "java"))
    s.wait("a thread of Java listens", lambda: s.threads("java", "JDWP Transport"))
    s.role("listener", s.pid("java"), s.threads("java", "JDWP Transport")[0])

    def sockets(*which):
        return s.out(["ss", "-tnpH", *which, "sport", "=", ":" + port])

    s.during("Java listens for a debugger", lambda: "pid=%d," % s.pid("java") in sockets("-l"))
    s.during("no debugger is connected", lambda: sockets("state", "established") == "")
    s.during("the thread waits for a connection", lambda: s.state("listener") == "S" and
             s.syscall("listener") in ("poll", "accept", "accept4"))
    s.during("the main thread waits", lambda: s.syscall("java") == "futex" and not s.uses_cpu("java", 0.02, 0.2))
    s.during("make waits", lambda: victim.poll() is None and s.wchan("victim") == "do_wait" and
             "checked" not in s.output("victim"))
    # The test is the user who should start a debugger.
    s.hang(victim="victim", culprits=["java", "listener", "test"], causes=["external", "slow-peer", "missing-wakeup"])
    yield
    with contextlib.closing(socket.create_connection(("127.0.0.1", int(port)), 5)) as debugger:
        debugger.settimeout(5)
        debugger.sendall(b"JDWP-Handshake")
        s.check("Java shakes hands", debugger.recv(14, socket.MSG_WAITALL) == b"JDWP-Handshake")
        debugger.sendall(struct.pack(">IIBBB", 11, 1, 0, 1, 9))  # VirtualMachine, Resume
        s.ended("victim")
    s.check("the program has run", "checked" in s.output("victim"))

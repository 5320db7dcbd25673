# SPDX-License-Identifier: GPL-2.0-or-later
"""An UPDATE waits in a Derby server for the lock of a row. The transaction of another ij owns the lock. This ij is idle: it
waits for a line of its user."""
import os
import re

from scene import Missing

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "jstack": "openjdk-17-jdk-headless", "ij": "derby-tools"}
JARS = ["/usr/share/java/%s.jar" % name for name in ("derby", "derbynet", "derbyclient", "derbytools", "derbyshared")]
SECONDS = 6  # less than the time limits of Derby's locks


def play(s):
    jars = [jar for jar in JARS if os.path.exists(jar)]
    if len(jars) < 4:
        raise Missing("needs the packages libderby-java and libderbyclient-java")
    port = s.port()
    # These options let Java start sooner.
    java = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-Dderby.system.home=" + s.where, "-cp",
            ":".join(jars)]
    s.start("derby", [*java, "org.apache.derby.drda.NetworkServerControl", "start", "-h", "127.0.0.1", "-p", port,
                      "-noSecurityManager"])
    s.wait("Derby listens", lambda: s.connects(port), 90)
    url = "jdbc:derby://127.0.0.1:%s/shop" % port

    def client(name, autocommit):
        s.start(name, [*java, "org.apache.derby.tools.ij"], talk=True)
        s.say(name, "connect '%s;create=true';" % url)
        s.say(name, "autocommit %s;" % autocommit)
        say(name, "values 'connected';", "\nconnected")

    def say(name, line, answer):
        before = len(s.output(name))
        s.say(name, line)
        s.wait("%s answers: %s" % (name, answer), lambda: answer in s.output(name)[before:], 90)

    client("watch", "on")
    say("watch", "create table stock (id int primary key, n int);", "0 rows")
    say("watch", "insert into stock values (1, 10), (5, 10), (9, 10);", "3 rows")
    for name, row in ("owner", 5), ("bystander", 9):
        client(name, "off")
        say(name, "update stock set n = n - 1 where id = %d;" % row, "1 row")
    client("session", "on")
    # The first statement of its kind loads many classes.
    say("session", "update stock set n = n - 2 where id = 1;", "1 row")

    def stack():
        """The stacks of Derby's threads: {tid: text}."""
        said = s.out(["jstack", s.pid("derby")], timeout=30)
        found = re.findall(r'^("[^"]*" .*?nid=0x([0-9a-f]+) .*?)\n\n', said, re.M | re.S)
        return {int(tid, 16): text for text, tid in found}

    def waiting():
        """The threads that wait for a lock of a row."""
        return [tid for tid, text in stack().items() if "waitForGrant" in text]

    s.check("no thread waits for a lock", waiting() == [])
    s.role("victim", s.pid("session"), s.threads("session", "java")[1])  # the first thread of Java only waits for this one
    s.begin()
    before = len(s.output("session"))
    s.say("session", "update stock set n = n - 2 where id = 5;")
    s.wait("a thread of Derby waits for the lock", lambda: len(waiting()) == 1)
    s.role("desk", s.pid("derby"), waiting()[0])
    s.during("the thread waits for the lock", lambda: waiting() == [s.roles["desk"][1]])
    s.during("the victim waits", lambda: "1 row" not in s.output("session")[before:] and
             s.syscall("victim") in ("recvfrom", "read", "poll") and s.state("victim") == "S")
    s.during("the others wait for their users", lambda: not s.uses_cpu("owner", 0.2) and not s.uses_cpu("bystander", 0.2))
    s.hang(victim="victim", culprits=["owner", "test"], causes=["lock-holder", "external", "slow-peer"], vague=["derby"],
           stuck=["desk"], wrong=["bystander", "watch"])
    yield
    s.say("owner", "commit;")
    s.went_on("the UPDATE is done", lambda: "1 row" in s.output("session")[before:])
    say("bystander", "rollback;", "ij>")
    say("watch", "select 'n is', n from stock where id = 5;", "|7")

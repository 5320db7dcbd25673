# SPDX-License-Identifier: GPL-2.0-or-later
"""A job waits in the queue of tsp. The job before it is a curl, which waits for a web server that SIGSTOP has stopped."""
import os
import signal

from scene import children, proc

HELD_OUT = False
NEEDS = {"tsp": "task-spooler", "curl": "curl", "python3": "python3"}


def play(s):
    port, other = s.port(), s.port()
    with open(s.path("page"), "w", encoding="ascii") as f:
        f.write("page\n")
    for role, n in ("web", port), ("bystander", other):
        s.start(role, ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", n])
        s.wait("%s answers" % role, lambda n=n: s.connects(n))
    env = {**os.environ, "TS_SOCKET": s.path("tsp.sock"), "TMPDIR": s.where}
    tsp = ["env", "TS_SOCKET=" + s.path("tsp.sock"), "TMPDIR=" + s.where, "tsp"]
    s.check("tsp runs a job", s.out([*tsp, "-nf", "echo", "hello"]) == "hello")

    def find(comm, parent=None):
        return next((pid for pid in (children(parent) if parent else s.living()) if proc(pid, "comm") == comm + "\n"), None)

    s.begin()
    os.kill(s.pid("web"), signal.SIGSTOP)
    s.wait("the web server stops", lambda: s.state("web") == "T")
    s.out([*tsp, "-n", "curl", "-s", "http://127.0.0.1:%s/page" % port])
    s.wait("curl runs", lambda: find("curl"))
    s.role("curl", find("curl"))
    s.role("runner", int(proc(s.pid("curl"), "stat").rpartition(")")[2].split()[1]))
    victim = s.start("victim", ["tsp", "-nf", "echo", "sent"], env=env)
    states = "tsp | awk 'NR > 1 { print $2 }'"

    def queue():
        return s.out(["env", *tsp[1:3], "sh", "-c", states]).split()[-2:]

    own = {s.pid("runner"), victim.pid}
    servers = [pid for pid in s.living() if proc(pid, "comm") == "tsp\n" and pid not in own]
    s.check("there is one server", len(servers) == 1)
    s.role("server", servers[0])
    s.wait("the job is in the queue", lambda: sorted(queue()) == ["queued", "running"])
    s.during("the job is in the queue", lambda: sorted(queue()) == ["queued", "running"])
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("curl waits", lambda: s.state("curl") == "S" and s.syscall("curl") == "poll")
    s.during("the web server is stopped", lambda: s.state("web") == "T")
    s.during("the other web server answers", lambda: s.out(["curl", "-s", "http://127.0.0.1:%s/page" % other]) == "page")
    s.hang(victim="victim", culprits=["web", "test"], causes=["stopped", "queueing"], vague=["curl", "runner", "server"],
           wrong=["bystander"])
    yield
    os.kill(s.pid("web"), signal.SIGCONT)
    s.ended("victim")
    s.check("the job ran", s.output("victim") == "sent\n")

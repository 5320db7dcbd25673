# SPDX-License-Identifier: GPL-2.0-or-later
"""GNU parallel waits for its first job, a curl. curl waits for a page of nc, whose user types no answer."""
from scene import proc

HELD_OUT = False
NEEDS = {"parallel": "parallel", "curl": "curl", "nc": "netcat-openbsd", "python3": "python3", "ss": "iproute2"}


def play(s):
    ports = {name: s.port() for name in ("nc", "bystander")}
    with open(s.path("page"), "w", encoding="ascii") as f:
        f.write("hello\n")
    s.start("nc", ["nc", "-l", "-N", "127.0.0.1", ports["nc"]], talk=True)
    s.start("bystander", ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", ports["bystander"]])
    s.wait("the other server answers", lambda: s.connects(ports["bystander"]))
    s.wait("nc listens", lambda: ":" + ports["nc"] in s.out(["ss", "-ltnH", "sport = :" + ports["nc"]]))
    urls = ["http://127.0.0.1:%s/page" % port for port in (ports["nc"], ports["bystander"], ports["bystander"])]

    s.begin()
    victim = s.start("victim", ["parallel", "--will-cite", "-k", "-j2", "curl -s {}", ":::", *urls],
                     env={"HOME": s.where, "PATH": "/usr/local/bin:/usr/bin:/bin", "SHELL": "/bin/sh"})

    def curl():
        return next((pid for pid in s.living() if proc(pid, "comm") == "curl\n" and
                     "\0" + urls[0] in proc(pid, "cmdline")), None)

    s.wait("curl runs", curl)
    s.role("curl", curl())
    s.wait("the other jobs are done", lambda: s.output("bystander").count("GET /page") == 2)
    s.wait("nc has the request", lambda: "GET /page" in s.output("nc"))
    s.during("curl is the only job, and waits for nc", lambda: s.child("victim") == s.pid("curl") == curl() and
             s.syscall("curl") == "poll" and s.state("curl") == "S")
    s.during("the other end of curl's connection is nc", lambda: "pid=%d," % s.pid("nc") in
             s.out(["ss", "-tnpH", "state", "established", "sport = :" + ports["nc"]]))
    s.during("nc waits for its user", lambda: s.syscall("nc") == "poll" and s.state("nc") == "S")
    s.during("parallel waits, and looks now and then", lambda: victim.poll() is None and not s.uses_cpu("victim", 0.2))
    s.during("the other server answers", lambda: s.out(["curl", "-s", urls[1]]) == "hello")
    # The test is the user of nc.
    s.hang(victim="victim", culprits=["nc", "test"], causes=["external", "slow-peer"], vague=["curl"], wrong=["bystander"])
    yield
    s.say("nc", "HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\nhello")
    s.ended("victim")
    s.check("parallel has all pages", s.output("victim") == "hello\n" * 3)

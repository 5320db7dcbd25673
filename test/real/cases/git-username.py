# SPDX-License-Identifier: GPL-2.0-or-later
"""A script waits for git fetch. The web server of the repository wants a password, so git-remote-http asks for the user's
name on the terminal. Nobody answers."""
import os

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"git": "git", "script": "bsdutils", "python3": "python3"}
SERVER = """
import base64, http.server, sys
WANTED = "Basic " + base64.b64encode(b"clerk:secret").decode()
class Pages(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/private") and self.headers.get("Authorization") != WANTED:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="shop"')
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            super().do_GET()
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Pages).serve_forever()
"""


def play(s):
    port = s.port()
    drop = ("GIT_ASKPASS", "SSH_ASKPASS", "GIT_TERMINAL_PROMPT", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")
    env = {**{k: v for k, v in os.environ.items() if k not in drop}, "HOME": s.where, "GIT_CONFIG_NOSYSTEM": "1",
           "TERM": "xterm", "LC_ALL": "C", "SHELL": "/bin/sh"}
    with open(s.path("server.py"), "w", encoding="ascii") as f:
        f.write(SERVER)
    with open(s.path(".gitconfig"), "w", encoding="ascii") as f:
        f.write("[user]\n\tname = clerk\n\temail = clerk@test.example\n[init]\n\tdefaultBranch = main\n")
    git = ["env", *("%s=%s" % x for x in env.items()), "git"]
    s.out([*git, "init", "-q", "shop"])
    with open(s.path("shop/stock"), "w", encoding="ascii") as f:
        f.write("17\n")
    s.out([*git, "-C", "shop", "add", "stock"])
    s.out([*git, "-C", "shop", "commit", "-q", "-m", "count"])
    os.mkdir(s.path("www"))
    for name in "private", "public":
        s.out([*git, "clone", "-q", "--bare", "shop", "www/%s.git" % name])
        s.out([*git, "-C", "www/%s.git" % name, "update-server-info"])
    s.out([*git, "init", "-q", "copy"])
    s.start("server", ["/usr/bin/python3", s.path("server.py"), port], cwd=s.path("www"))
    s.wait("the server answers", lambda: s.connects(port))

    def heads(name):
        return s.out([*git, "ls-remote", "http://127.0.0.1:%s/%s.git" % (port, name), "main"], timeout=20)

    s.check("the public repository can be read", "refs/heads/main" in heads("public"))
    s.out([*git, "-C", "copy", "remote", "add", "origin", "http://127.0.0.1:%s/private.git" % port])

    s.begin()
    s.start("terminal", ["script", "-qefc", "git -C copy fetch -q origin; echo fetched $?", s.path("terminal.log")],
            env=env, talk=True)
    s.wait("the script runs", lambda: s.child("terminal"))
    s.role("victim", s.child("terminal"))

    def asking():
        return [p for p in descendants(s.pid("victim")) if proc(p, "comm").startswith("git-remote-http")]

    s.wait("git asks for a name", lambda: "Username for" in s.output("terminal") and len(asking()) == 1)
    s.role("helper", asking()[0])
    s.role("git", s.child("victim", "git"))

    def reads_terminal():
        number, fd = proc(s.pid("helper"), "syscall").split()[:2]
        return number == "0" and os.readlink("/proc/%d/fd/%d" % (s.pid("helper"), int(fd, 16))) == "/dev/tty"

    s.wait("git-remote-http reads the terminal", reads_terminal)
    s.during("git-remote-http waits for a line of the terminal", lambda: reads_terminal() and s.state("helper") == "S")
    s.during("git waits for it", lambda: s.state("git") == "S" and s.pid("helper") in descendants(s.pid("git")))
    s.during("the script waits for git", lambda: s.syscall("victim") == "wait4" and "fetched" not in s.output("terminal"))
    s.during("the server works", lambda: "refs/heads/main" in heads("public"))
    # The test is the user. script only passes keys on.
    s.hang(victim="victim", culprits=["helper", "test"], causes=["external", "slow-peer"], vague=["git", "terminal"],
           wrong=["server"])
    yield

    def press(keys):
        s.processes["terminal"][0].stdin.write(keys)
        s.processes["terminal"][0].stdin.flush()

    press(b"clerk\n")
    s.wait("git asks for the password", lambda: "Password for" in s.output("terminal"))
    s.wait("git-remote-http reads the terminal again", reads_terminal)
    press(b"secret\n")
    s.went_on("the script goes on", lambda: "fetched 0" in s.output("terminal"))
    s.check("the commit is there", s.out([*git, "-C", "copy", "log", "--format=%s", "FETCH_HEAD"]) == "count")

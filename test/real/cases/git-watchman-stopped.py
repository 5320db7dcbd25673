# SPDX-License-Identifier: GPL-2.0-or-later
"""git status waits for its hook fsmonitor-watchman, and the hook waits for the server watchman. SIGSTOP has stopped
the server: its owner stopped it while a big copy ran, and forgot it."""
import os
import shutil
import signal
import stat

from scene import descendants, proc

HELD_OUT = True
NEEDS = {"git": "git", "watchman": "watchman", "perl": "perl", "ss": "iproute2"}
HOOK = "/usr/share/git-core/templates/hooks/fsmonitor-watchman.sample"
WATCHMAN = """#!/bin/sh
exec %s --sockname='%s' --no-spawn "$@"
"""


def play(s):
    sock = s.path("watchman.sock")
    for name in "home", "bin", "repo", "plain":
        os.mkdir(s.path(name))
    with open(s.path("bin/watchman"), "w", encoding="ascii") as f:
        f.write(WATCHMAN % (shutil.which("watchman"), sock))
    os.chmod(s.path("bin/watchman"), 0o755)
    env = {**os.environ, "HOME": s.path("home"), "GIT_CONFIG_NOSYSTEM": "1",
           "PATH": s.path("bin") + ":/usr/local/bin:/usr/bin:/bin"}
    words = ["env", *("%s=%s" % (k, env[k]) for k in ("HOME", "GIT_CONFIG_NOSYSTEM", "PATH"))]
    server = s.start("server", ["watchman", "--foreground", "--sockname=" + sock, "--logfile=" + s.path("watchman.log"),
                                "--statefile=" + s.path("watchman.state"),
                                "--pidfile=" + s.path("watchman.pid")], env=env)
    s.wait("watchman listens", lambda: stat.S_ISSOCK(os.stat(sock).st_mode))

    def git(repo, *args):
        return s.out([*words, "git", "-C", s.path(repo), *args], timeout=20)

    for repo in "repo", "plain":
        git(repo, "init", "-q")
        for i in range(20):
            with open(s.path("%s/file%d" % (repo, i)), "w", encoding="ascii") as f:
                f.write("text\n")
        git(repo, "add", "-A")
        git(repo, "-c", "user.name=me", "-c", "user.email=me@shop.test", "commit", "-q", "-m", "first")
    s.out([*words, s.path("bin/watchman"), "watch", s.path("repo")])
    os.makedirs(s.path("repo/.git/hooks"), exist_ok=True)
    shutil.copy(HOOK, s.path("repo/.git/hooks/query-watchman"))
    os.chmod(s.path("repo/.git/hooks/query-watchman"), 0o755)
    git("repo", "config", "core.fsmonitor", s.path("repo/.git/hooks/query-watchman"))
    for _ in range(2):
        s.check("git status works", git("repo", "status", "--short") == "")
    with open(s.path("repo/file3"), "a", encoding="ascii") as f:
        f.write("more\n")
    s.wait("watchman tells what changed", lambda: "file3" in git("repo", "status", "--short"))

    s.begin()
    server.send_signal(signal.SIGSTOP)
    s.wait("the server stops", lambda: s.state("server") == "T")
    victim = s.start("victim", ["git", "-C", s.path("repo"), "status", "--short"], env=env)

    s.wait("a client of watchman waits",
           lambda: [p for p in descendants(victim.pid) if proc(p, "comm") == "watchman\n"])
    s.role("client", [p for p in descendants(victim.pid) if proc(p, "comm") == "watchman\n"][0])
    s.role("hook", int(proc(s.pid("client"), "status").partition("PPid:")[2].split()[0]))
    s.check("the client is a child of the hook", "query-watchman" in proc(s.pid("hook"), "cmdline"))
    s.during("the server is stopped", lambda: s.state("server") == "T")
    s.during("the client has a connection with the server", lambda: "pid=%d," % s.pid("client") in s.out(
        ["ss", "-xpH", "state", "established"]))
    s.during("the hook waits for the client", lambda: s.syscall("hook") == "read" and s.state("client") == "S")
    s.during("git waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("git works without watchman", lambda: git("plain", "status", "--short") == "")
    s.hang(victim="victim", culprits=["server", "test"], causes=["stopped"], vague=["client", "hook"])
    yield
    server.send_signal(signal.SIGCONT)
    s.ended("victim")
    s.check("git has the answer", "file3" in s.output("victim"))

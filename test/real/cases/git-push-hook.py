# SPDX-License-Identifier: GPL-2.0-or-later
"""git push waits for the hook of the other repository. The hook checks a release with a sha256sum that computes."""
import contextlib
import os
import signal

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"git": "git", "sha256sum": "coreutils"}
HOOK = """#!/bin/sh
while read old new name; do
    git cat-file -e $new || exit 1
    case $name in
    */release) sha256sum /dev/zero || echo checked ;;
    esac
done
"""


def play(s):
    env = ["env", "HOME=" + s.where, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost",
           "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost"]

    def git(*words):
        return s.out([*env, "git", *words])

    git("init", "-q", "--bare", "there.git")
    with open(s.path("there.git/hooks/pre-receive"), "w", encoding="ascii") as f:
        f.write(HOOK)
    os.chmod(s.path("there.git/hooks/pre-receive"), 0o755)
    git("init", "-q", "here")
    git("-C", "here", "remote", "add", "there", s.path("there.git"))
    with open(s.path("here/page"), "w", encoding="ascii") as f:
        f.write("hello\n")
    git("-C", "here", "add", "page")
    git("-C", "here", "commit", "-q", "-m", "A page")
    git("-C", "here", "push", "-q", "there", "HEAD:refs/heads/draft")
    s.start("bystander", ["nice", "-n", "19", "sha256sum", "/dev/zero"])

    def find(comm, parent):
        """The process with this name, a descendant of the role `parent`."""
        for pid in descendants(s.pid(parent)):
            with contextlib.suppress(OSError):
                if proc(pid, "comm") == comm + "\n":
                    return pid
        return None

    s.begin()
    victim = s.start("victim", [*env, "git", "-C", "here", "push", "there", "HEAD:refs/heads/release"])
    for role, comm, parent in (("receive", "git-receive-pac", "victim"), ("hook", "pre-receive", "receive"),
                               ("sha256sum", "sha256sum", "hook")):
        s.wait("%s runs" % role, lambda comm=comm, parent=parent: find(comm, parent))
        s.role(role, find(comm, parent))
    s.during("sha256sum computes", lambda: s.uses_cpu("sha256sum", 0.5))
    s.during("the hook waits for it", lambda: s.syscall("hook") == "wait4" and s.child("hook") == s.pid("sha256sum"))
    s.during("git push waits", lambda: victim.poll() is None and s.state("victim") == "S" and not s.uses_cpu("victim", 0.05))
    s.during("the branch is not there", lambda: "release" not in git("-C", "there.git", "branch"))
    s.hang(victim="victim", culprits=["sha256sum"], causes=["busy"], vague=["hook", "receive"], wrong=["bystander", "test"])
    yield
    os.kill(s.pid("sha256sum"), signal.SIGTERM)
    s.ended("victim")
    s.check("the hook has let the branch in", "release" in git("-C", "there.git", "branch"))

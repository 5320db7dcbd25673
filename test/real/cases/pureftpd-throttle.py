# SPDX-License-Identifier: GPL-2.0-or-later
"""tnftp waits for the rest of a file. The process of pure-ftpd that sends the file has sent a part, and sleeps: pure-ftpd
limits the bytes a second of each user. The sleep is a poll of the control connection with a time limit."""
import os

from scene import children, proc

HELD_OUT = False
NEEDS = {"pure-ftpd": "pure-ftpd", "pure-pw": "pure-ftpd-common", "tnftp": "tnftp", "nc": "netcat-openbsd"}
LIMIT_KB = 10
SIZE = 50 << 10


def play(s):
    port, pub = s.port(), s.path("pub")
    os.mkdir(pub)
    for name, size in ("photo", SIZE), ("note", 10):
        with open(os.path.join(pub, name), "wb") as f:
            f.write(b"x" * size)
    os.chmod(pub, 0o755)
    with open(s.path("password"), "w", encoding="ascii") as f:
        f.write("secret\nsecret\n")
    s.out(["sh", "-c", "pure-pw useradd anna -u 65534 -g 65534 -d %s -f users -F users.pdb <password" % pub])
    s.out(["sh", "-c", "pure-pw mkdb users.pdb -f users"])
    s.start("pureftpd", ["pure-ftpd", "-S", "127.0.0.1," + port, "-E", "-l", "puredb:" + s.path("users.pdb"), "-T",
                         ":%d" % LIMIT_KB, "-g", s.path("pid"), "-H", "-u", "1000"])
    s.wait("pure-ftpd listens", lambda: s.connects(port), 30)

    def sessions():
        return [p for p in children(s.pid("pureftpd")) if "pure-ftpd" in proc(p, "comm")]

    def get(name):
        return ["tnftp", "-o", s.path(name + ".got"), "ftp://anna:secret@127.0.0.1:%s/%s" % (port, name)]

    s.out(get("note"))
    s.check("the note came", os.path.getsize(s.path("note.got")) == 10)
    s.start("idler", ["nc", "127.0.0.1", port], talk=True)
    s.wait("pure-ftpd greets", lambda: "220" in s.output("idler"), 20)
    s.wait("it has one session", lambda: len(sessions()) == 1)
    s.role("idle_session", sessions()[0])

    victim = s.start("victim", get("photo"))
    s.wait("pure-ftpd has another session", lambda: len(sessions()) == 2, 30)
    s.role("session", next(p for p in sessions() if p != s.pid("idle_session")))

    def sleeps():
        """Whether the process is in a poll with a time limit that is not the one for an idle client (900 s)."""
        v = proc(s.pid("session"), "syscall").split()
        return v[0] == "7" and 4000 < int(v[3], 16) < 20000

    s.wait("it sleeps", sleeps, 60)  # the check of the password computes for long
    s.begin()
    s.during("pure-ftpd sleeps", lambda: sleeps() and s.state("session") == "S")
    s.during("the file is not whole", lambda: victim.poll() is None and os.path.getsize(s.path("photo.got")) < SIZE)
    s.during("tnftp waits", lambda: s.state("victim") == "S" and not s.uses_cpu("victim", 0.1))
    s.during("the other session waits for its client", lambda: s.state("idle_session") == "S")
    s.hang(victim="victim", culprits=["session"], causes=["timer"], wrong=["pureftpd", "idle_session", "idler", "test"])
    yield
    s.ended("victim")
    s.check("the file came", os.path.getsize(s.path("photo.got")) == SIZE)

# SPDX-License-Identifier: GPL-2.0-or-later
"""curl gets a file by FTP. SIGSTOP has stopped the vsftpd process of this session. Other sessions go on."""
import os
import signal

from scene import children

HELD_OUT = False
NEEDS = {"vsftpd": "vsftpd", "curl": "curl"}
MB, RATE_MB = 12, 4


def play(s):
    port, root = s.port(), s.path("pub")
    os.mkdir(root)
    os.mkdir(s.path("empty"))
    for name, mb in ("victim", MB), ("bystander", 20 * MB):
        with open(s.path("pub/" + name), "wb") as f:
            f.truncate(mb << 20)
    os.chmod(root, 0o555)
    settings = {"listen": "YES", "listen_address": "127.0.0.1", "listen_port": port, "background": "NO",
                "anonymous_enable": "YES", "anon_root": root, "no_anon_password": "YES", "ftp_username": "ftp",
                "secure_chroot_dir": s.path("empty"), "seccomp_sandbox": "NO", "one_process_model": "YES",
                "anon_max_rate": RATE_MB << 20}
    with open(s.path("vsftpd.conf"), "w", encoding="utf-8") as f:
        f.writelines("%s=%s\n" % setting for setting in settings.items())
    s.start("vsftpd", ["vsftpd", s.path("vsftpd.conf")])
    url = "ftp://127.0.0.1:%s/" % port
    s.wait("vsftpd listens", lambda: s.connects(port))
    s.check("the files are listed", "victim" in s.out(["curl", "-s", url]))

    def sessions():
        return set(children(s.pid("vsftpd")))

    s.wait("vsftpd has no session", lambda: not sessions())

    def start(name):
        before = sessions()
        p = s.start(name, ["curl", "-s", "-o", s.path(name + ".got"), url + name])
        s.wait("%s has a session" % name, lambda: len(sessions() - before) == 1)
        s.role(name + "_session", (sessions() - before).pop())
        s.wait("%s gets its file" % name, lambda: os.path.getsize(s.path(name + ".got")) > 1 << 20)
        return p

    start("bystander")
    victim = start("victim")

    s.begin()
    os.kill(s.pid("victim_session"), signal.SIGSTOP)
    s.wait("the session stops", lambda: s.state("victim_session") == "T")
    got = {}

    def grows(name):
        before, got[name] = got.get(name, 0), os.path.getsize(s.path(name + ".got"))
        return got[name] > before

    s.wait("curl has all that was sent", lambda: not grows("victim"))
    s.during("the session is stopped", lambda: s.state("victim_session") == "T")
    s.during("vsftpd lets others in", lambda: "victim" in s.out(["curl", "-s", url], timeout=5))
    s.during("the victim gets no more, and waits", lambda: victim.poll() is None and not grows("victim") and
             s.syscall("victim") in ("poll", "ppoll"))
    s.during("the bystander gets more", lambda: grows("bystander") or s.wait("more", lambda: grows("bystander"), 2) is None)
    s.hang(victim="victim", culprits=["victim_session", "test"], causes=["stopped"],
           wrong=["vsftpd", "bystander", "bystander_session"])
    yield
    os.kill(s.pid("victim_session"), signal.SIGCONT)
    s.ended("victim")
    s.check("the file is whole", os.path.getsize(s.path("victim.got")) == MB << 20)

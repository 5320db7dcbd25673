# SPDX-License-Identifier: GPL-2.0-or-later
"""dig asks a dnsmasq that forwards the question to another dnsmasq. SIGSTOP has stopped the second one."""
import signal

HELD_OUT = False
NEEDS = {"dnsmasq": "dnsmasq-base", "dig": "dnsutils"}


def play(s):
    ports = {name: s.port() for name in ("front", "upstream", "bystander")}
    settings = {"front": ["--server=127.0.0.1#" + ports["upstream"]], "upstream": ["--address=/shop.test/192.0.2.7"],
                "bystander": ["--address=/shop.test/192.0.2.8"]}
    for name, port in ports.items():
        s.start(name, ["dnsmasq", "-k", "-C", "/dev/null", "-R", "-h", "--log-facility=-", "--user=root", "-x",
                       "--listen-address=127.0.0.1", "--bind-interfaces", "-p", port, *settings[name]])

    def dig(name, host):
        return ["dig", "@127.0.0.1", "-p", ports[name], "+short", "+tries=1", "+time=60", host]

    s.wait("all answer", lambda: all(s.out(dig(name, "first.shop.test")) for name in ports))

    s.begin()
    s.processes["upstream"][0].send_signal(signal.SIGSTOP)
    s.wait("the upstream stops", lambda: s.state("upstream") == "T")
    victim = s.start("victim", dig("front", "second.shop.test"))

    def unread():
        return sum(int(line.split()[1]) for line in s.out(["ss", "-uanH", "sport = :" + ports["upstream"]]).splitlines())

    s.wait("the question is with the upstream", lambda: unread() > 0)
    s.during("the upstream is stopped, and has not read the question", lambda: s.state("upstream") == "T" and unread() > 0)
    s.during("the front waits", lambda: s.state("front") == "S" and s.syscall("front") in ("poll", "ppoll"))
    s.during("dig waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["upstream", "test"], causes=["stopped"], vague=["front"], wrong=["bystander"])
    yield
    s.processes["upstream"][0].send_signal(signal.SIGCONT)
    s.ended("victim")
    s.check("dig has the answer", s.output("victim").strip() == "192.0.2.7")

# SPDX-License-Identifier: GPL-2.0-or-later
"""logrotate waits for its postrotate script. The script polls until a program ends. The program
computes."""
import signal

HELD_OUT = True
NEEDS = {"logrotate": "logrotate", "perl": "perl"}
CONFIG = """%(w)s/shop.log {
    size 1
    rotate 2
    su root root
    create 0644 root root
    postrotate
        kill -TERM $(cat %(w)s/pid)
        while kill -0 $(cat %(w)s/pid) 2>/dev/null; do sleep 0.2; done
    endscript
}
"""
# After SIGTERM, the shop computes sums until it gets SIGUSR1. Then it ends.
SHOP = """
my ($stop, $enough, $n) = (0, 0, 1);
$SIG{TERM} = sub { $stop = 1 };
$SIG{USR1} = sub { $enough = 1 };
$| = 1;
print "ready\\n";
sleep 1 until $stop;
while (!$enough) { $n = ($n * 1103515245 + 12345) % 2147483648 }
print "sums\\n";
"""


def play(s):
    with open(s.path("shop.pl"), "w", encoding="ascii") as f:
        f.write(SHOP)
    shop = s.start("shop", ["perl", "shop.pl"])
    s.start("bystander", ["perl", "shop.pl"])
    s.wait("the shop is ready", lambda: "ready" in s.output("shop") and "ready" in s.output("bystander"))
    for name, text in ("conf", CONFIG % {"w": s.where}), ("pid", "%d\n" % shop.pid), ("shop.log", "sold a book\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)

    s.begin()
    victim = s.start("victim", ["logrotate", "-f", "-s", s.path("state"), s.path("conf")])
    s.wait("the script runs", lambda: s.child("victim", "sh"))
    s.role("script", s.child("victim", "sh"))
    s.wait("the shop computes", lambda: s.uses_cpu("shop", 0.15))
    s.during("the shop computes", lambda: shop.poll() is None and s.uses_cpu("shop", 0.15))
    s.during("the script waits", lambda: s.child("victim", "sh") == s.pid("script") and not s.uses_cpu("script", 0.15, 0.3))
    s.during("logrotate waits for the script", lambda: victim.poll() is None and s.syscall("victim") == "wait4")
    # The script is right to wait: the shop has not ended.
    s.hang(victim="victim", culprits=["shop"], causes=["busy"], vague=["script"], wrong=["bystander", "test"])
    yield
    shop.send_signal(signal.SIGUSR1)
    s.ended("shop")
    s.ended("victim")
    s.check("the sums are there", "sums" in s.output("shop"))

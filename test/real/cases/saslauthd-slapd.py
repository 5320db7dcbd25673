# SPDX-License-Identifier: GPL-2.0-or-later
"""testsaslauthd waits for saslauthd, which looks up a user in LDAP. SIGSTOP has stopped the slapd that it asks. A second
slapd works."""
import os
import signal

from scene import children

HELD_OUT = False
NEEDS = {"saslauthd": "sasl2-bin", "testsaslauthd": "sasl2-bin", "slapd": "slapd", "slapadd": "slapd",
         "ldapsearch": "ldap-utils", "ss": "iproute2"}
SLAPD = """
include /etc/ldap/schema/core.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile %(dir)s/pid
threads 2
database mdb
suffix "o=shop"
directory %(dir)s
maxsize 10000000
"""
SHOP = """dn: o=shop
objectClass: organization
o: shop

dn: cn=anna,o=shop
objectClass: person
cn: anna
sn: anna
userPassword: secret
"""
SASL = """ldap_servers: ldap://127.0.0.1:%s
ldap_search_base: o=shop
ldap_filter: (cn=%%u)
ldap_timeout: 60
ldap_time_limit: 60
"""


def play(s):
    ports = {name: s.port() for name in ("slapd", "bystander")}
    with open(s.path("shop.ldif"), "w", encoding="ascii") as f:
        f.write(SHOP)
    for name, port in ports.items():
        os.mkdir(s.path(name))
        conf = os.path.join(s.path(name), "conf")
        with open(conf, "w", encoding="ascii") as f:
            f.write(SLAPD % {"dir": s.path(name)})
        s.out(["slapadd", "-q", "-f", conf, "-l", s.path("shop.ldif")])
        s.start(name, ["/usr/sbin/slapd", "-d", "0", "-f", conf, "-h", "ldap://127.0.0.1:" + port])
        s.wait("%s answers" % name, lambda port=port: s.connects(port), 30)
    with open(s.path("sasl.conf"), "w", encoding="ascii") as f:
        f.write(SASL % ports["slapd"])
    os.mkdir(s.path("sasl"))
    s.start("saslauthd", ["saslauthd", "-d", "-a", "ldap", "-O", s.path("sasl.conf"), "-m", s.path("sasl"), "-n", "2"])
    mux = s.path("sasl/mux")
    s.wait("saslauthd listens", lambda: os.path.exists(mux), 30)
    test = ["testsaslauthd", "-f", mux, "-u", "anna", "-p", "secret"]
    s.wait("anna may come in", lambda: "Success" in s.out(["sh", "-c", '"$@"; :', "sh", *test]), 30)

    def unread():
        """The bytes that slapd has not read."""
        return sum(int(line.split()[0]) for line in s.out(
            ["ss", "-tnH", "state", "established", "sport = :" + ports["slapd"]]).splitlines())

    s.begin()
    os.kill(s.pid("slapd"), signal.SIGSTOP)
    s.wait("slapd stops", lambda: s.state("slapd") == "T")
    victim = s.start("victim", test)
    s.wait("slapd has a question", lambda: unread() > 0)

    def asking():
        """The processes of saslauthd that have a connection to slapd, on which they sent the question."""
        rows = s.out(["ss", "-tnpH", "state", "established", "dport = :" + ports["slapd"]])
        return [p for p in (s.pid("saslauthd"), *children(s.pid("saslauthd"))) if "pid=%d," % p in rows]

    s.wait("a saslauthd waits for slapd", asking)
    for n, pid in enumerate([s.pid("saslauthd"), *children(s.pid("saslauthd"))]):
        s.role("desk%d" % n, pid)
    s.during("slapd is stopped, and has not read the question", lambda: s.state("slapd") == "T" and unread() > 0)
    s.during("testsaslauthd waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.syscall("victim") in ("read", "recvfrom", "recvmsg"))
    s.during("a saslauthd waits for slapd", lambda: s.state("desk0") == s.state("desk1") == "S" and asking())
    s.during("the other slapd answers", lambda: "cn=anna" in s.out(
        ["ldapsearch", "-x", "-LLL", "-H", "ldap://127.0.0.1:" + ports["bystander"], "-b", "o=shop", "(cn=anna)", "cn"],
        timeout=8))
    s.hang(victim="victim", culprits=["slapd", "test"], causes=["stopped"], vague=["desk0", "desk1"], wrong=["bystander"])
    yield
    os.kill(s.pid("slapd"), signal.SIGCONT)
    s.ended("victim")
    s.check("anna may come in", "Success" in s.output("victim"))

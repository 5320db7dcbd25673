# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: ldapsearch waits for changes on purpose (refresh and persist). Each second, a clerk changes an entry, and
the change arrives at once."""
HELD_OUT = False
NEEDS = {"slapd": "slapd", "ldapsearch": "ldap-utils", "ldapmodify": "ldap-utils", "stdbuf": "coreutils"}
CONF = """include /etc/ldap/schema/core.schema
pidfile %(where)s/slapd.pid
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload syncprov
database mdb
suffix dc=shop
rootdn cn=admin,dc=shop
rootpw sesame
directory %(where)s/db
overlay syncprov
"""
ENTRIES = """dn: dc=shop
objectClass: organization
objectClass: dcObject
o: shop
dc: shop

dn: ou=tea,dc=shop
objectClass: organizationalUnit
ou: tea
description: amount 0
"""
CLERK = """n=0
while :; do
    n=$((n + 1))
    printf 'dn: ou=tea,dc=shop\\nchangetype: modify\\nreplace: description\\ndescription: amount %%d\\n' $n |
        ldapmodify -x -H %s -D cn=admin,dc=shop -w sesame > /dev/null && echo "amount $n"
    sleep 1
done
"""


def play(s):
    url = "ldap://127.0.0.1:" + s.port()
    s.out(["mkdir", "db"])
    for name, text in ("slapd.conf", CONF % {"where": s.where}), ("entries", ENTRIES), ("clerk.sh", CLERK % url):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["slapadd", "-f", s.path("slapd.conf"), "-l", s.path("entries")])
    s.start("slapd", ["slapd", "-f", s.path("slapd.conf"), "-h", url, "-d", "0"])
    s.wait("slapd answers", lambda: s.connects(url.rsplit(":", 1)[1]))

    s.begin()
    watcher = s.start("watcher", ["stdbuf", "-oL", "ldapsearch", "-x", "-LLL", "-H", url, "-b", "dc=shop",
                                  "-E", "!sync=rp", "(ou=tea)", "description"])
    s.wait("the watcher has the first state", lambda: "amount 0" in s.output("watcher"))
    s.start("clerk", ["sh", "clerk.sh"])

    def changes():
        return s.output("watcher").count("description: amount") - 1, s.output("clerk").count("amount")

    s.wait("the first change comes", lambda: changes()[0] >= 1)
    # One change may be on its way while the test counts.
    s.during("no change is late", lambda: abs(changes()[0] - changes()[1]) <= 1)
    s.during("the watcher waits", lambda: watcher.poll() is None and s.state("watcher") == "S")
    s.normal(victim="watcher", causes=["timer"])
    yield
    n = changes()[0]
    s.went_on("more changes come", lambda: changes()[0] > n + 1)
    s.check("a change came about each second", n >= s.seconds - 2)

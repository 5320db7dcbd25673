# SPDX-License-Identifier: GPL-2.0-or-later
"""Nobody accepts curl's connection: both workers of Apache wait for the next request of a client that keeps its connection
open (keep-alive). Each of these clients, a crawler in Python, sleeps between two pages."""
import os

from scene import children

HELD_OUT = False
NEEDS = {"apache2": "apache2-bin", "python3": "python3", "curl": "curl", "ss": "iproute2"}
APACHE = """
ServerName localhost
ServerRoot %(where)s
Listen 127.0.0.1:%(port)s
PidFile %(name)s.pid
ErrorLog %(name)s.log
DocumentRoot %(where)s/site
User www-data
Group www-data
LoadModule mpm_prefork_module %(modules)s/mod_mpm_prefork.so
LoadModule authz_core_module %(modules)s/mod_authz_core.so
Mutex posixsem
StartServers %(workers)d
MinSpareServers 1
MaxSpareServers %(workers)d
ServerLimit %(workers)d
MaxRequestWorkers %(workers)d
KeepAlive On
KeepAliveTimeout 100
Timeout 100
"""
CRAWLER = """
import http.client, sys, time
site = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
while True:
    site.request("GET", "/page")
    print(site.getresponse().read().decode(), site.sock.getsockname()[1], flush=True)
    time.sleep(60)
"""


def play(s):
    os.mkdir(s.path("site"))
    ports = {"apache": s.port(), "bystander": s.port()}
    words = {"where": s.where, "modules": "/usr/lib/apache2/modules", "workers": 2}
    for name, text in (("site/page", "page"), ("crawler.py", CRAWLER),
                       *((name + ".conf", APACHE % {**words, "name": name, "port": ports[name]}) for name in ports)):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)

    def get(name):
        return ["curl", "-sS", "http://127.0.0.1:%s/page" % ports[name]]

    for name in ports:
        s.start(name, ["apache2", "-D", "FOREGROUND", "-f", s.path(name + ".conf")])
        s.wait("Apache listens", lambda name=name: s.connects(ports[name]))
        s.check("a page comes", s.out(get(name)) == "page")
    s.wait("there are two workers", lambda: len(children(s.pid("apache"))) == 2)
    for i, pid in enumerate(sorted(children(s.pid("apache")))):
        s.role("worker%d" % i, pid)
    crawl = ["/usr/bin/python3", "crawler.py"]
    s.start("other_crawler", [*crawl, ports["bystander"]])
    crawlers = [s.start("crawler%d" % i, [*crawl, ports["apache"]]) for i in range(2)]
    for role in "other_crawler", "crawler0", "crawler1":
        s.wait("%s has its page" % role, lambda role=role: s.output(role).startswith("page "))

    def unaccepted():
        return int(s.out(["ss", "-ltnH", "sport = :" + ports["apache"]]).split()[1])

    def kept():
        """The crawlers that are connected to a worker which has read everything."""
        found = []
        for i in range(2):
            row = s.out(["ss", "-tnpH", "sport = :" + ports["apache"], "dport = :" + s.output("crawler%d" % i).split()[1]])
            found += [i] * (row.split()[1] == "0" and any("pid=%d," % s.pid("worker%d" % n) in row for n in range(2)))
        return found == [0, 1]

    s.begin()
    victim = s.start("victim", get("apache"))
    s.wait("the connection is not accepted", lambda: unaccepted() == 1)
    s.during("the connection is not accepted", lambda: victim.poll() is None and unaccepted() == 1)
    s.during("each worker serves a crawler", kept)
    s.during("both workers wait for a request", lambda: {s.syscall("worker%d" % i) for i in range(2)} <=
             {"poll", "ppoll", "read"})
    s.during("the crawlers sleep", lambda: {s.syscall("crawler%d" % i) for i in range(2)} <=
             {"clock_nanosleep", "nanosleep", "select", "pselect6"})
    s.during("the other Apache answers", lambda: s.out(get("bystander"), timeout=5) == "page")
    s.hang(victim="victim", culprits=["crawler0", "crawler1"], causes=["timer", "slow-peer", "external", "queueing"],
           vague=["worker0", "worker1"], wrong=["apache", "bystander", "other_crawler", "test"])
    yield
    crawlers[0].terminate()
    s.ended("victim")
    s.check("the page came", s.output("victim") == "page")

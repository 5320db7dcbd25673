# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a page that varnish fetches already for another curl. lighttpd's CGI program computes this page."""
import json

from scene import find_program

HELD_OUT = False
NEEDS = {"varnishd": "varnish", "varnishstat": "varnish", "lighttpd": "lighttpd", "perl": "perl", "curl": "curl"}

PAGE = """
print "Content-Type: text/plain\\r\\nCache-Control: max-age=60\\r\\n\\r\\n";
$x = 1;
if ($ENV{REQUEST_URI} =~ /report/) {
    until (-e "enough") { $x = ($x * 1103515245 + 12345) % 2147483648 for 1 .. 100000 }
}
print "page\\n";
"""


def play(s):
    front, back = s.port(), s.port()
    with open(s.path("page.pl"), "w", encoding="ascii") as f:
        f.write(PAGE)
    with open(s.path("lighttpd.conf"), "w", encoding="utf-8") as f:
        f.write('server.document-root = "%s"\nserver.bind = "127.0.0.1"\nserver.port = %s\nserver.modules = ("mod_cgi")\n'
                'server.errorlog = "%s"\ncgi.assign = (".pl" => "%s")\n'
                % (s.where, back, s.path("log"), find_program("perl")))
    s.start("lighttpd", ["lighttpd", "-D", "-f", s.path("lighttpd.conf")])
    s.wait("lighttpd answers", lambda: s.connects(back))
    s.start("bystander", ["perl", "-e", "$x = ($x * 1103515245 + 12345) % 2147483648 while 1"])
    tunables = "thread_pools=1", "thread_pool_min=10", "thread_pool_max=20", "first_byte_timeout=60", "vsl_space=1m"
    s.start("varnish", ["varnishd", "-F", "-n", s.path("varnish"), "-j", "none", "-a", "127.0.0.1:" + front,
                        "-b", "127.0.0.1:" + back, "-s", "malloc,16m", "-T", "none",
                        *(x for tunable in tunables for x in ("-p", tunable))])

    def curl(page):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (front, page)]

    s.wait("varnish answers", lambda: s.connects(front), 20)
    s.check("varnish passes a page on", s.out(curl("page.pl")) == "page")
    s.role("cache", s.child("varnish", "cache-main"))

    def stat(name):
        found = json.loads(s.out(["varnishstat", "-n", s.path("varnish"), "-j", "-f", name]))
        return found["counters"][name]["value"]

    first = s.start("first", curl("page.pl?report"))
    s.wait("the CGI program runs", lambda: s.child("lighttpd", "perl") or s.child("lighttpd", "page.pl"))
    s.role("page", s.child("lighttpd"))

    s.begin()
    victim = s.start("victim", curl("page.pl?report"))
    s.wait("varnish lets the second request sleep", lambda: stat("MAIN.busy_sleep") == 1)
    s.during("the second request waits for the first", lambda: (stat("MAIN.busy_sleep"), stat("MAIN.busy_wakeup")) == (1, 0))
    s.during("one request is with lighttpd", lambda: s.child("lighttpd") == s.pid("page"))
    s.during("the CGI program computes", lambda: s.uses_cpu("page"))
    s.during("both clients wait", lambda: victim.poll() is None and first.poll() is None and s.state("victim") == "S")
    s.during("lighttpd sleeps", lambda: s.state("lighttpd") == "S")
    s.hang(victim="victim", culprits=["page"], causes=["busy"], vague=["lighttpd", "cache"],
           wrong=["bystander", "varnish", "first", "test"])
    yield
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    s.ended("victim")
    s.ended("first")
    s.check("the page came", s.output("victim").strip() == "page")

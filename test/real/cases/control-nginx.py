# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a loop of curl gets pages from nginx, five a second."""
HELD_OUT = False
NEEDS = {"nginx": "nginx", "curl": "curl"}


def play(s):
    port = s.port()
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(s.path("nginx.conf"), "w", encoding="utf-8") as f:
        f.write("worker_processes 2; daemon off; pid %s; events {}\n"
                "http { access_log off; %s server { listen 127.0.0.1:%s; location / { return 200 hello; } } }\n"
                % (s.path("pid"), temp, port))
    s.start("nginx", ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])
    s.wait("nginx answers", lambda: s.connects(port))

    s.begin()
    s.start("client", ["sh", "-c", "while :; do curl -s -o page -w '%%{http_code} %%{time_total}\\n' "
                       "http://127.0.0.1:%s/; sleep 0.2; done" % port])

    def pages():
        return [line.split() for line in s.output("client").splitlines(keepends=True) if line.endswith("\n")]

    s.wait("the first pages come", lambda: len(pages()) > 2)
    s.during("every page comes at once", lambda: all(code == "200" and float(t) < 0.3 for code, t in pages()))
    s.during("the loop goes on", lambda: len(pages()) > 2)
    s.normal(victim="client", causes=["timer"])
    yield
    n = len(pages())
    s.went_on("more pages come", lambda: len(pages()) > n)
    s.check("the loop got its pages", n > 3 * (s.seconds - 1))

# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for nginx, which waits for gunicorn, which waits for psql. Another psql, idle, has the advisory lock."""
from scene import Postgres

HELD_OUT = False
NEEDS = {"nginx": "nginx", "gunicorn": "gunicorn", "curl": "curl", "postgres": "postgresql", "initdb": "postgresql",
         "psql": "postgresql-client"}
APP = """import subprocess
def app(env, start):
    said = subprocess.run(%r, stdout=subprocess.PIPE, check=True).stdout
    start("200 OK", [("Content-Length", str(len(said)))])
    return [said]
"""


def play(s):
    base, front, back = Postgres(s), s.port(), s.port()
    for name, key in ("monitor", 4), ("bystander", 6), ("idler", 5):
        s.start(name, base.client(), talk=True)
        s.role(name + "_backend", int(s.ask(name, "select pg_backend_pid() where pg_advisory_lock(%d) is not null;" % key)))
    query = base.client("-c", "set application_name = 'page'", "-c", "select 'page' where pg_advisory_xact_lock(5) is not null")
    with open(s.path("shop.py"), "w", encoding="utf-8") as f:
        f.write(APP % query)
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(s.path("nginx.conf"), "w", encoding="utf-8") as f:
        f.write("worker_processes 1; daemon off; pid %s; events {}\nhttp { access_log off; %s server { listen 127.0.0.1:%s; "
                "location / { proxy_pass http://127.0.0.1:%s; } } }\n" % (s.path("pid"), temp, front, back))
    s.start("gunicorn", ["gunicorn", "-w", "1", "-t", "60", "-b", "127.0.0.1:" + back, "--worker-tmp-dir", s.where, "shop:app"])
    s.wait("gunicorn has its worker", lambda: s.connects(back) and s.child("gunicorn"))
    s.role("worker", s.child("gunicorn"))
    s.start("nginx", ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])
    s.wait("nginx answers", lambda: s.connects(front))
    s.role("web", s.child("nginx"))

    s.begin()
    victim = s.start("victim", ["curl", "-s", "http://127.0.0.1:%s/" % front])
    waiting = "select coalesce(max(pid), 0) from pg_stat_activity where wait_event = 'advisory';"
    s.wait("a backend waits for the lock", lambda: int(s.ask("monitor", waiting)))
    backend = s.role("backend", int(s.ask("monitor", waiting)))
    s.role("query", s.child("worker", "psql"))
    s.during("the idle client's backend blocks the query",
             lambda: s.ask("monitor", "select pg_blocking_pids(%d);" % backend) == "{%d}" % s.pid("idler_backend"))
    s.during("the worker waits for the query", lambda: s.child("worker", "psql") == s.pid("query"))
    s.during("all sleep", lambda: victim.poll() is None and
             {s.state(r) for r in ("victim", "web", "worker", "query", "backend", "idler_backend", "idler")} == {"S"})
    s.hang(victim="victim", culprits=["idler_backend", "idler", "test"], causes=["lock-holder", "external", "slow-peer"],
           stuck=["web", "worker", "query", "backend"],
           wrong=["nginx", "gunicorn", "postgres", "bystander", "bystander_backend", "monitor", "monitor_backend"])
    yield
    s.say("idler", "select pg_advisory_unlock(5);")
    s.ended("victim")
    s.check("the page came", s.output("victim").strip() == "page")

# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for the only thread of puma, which writes its log into a full pipe. jq reads the pipe. The CPU quota of jq's
control group lets jq run for 2 % of the time."""
import os

from scene import descendants, proc, set_quota, throttled

HELD_OUT = False
NEEDS = {"puma": "puma", "jq": "jq", "curl": "curl"}
ROWS = 60000
SHOP = """
$stdout.sync = true
shop = proc do |env|
  rows = env['PATH_INFO'] == '/export' ? %d : 1
  rows.times do |i|
    $stdout.write('{"url":"' + env['PATH_INFO'] + '","row":' + i.to_s + ',"text":"' + 'parcel ' * 20 + "\\"}\\n")
  end
  [200, {'Content-Type' => 'text/plain'}, ['page']]
end
run shop
"""


def play(s):
    group, old = s.control_group("cpu", "puma-log-quota")
    ports = {"service": s.port(), "bystander": s.port()}
    with open(s.path("config.ru"), "w", encoding="ascii") as f:
        f.write(SHOP % ROWS)
    with open(s.path("filter"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\necho $$ >%s/cgroup.procs && exec jq -R -c --unbuffered 'fromjson? | .url'\n" % group)
    os.chmod(s.path("filter"), 0o755)

    def page(name):
        return ["curl", "-s", "http://127.0.0.1:%s/" % ports[name]]

    def jq(name):
        return [pid for pid in descendants(s.pid(name)) if proc(pid, "comm") == "jq\n"][0]

    def server(name):
        """The process with puma's thread for requests."""
        return [pid for pid in descendants(s.pid(name)) for task in os.listdir("/proc/%d/task" % pid)
                if proc(pid, "comm", int(task)) == "puma srv tp 001\n"][0]

    for name, log in ("service", s.path("filter")), ("bystander", "jq -R -c --unbuffered 'fromjson? | .url'"):
        puma = "puma -q -t 1:1 -b tcp://127.0.0.1:%s -e production config.ru" % ports[name]
        s.start(name, ["sh", "-c", "%s | %s; true" % (puma, log)])
        s.wait("puma listens", lambda name=name: s.connects(ports[name]), 20)
        s.check("the page comes", s.out(page(name)) == "page")
        s.wait("the log works", lambda name=name: s.output(name).count('"/"\n') == 1)
        prefix = "" if name == "service" else name + "_"
        s.role(prefix + "jq", jq(name))
        s.role(prefix + "puma", server(name))
        s.role(prefix + "thread", server(name), s.threads(prefix + "puma", "puma srv tp 001")[0])

    set_quota(group, old, 2000)
    s.begin()
    s.start("export", ["curl", "-s", "http://127.0.0.1:%s/export" % ports["service"]])

    def full():
        """Looks at the thread up to 1000 times. Returns whether the thread waited for the pipe in one of these
        looks."""
        for _ in range(1000):
            if s.syscall("thread") in ("write", "20", "poll", "ppoll") and s.state("thread") == "S":  # 20: writev
                return True
        return False

    s.wait("the thread waits for the pipe", full)
    victim = s.start("victim", page("service"))
    seen = [0]

    def still_throttled():
        before, seen[0] = seen[0], throttled(group)
        return seen[0] > before

    s.wait("jq is throttled", lambda: throttled(group) > 3)
    s.during("the group was throttled again", still_throttled)
    s.during("jq wants to run", lambda: s.state("jq") == "R" and not s.uses_cpu("jq", 0.2))
    s.during("the thread waits for jq's pipe", lambda: full() and os.readlink("/proc/%d/fd/1" % s.pid("puma")) ==
             os.readlink("/proc/%d/fd/0" % s.pid("jq")))
    s.during("the victim waits", lambda: victim.poll() is None and s.output("victim") == "")
    s.during("the export is not done", lambda: s.output("service").count("export") < ROWS and
             s.processes["export"][0].poll() is None)
    s.during("the other puma answers", lambda: s.out(page("bystander"), timeout=5) == "page")
    s.hang(victim="victim", culprits=["jq"], causes=["starved"], vague=["thread", "puma"],
           wrong=["service", "export", "bystander", "bystander_puma", "bystander_thread", "bystander_jq", "test"])
    yield
    set_quota(group, old, -1)
    s.ended("victim")
    s.ended("export")
    s.check("the page came", s.output("victim") == "page")

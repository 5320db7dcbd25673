# SPDX-License-Identifier: GPL-2.0-or-later
"""A producer waits for the result of its job in beanstalkd. SIGSTOP has stopped the worker; beanstalkd works."""
import os
import signal

HELD_OUT = True
NEEDS = {"beanstalkd": "beanstalkd", "bash": "bash"}

ASK = """
ask() { printf '%s\\r\\n' "$@" >&3; read -r answer <&3; }
put() { ask "use $1"; ask "put 0 0 60 ${#2}" "$2"; }
take() { ask reserve; set -- $answer; read -r body <&3; body=${body%$'\\r'}; ask "delete $2"; }
exec 3<>/dev/tcp/127.0.0.1/$1
"""
WORKER = ASK + """
ask "watch $2"
ask "ignore default"
echo ready
while take; do
    put "done-$2" "${body^^}"
done
"""
PRODUCER = ASK + """
ask "watch done-$2"
ask "ignore default"
put "$2" "$3"
take
echo "$body"
"""
STATS = ASK + """
ask "stats-tube $2"
while read -r -t 0.2 line <&3; do echo "$line"; done
"""


def play(s):
    port = s.port()
    for name, text in ("worker.sh", WORKER), ("producer.sh", PRODUCER), ("stats.sh", STATS):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("beanstalkd", ["beanstalkd", "-l", "127.0.0.1", "-p", port])
    s.wait("beanstalkd answers", lambda: s.connects(port))

    def producer(tube, word):
        return ["bash", "producer.sh", port, tube, word]

    def stats(tube):
        """The lines of stats-tube, such as current-jobs-ready: 1."""
        lines = s.out(["bash", "stats.sh", port, tube]).splitlines()
        return {k: int(v) for k, v in (line.split(": ") for line in lines if ": " in line) if v.strip().isdigit()}

    for name, tube in ("worker", "parcels"), ("bystander", "letters"):
        s.start(name, ["bash", "worker.sh", port, tube])
        s.wait("%s is ready" % name, lambda name=name: s.output(name) == "ready\n")
        for word in "one", "two":
            s.check("%s works" % name, s.out(producer(tube, word)) == word.upper())

    s.begin()
    os.kill(s.pid("worker"), signal.SIGSTOP)
    s.wait("the worker stops", lambda: s.state("worker") == "T")
    victim = s.start("victim", producer("parcels", "three"))
    s.wait("the producer waits", lambda: s.syscall("victim") == "read" and s.state("victim") == "S" and
           stats("done-parcels")["current-waiting"] == 1)
    s.during("the worker is stopped", lambda: s.state("worker") == "T")
    # beanstalkd gives the job at once to the worker, which has asked for it before.
    s.during("the worker has the job", lambda: stats("parcels")["current-jobs-reserved"] == 1)
    s.during("no result is there", lambda: stats("done-parcels")["current-jobs-ready"] == 0)
    s.during("the producer waits", lambda: victim.poll() is None and s.syscall("victim") == "read")
    s.during("the other worker works", lambda: s.out(producer("letters", "four")) == "FOUR")
    s.hang(victim="victim", culprits=["worker", "test"], causes=["stopped"], vague=["beanstalkd"], wrong=["bystander"])
    yield
    os.kill(s.pid("worker"), signal.SIGCONT)
    s.ended("victim")
    s.check("the result came", s.output("victim") == "THREE\n")

# SPDX-License-Identifier: GPL-2.0-or-later
"""Hangs of small processes whose truth is known: connections, listeners, published ports, a service manager, a full pipe,
a jobserver, semaphores and message queues, and locks that were passed on.

A scene is a function that gets a Stage and the name of a variant. In most scenes, a process that another one waits for
is itself blocked by a file lock, which the keeper owns. When the keeper ends, the hang ends.
"""
import collections
import ctypes
import functools
import os
import signal
import socket
import subprocess
import sys
import time

from lib import Failed, Skipped, children, comm, run, until
from lib.hang_scenes import free_port

# - victim: begins the hang, and returns the pid of the victim
# - chain: sets of pids. The chain of a right answer has one pid of each set, in this order. The sets may be filled by
#   victim()
# - passed: other pids that the chain may have. No other pid may be in a chain. But an answer after the hang may name this
#   test, which ended the hang
# - end: ends the hang
# - causes: a right answer has one of these causes; empty: each cause is right
# - choices: pids. While the hang lasts, an answer is also right if it is weak and lists all of these pids as choices
# - likely: pids. While the hang lasts, a weak answer may also name one of these
# - network: an answer is also right if it is weak and names nobody
# - who: the option of ctrace that takes the pid of the victim. With --tid, victim() returns the tid of a thread
Hang = collections.namedtuple("Hang", "victim chain passed end causes choices likely network who",
                              defaults=[(), (), (), False, "--pid"])

PRELUDE = """
import array, fcntl, os, select, signal, socket, struct, subprocess, sys, time
def ready():
    sys.stdout.write("ready\\n")
    sys.stdout.flush()
def hang():
    with open("lock") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
def reset(c):
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    c.close()
def connect(where):
    s = socket.socket(socket.AF_UNIX if ":" not in where else socket.AF_INET)
    s.connect(where if ":" not in where else (where.split(":")[0], int(where.split(":")[1])))
    return s
def listen(where, backlog=8, family=socket.AF_INET, shared=False):
    s = socket.socket(socket.AF_UNIX if ":" not in where else family)
    if shared:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    host, _, port = where.rpartition(":")
    s.bind((host, int(port)) if host else where)
    s.listen(backlog)
    return s
def accepts_nobody(l):
    ready()
    hang()
    for _ in range(2):
        l.accept()[0].sendall(b"x")
    time.sleep(60)
def answers_all(l):
    ready()
    while True:
        c = l.accept()[0]
        c.recv(1)
        c.sendall(b"x")
"""
RECV = """
ready()
s = connect(sys.argv[1])
s.sendall(b"xx")
try:
    s.recv(1)
except ConnectionResetError:
    pass
"""
POLL = """
ready()
s = connect(sys.argv[1])
s.sendall(b"xx")
p = select.poll()
p.register(s, select.POLLIN)
p.poll()
"""

# Tests that run at the same time have different addresses.
SUBNET = "10.%d" % (os.getpid() % 200 + 20)


def start(stage, name, body, *args, wait=True, inside=(), **kw):
    """Starts a Python process, and waits until it is ready."""
    script = stage.write(name + ".py", PRELUDE + body)
    p = stage.start([*inside, sys.executable, script, *args], cwd=stage.where, stdout=subprocess.PIPE, **kw)
    if wait and p.stdout.readline() != b"ready\n":
        raise Failed("%s.py is not ready: %s" % (name, body))
    return p


def keep(stage):
    """Lets flock(1) own the lock. Returns (pids of the owner, function that ends the owner)."""
    p = stage.start(["flock", stage.write("lock", ""), "sleep", "300"])
    until("flock has the lock", lambda: children(p.pid))
    sleeper = children(p.pid)[0]
    return {p.pid, sleeper}, functools.partial(os.kill, sleeper, signal.SIGTERM)


def addresses_of(stage, kind):
    return [stage.path(x) if kind == "unix" else "127.0.0.1:%d" % free_port() for x in "ab"]


def served(stage, addresses, how, client):
    """A client waits until a server ends the connection. Another server, with the same program, waits for its client."""
    owner, end = keep(stage)
    server = "l = listen(sys.argv[1]); ready(); c = l.accept()[0]; c.recv(1)\n" + how
    guilty, other = [start(stage, name, server, x) for name, x in zip(("guilty", "other"), addresses)]
    start(stage, "client", "s = connect(sys.argv[1]); ready(); s.recv(1)", addresses[1])
    return lambda: start(stage, "victim", client, addresses[0]).pid, [{guilty.pid}, owner], (), end


def reset(stage, variant):
    addresses = addresses_of(stage, "tcp")
    if variant != "killed":
        return Hang(*served(stage, addresses, "hang(); reset(c); time.sleep(60)", POLL if variant == "poll" else RECV))
    # The server has not read all bytes, so the kernel resets the connection.
    victim, chain, passed, _ = served(stage, addresses, "hang()", RECV)
    return Hang(victim, chain, passed, lambda: os.kill(min(chain[0]), signal.SIGKILL))


def close(stage, variant):
    how = {"close": "c.close()", "half": "c.shutdown(socket.SHUT_WR)", "unix": "c.shutdown(socket.SHUT_WR)",
           "poll": "c.shutdown(socket.SHUT_WR)"}[variant]
    return Hang(*served(stage, addresses_of(stage, variant), "hang(); %s; time.sleep(60)" % how,
                        POLL if variant == "poll" else RECV))


def child_closes(stage, _):
    """A server and its child have one connection. The child shuts it down. Before that, only the server has used it."""
    owner, end = keep(stage)
    where = "127.0.0.1:%d" % free_port()
    server = start(stage, "server", """
l = listen(sys.argv[1])
ready()
c = l.accept()[0]
c.recv(1)
if os.fork() == 0:
    hang()
    c.shutdown(socket.SHUT_WR)
time.sleep(60)
""", where)
    child = set()

    def victim():
        p = start(stage, "victim", RECV, where)
        until("the server has a child", lambda: children(server.pid))
        child.update(children(server.pid))
        return p.pid

    return Hang(victim, [child, owner], (), end, likely=[server.pid])


class Networks:
    """A network namespace "host" and containers, each with a connection to the host. No process outside is in one of
    them, so they vanish with their processes."""

    def __init__(self, stage):
        self.stage, self.count = stage, 0
        self.host = self.network()

    def network(self):
        p = self.stage.start(["unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec sleep 120"],
                             stdout=subprocess.PIPE)
        if p.stdout.readline() != b"ready\n":
            raise Skipped("no network namespaces here")
        return p.pid

    @staticmethod
    def inside(pid):
        return ["nsenter", "--net=/proc/%d/ns/net" % pid]

    def sh(self, pid, script):
        r = run([*self.inside(pid), "sh", "-ec", script])
        if r.returncode:
            raise Skipped("cannot be done here: %s" % r.stderr.strip())

    def container(self):
        """Returns (pid of a process in the network of a new container, address of the container)."""
        pid, n = self.network(), self.count
        self.count += 1
        self.sh(self.host, "ip link add v%d type veth peer name eth0 netns %d; ip addr add %s.%d.1/24 dev v%d;"
                "ip link set v%d up" % (n, pid, SUBNET, n, n, n))
        self.sh(pid, "ip addr add %s.%d.2/24 dev eth0; ip link set eth0 up; ip route add default via %s.%d.1"
                % (SUBNET, n, SUBNET, n))
        return pid, "%s.%d.2" % (SUBNET, n)


def published(stage, variant):
    """Two containers have the same program and port. Ports of the host lead to them, by a rule of the host or by a proxy."""
    owner, end = keep(stage)
    networks = Networks(stage)
    pids, addresses = zip(networks.container(), networks.container())
    answer = "ready(); c = l.accept()[0]; c.recv(1); hang(); c.sendall(b'x'); time.sleep(60)"
    idle = "ready(); c = l.accept()[0]; c.recv(1); time.sleep(60)"
    guilty, _ = [start(stage, name, "l = listen('0.0.0.0:80')\n" + body, inside=networks.inside(pid))
                 for name, pid, body in zip(("guilty", "other"), pids, (answer, idle))]
    proxies = []
    if variant == "proxy":
        proxies = [stage.start([*networks.inside(networks.host), "socat", "TCP-LISTEN:%d,bind=%s.0.1" % (port, SUBNET),
                                "TCP:%s:80" % address]).pid for port, address in zip((8080, 8081), addresses)]
        until("socat listens", lambda: ":1F90 " in net_tcp(networks.host) and ":1F91 " in net_tcp(networks.host))
    else:
        networks.sh(networks.host, "nft 'add table ip t; add chain ip t o { type nat hook output priority -100; }'\n" + "".join(
            "nft add rule ip t o ip daddr %s.0.1 tcp dport %d dnat to %s:80\n" % (SUBNET, *x)
            for x in zip((8080, 8081), addresses)))

    def victim():
        p, _ = [start(stage, "victim", RECV, "%s.0.1:%d" % (SUBNET, port), inside=networks.inside(networks.host))
                for port in (8080, 8081)]
        return p.pid

    return Hang(victim, [{x} for x in proxies[:1]] + [{guilty.pid}, owner], (), end, network=variant == "rule")


def net_tcp(pid):
    with open("/proc/%d/net/tcp" % pid, encoding="ascii") as f:
        return f.read()


# {variant: (addresses of guilty and other in their networks, network of other, backlog of guilty)}
NAMESPACES = {
    "namespace": ("0.0.0.0", "0.0.0.0", "container", 8),
    "namespace-host": ("0.0.0.0", "0.0.0.0", "host", 8),
    "namespace-twin": (SUBNET + ".0.2", SUBNET + ".0.2", "twin", 8),
    # With a full queue, the kernel does not answer the SYN of the victim.
    "namespace-full": ("0.0.0.0", "0.0.0.0", "container", 0),
}


def in_namespaces(stage, variant, nobody, everybody, owner, end):
    """Two networks have a listener with the same port."""
    mine, others, where, backlog = NAMESPACES[variant]
    networks = Networks(stage)
    pid, address = networks.container()
    twin = {"container": lambda: networks.container()[0], "host": lambda: networks.host, "twin": networks.network}[where]()
    if where == "twin":
        networks.sh(twin, "ip addr add %s/24 dev lo" % address)
    guilty = start(stage, "guilty", nobody % ((mine + ":80", backlog),), inside=networks.inside(pid))
    other = start(stage, "other", everybody % ((others + ":80",),), inside=networks.inside(twin))
    inside = networks.inside(networks.host)
    if where == "host":
        # So the trace has the address of the container, and ctrace must not take it for an address of the host.
        start(stage, "user", "s = connect(sys.argv[1]); s.sendall(b'x'); s.recv(1); ready(); s.recv(1)",
              SUBNET + ".0.1:80", inside=networks.inside(pid))
    if not backlog:
        start(stage, "client", "s = connect(sys.argv[1]); ready(); s.recv(1)", address + ":80", inside=inside)
    # No record says which network has the address. So ctrace may also list both listeners, or none.
    return Hang(lambda: start(stage, "victim", RECV, address + ":80", inside=inside).pid, [{guilty.pid}, owner], (), end,
                choices=[guilty.pid, other.pid], network=True)


def listeners(stage, variant):
    """Nobody accepts from one listener. Another process accepts from another listener with the same port."""
    owner, end = keep(stage)
    port = free_port()
    nobody, everybody = "accepts_nobody(listen(*%r))", "answers_all(listen(*%r))"
    if variant == "reuseport":
        for_all = ("127.0.0.1:%d" % port, 8, socket.AF_INET.value, True)
        guilty, other = start(stage, "guilty", nobody % (for_all,)), start(stage, "other", everybody % (for_all,))

        def victim():
            """The kernel chooses the listener of each client."""
            for _ in range(40):
                p = start(stage, "victim", RECV, for_all[0])
                try:
                    p.wait(0.7)
                except subprocess.TimeoutExpired:
                    return p.pid
            raise Failed("no client has got the listener that accepts nobody")

        # No record says which listener the kernel has chosen.
        return Hang(victim, [{guilty.pid}, owner], (), end, choices=[guilty.pid, other.pid])
    if variant.startswith("namespace"):
        return in_namespaces(stage, variant, nobody, everybody, owner, end)
    first, second, asked = {
        "address": (("127.0.0.2:%d" % port,), ("127.0.0.1:%d" % port,), "127.0.0.2"),
        "mapped": ((":::%d" % port, 8, socket.AF_INET6.value, True), ("127.0.0.1:%d" % port, 8, socket.AF_INET.value, True),
                   "127.0.0.2"),
        "mapped-other": (("127.0.0.1:%d" % port, 8, socket.AF_INET.value, True),
                         (":::%d" % port, 8, socket.AF_INET6.value, True), "127.0.0.1"),
    }[variant]
    guilty = start(stage, "guilty", nobody % (first,))
    start(stage, "other", everybody % (second,))
    return Hang(lambda: start(stage, "victim", RECV, "%s:%d" % (asked, port)).pid, [{guilty.pid}, owner], (), end)


MANAGER = """
n = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
n.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
n.bind("notify")
START = '''
import fcntl, os, socket, sys, time
manager = os.getppid()
if sys.argv[1] == "slow":
    with open("lock") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.sendto(b"READY=1", "notify")
while os.getppid() == manager:
    time.sleep(0.1)
'''
def service(name):
    p = subprocess.Popen([sys.executable, "-c", START, name])
    print(p.pid, flush=True)
    n.recvmsg(100, 100)
service("fast")
ready()
sys.stdin.readline()
service("slow")
"""


def waits_for_lock(pid):
    with open("/proc/locks", encoding="ascii") as f:
        return any("->" in line and " %d " % pid in line for line in f)


def notify(stage, _):
    """A manager waits until its service says that it is ready. Another manager has a socket with the same name, in another
    directory, and waits too."""
    owner, end = keep(stage)
    os.mkdir(stage.path("other"))
    start(stage, "other", "os.chdir('other'); n = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); n.bind('notify')\n"
          "ready(); n.recv(100)")
    p = start(stage, "manager", MANAGER, wait=False, stdin=subprocess.PIPE)
    int(p.stdout.readline())
    if p.stdout.readline() != b"ready\n":
        raise Failed("the manager is not ready")
    slow = set()

    def victim():
        p.stdin.write(b"\n")
        p.stdin.flush()
        slow.add(int(p.stdout.readline()))
        until("the service waits for the lock", lambda: waits_for_lock(*slow))
        return p.pid

    return Hang(victim, [slow, owner], (), end)


def full_pipe(stage, variant):
    """A parent waits for the end of its child, and does not read from the pipe to which its child writes."""
    command = ["seq", "1000000"] if variant == "child" else ["sh", "-c", "seq 1000000; true"]
    chain, started = [set()] if variant == "child" else [set(), set()], []

    def victim():
        p = start(stage, "parent", "p = subprocess.Popen(%r, stdout=subprocess.PIPE); p.wait()" % command, wait=False)
        started.append(p.pid)
        pid = p.pid
        for pids in chain:
            until("a child runs", lambda pid=pid: children(pid))
            pid = children(pid)[0]
            pids.add(pid)
        started.append(pid)
        return p.pid

    return Hang(victim, chain, (), lambda: os.kill(started[1], signal.SIGKILL), ["circular-wait"])


def jobserver(stage, _):
    """make -j2 has two tokens. A job of make has one, and a job of the sub-make has the other one. The sub-make gets a token
    when one of the two ends."""
    os.mkdir(stage.path("sub"))
    stage.write("Makefile", "all: hold sub\nhold: ; sleep 61\nsub: ; +$(MAKE) -C sub\n.PHONY: all hold sub\n")
    stage.write("sub/Makefile", "all: a b\na: ; sleep 62\nb: ; true\n.PHONY: all a b\n")
    holders, makes, sleeps, choices = set(), set(), [], []

    def found(parent, name):
        return [pid for pid in children(parent) if comm(pid) == name]

    def victim():
        p = stage.start(["make", "-j2"], cwd=stage.where)
        makes.add(p.pid)
        until("make runs both", lambda: found(p.pid, "make") and found(p.pid, "sleep"))
        sub = found(p.pid, "make")[0]
        until("the sub-make runs one", lambda: found(sub, "sleep"))
        sleeps.extend(found(p.pid, "sleep") + found(sub, "sleep"))
        holders.update(sleeps)
        choices.append(sleeps[0])
        return sub

    def end():
        os.kill(sleeps[0], signal.SIGKILL)
        os.kill(sleeps[1], signal.SIGKILL)

    return Hang(victim, [holders], makes, end, choices=choices)


SYSV = """
import ctypes
libc = ctypes.CDLL(None)
UNDO = 0x1000
def change(semaphores, number, by):
    libc.semop(semaphores, struct.pack("HhH", number, by, UNDO), ctypes.c_size_t(1))
def send(queue, text=b"x"):
    libc.msgsnd(queue, struct.pack("l", 1) + text, ctypes.c_size_t(len(text)), 0)
def receive(queue):
    libc.msgrcv(queue, ctypes.create_string_buffer(8200), ctypes.c_size_t(8192), ctypes.c_long(0), 0)
"""


def sysv(stage, variant):
    """A process owns a semaphore of System V, has to answer, or has to read a full queue. Another process does the same for
    other processes. In half of the variants, this other one is the older one."""
    libc = ctypes.CDLL(None)
    what, _, order = variant.partition("-")
    owner, end = keep(stage)
    made = [libc.msgget(0, 0o1600) for _ in range(4)]
    semaphores = libc.semget(0, 2, 0o1600)
    for queue in made:
        stage.callback(libc.msgctl, queue, 0, None)
    stage.callback(libc.semctl, semaphores, 0, 0)
    for number in range(2):
        libc.semctl(semaphores, number, 16, 1)  # SETVAL

    def run_py(name, body, *args):
        return start(stage, name, SYSV + body, *map(str, args))

    serve = """
questions, answers, n = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
ready()
while True:
    receive(questions)
    n -= 1
    if not n:
        hang()
    send(answers)
"""
    take = "number = int(sys.argv[2])\nchange(int(sys.argv[1]), number, -1)\nready()\n"
    started = {}
    for name in ("other", "guilty") if order == "last" else ("guilty", "other"):
        if what == "semaphore":
            number = name == "other"
            started[name] = run_py(name, take + ("time.sleep(300)" if number else "hang()\nchange(int(sys.argv[1]), 0, 1)"),
                                   semaphores, int(number))
        else:
            pair = made[2:] if name == "other" else made[:2]
            started[name] = run_py(name, serve, *pair, 0 if name == "other" else 2)
            run_py(name + "_client", "send(int(sys.argv[1])); receive(int(sys.argv[2])); ready()", *pair).wait()
    body = {"semaphore": "ready(); change(int(sys.argv[1]), 0, -1)",
            "answer": "ready(); send(int(sys.argv[1])); receive(int(sys.argv[2]))",
            "full": "ready(); send(int(sys.argv[1]))\nfor _ in range(3):\n    send(int(sys.argv[1]), bytes(8000))"}[what]
    args = [semaphores] if what == "semaphore" else made[:2]
    return Hang(lambda: run_py("victim", body, *args).pid, [{started["guilty"].pid}, owner], (), end)


PASSER = """
a, b = socket.socketpair()
f = open("lock")
fcntl.flock(f, fcntl.LOCK_EX)
if os.fork() == 0:
    if sys.argv[1] == "socket":
        f.close()
        f = os.fdopen(socket.recv_fds(b, 1, 1)[1][0])
        b.send(b"x")
    time.sleep(300)
if sys.argv[1] == "socket":
    socket.send_fds(a, [b"x"], [f.fileno()])
    a.recv(1)
f.close()
ready()
if sys.argv[2] == "ends":
    sys.exit()
time.sleep(300)
"""
# A robust mutex of glibc in shared memory: offset 0 of the mapping
ROBUST = """
import ctypes, mmap
libc = ctypes.CDLL(None, use_errno=True)
m = mmap.mmap(os.open("mutex", os.O_RDWR), 4096)
mutex = ctypes.c_char.from_buffer(m)
def lock():
    if libc.pthread_mutex_lock(ctypes.byref(mutex)) == 130: # EOWNERDEAD
        libc.pthread_mutex_consistent(ctypes.byref(mutex))
"""


def passed_lock(stage, variant):
    """A process locks a file, and another one keeps the open file: a child, or a process that got the descriptor through a
    socket. The one that locked the file has closed it, or has ended. A third process has the file open too."""
    how, _, then = variant.partition("-")
    stage.write("lock", "")
    start(stage, "opener", "f = open('lock'); ready(); time.sleep(300)")
    p = start(stage, "locker", PASSER, how, then)
    keepers = set()
    if then == "ends":
        p.wait()
        until("a child has the lock", lambda: keepers_of(stage.path("lock"), keepers))
    else:
        keepers.update(children(p.pid))

    def victim():
        p = start(stage, "victim", "ready(); hang()")
        until("the victim waits for the lock", lambda: waits_for_lock(p.pid))
        return p.pid

    return Hang(victim, [keepers], (), lambda: os.kill(min(keepers), signal.SIGKILL))


def keepers_of(path, ret):
    """Adds the processes whose open file has the lock to ret, and returns it."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            for fd in os.listdir("/proc/%s/fd" % pid):
                with open("/proc/%s/fdinfo/%s" % (pid, fd), encoding="ascii") as f:
                    if os.path.realpath("/proc/%s/fd/%s" % (pid, fd)) == os.path.realpath(path) and "lock:" in f.read():
                        ret.add(int(pid))
        except OSError:
            pass
    return ret


def handed_mutex(stage, variant):
    """The owner of a robust mutex unlocks it, or is killed. A process that waited too is the next owner."""
    stage.write("mutex", "\0" * 4096)
    start(stage, "maker", ROBUST + """
attr = ctypes.create_string_buffer(64)
libc.pthread_mutexattr_init(attr)
libc.pthread_mutexattr_setpshared(attr, 1)
libc.pthread_mutexattr_setrobust(attr, 1)
libc.pthread_mutex_init(ctypes.byref(mutex), attr)
ready()
""").wait()
    first = start(stage, "first", ROBUST + """
lock()
ready()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
signal.sigwait([signal.SIGUSR1])
libc.pthread_mutex_unlock(ctypes.byref(mutex))
time.sleep(300)
""")
    second = start(stage, "second", ROBUST + "ready(); lock(); time.sleep(300)")
    until("the second waits", lambda: in_futex(second.pid))

    def victim():
        p = start(stage, "victim", ROBUST + "ready(); lock()")
        until("the victim waits", lambda: in_futex(p.pid))
        time.sleep(0.8)  # an inspection shows the first owner
        os.kill(first.pid, signal.SIGKILL if variant == "killed" else signal.SIGUSR1)
        until("the second has the mutex", lambda: not in_futex(second.pid))
        return p.pid

    return Hang(victim, [{second.pid}], (), lambda: os.kill(second.pid, signal.SIGKILL))


def children_exit(stage, variant):
    """A process waits for an answer, or for the end of one child. Its other children exit meanwhile, and each SIGCHLD
    interrupts the wait."""
    owner, end = keep(stage)
    path = stage.path("socket")
    server = start(stage, "server", """
l = listen(sys.argv[1])
ready()
c = l.accept()[0]
c.recv(1)
hang()
c.sendall(b"x")
""", path)
    guilty = {server.pid}
    body = """
ready()
signal.signal(signal.SIGCHLD, lambda *_: None)
for i in range(40):
    if not os.fork():
        time.sleep(0.4 + 0.4 * i)
        os._exit(0)
""" + {
        "answer": "s = connect(sys.argv[1]); s.sendall(b'x'); s.recv(1)",
        "child": "p = subprocess.Popen(['flock', 'lock', 'true']); os.waitpid(p.pid, 0)",
    }[variant]

    def victim():
        p = start(stage, "victim", body, path, wait=False)
        if variant == "child":
            guilty.clear()
            until("flock waits", lambda: [x for x in children(p.pid) if comm(x) == "flock"])
            guilty.update(x for x in children(p.pid) if comm(x) == "flock")
        return p.pid

    return Hang(victim, [guilty, owner], (), end)


def malloc_lock(stage, _):
    """A thread of a container's first process reports to a full pipe, and has the lock of malloc(). Another thread waits
    for this lock. The lock has the same value as a mutex, and the number 1 where a mutex has its owner: the tid of the
    main thread in the container."""
    owner, end = keep(stage)
    reader = start(stage, "reader", "ready(); hang(); os.read(0, 1 << 20); time.sleep(300)", stdin=subprocess.PIPE)
    body = """
import ctypes, threading
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.mallopt(-8, 1)
blocks = [ctypes.c_void_p(libc.malloc(32)) for _ in range(64)]
os.set_blocking(2, False)
try:
    while True:
        os.write(2, b"x")
except BlockingIOError:
    os.set_blocking(2, True)
def report():
    time.sleep(0.2)
    for block in blocks:
        libc.free(block)
    libc.malloc_stats()
def take():
    libc.prctl(15, b"taker")
    time.sleep(0.5)
    libc.malloc(60000)
    os._exit(0)
for f in take, report:
    threading.Thread(target=f).start()
time.sleep(300)
"""

    def victim():
        p = start(stage, "victim", body, wait=False, inside=["unshare", "-pf", "--kill-child"], stderr=reader.stdin)
        until("the container has a process", lambda: children(p.pid))
        threads = "/proc/%d/task" % children(p.pid)[0]
        until("a thread waits", lambda: any(comm(int(x)) == "taker" and in_futex(int(x)) for x in os.listdir(threads)))
        return next(int(x) for x in os.listdir(threads) if comm(int(x)) == "taker")

    return Hang(victim, [{reader.pid}, owner], (), end, network=True, who="--tid")


def in_futex(pid):
    with open("/proc/%d/wchan" % pid, encoding="ascii") as f:
        return "futex" in f.read()


# {scene: (function, variants, programs)}
SCENES = {
    "reset": (reset, ["recv", "poll", "killed"], ["flock"]),
    "close": (close, ["close", "half", "poll", "unix"], ["flock"]),
    "child-closes": (child_closes, [""], ["flock"]),
    "published": (published, ["rule", "proxy"], ["flock", "unshare", "nsenter", "ip", "nft", "socat"]),
    "listeners": (listeners, ["address", "mapped", "mapped-other", *NAMESPACES, "reuseport"],
                  ["flock", "unshare", "nsenter", "ip"]),
    "notify": (notify, [""], ["flock"]),
    "full-pipe": (full_pipe, ["child", "grandchild"], ["seq"]),
    "jobserver": (jobserver, [""], ["make"]),
    "sysv": (sysv, ["semaphore", "semaphore-last", "answer", "answer-last", "full"], ["flock"]),
    "passed-lock": (passed_lock, ["fork", "socket", "fork-ends", "socket-ends"], []),
    "handed-mutex": (handed_mutex, ["killed", "unlocked"], []),
    "children-exit": (children_exit, ["answer", "child"], ["flock"]),
    "malloc-lock": (malloc_lock, [""], ["flock", "unshare"]),
}

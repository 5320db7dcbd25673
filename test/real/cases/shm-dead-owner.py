# SPDX-License-Identifier: GPL-2.0-or-later
"""A C++ program waits for a mutex in shared memory. SIGKILL has ended the owner of this mutex, which therefore never unlocks
it."""
import os
import signal

HELD_OUT = False
NEEDS = {"g++": "g++"}
STOCK = r"""
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstring>
#include <iostream>
#include <string>

struct Table {
    pthread_mutex_t mutex;
    long parcels[1000];
};

static Table *table(const char *path, bool fresh)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(Table)))
        throw std::string("no table");
    void *p = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        throw std::string("no memory");
    Table *t = static_cast<Table *>(p);
    if (fresh) {
        pthread_mutexattr_t attr;
        pthread_mutexattr_init(&attr);
        pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
        pthread_mutex_init(&t->mutex, &attr);
    }
    return t;
}

int main(int argc, char **argv)
{
    std::string what = argc > 2 ? argv[2] : "";
    Table *t = table(argv[1], what == "init");
    if (what == "init")
        return 0;
    if (what == "repair")
        return pthread_mutex_unlock(&t->mutex);
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        pthread_mutex_lock(&t->mutex);
        t->parcels[line.size()]++;
        std::cout << "counted " << line << std::endl;
        if (line == "import")  // the parcels of an import come from the input
            while (std::getline(std::cin, line) && line != "end")
                t->parcels[line.size() % 1000]++;
        pthread_mutex_unlock(&t->mutex);
        std::cout << "free" << std::endl;
    }
    return 0;
}
"""


def play(s):
    with open(s.path("stock.cc"), "w", encoding="ascii") as f:
        f.write(STOCK)
    s.out(["g++", "-O1", "-o", "stock", "stock.cc", "-pthread"], timeout=100)
    for name in "table", "other_table":
        s.out([s.path("stock"), name, "init"])
    for role, name in ("victim", "table"), ("killed", "table"), ("idle", "table"), ("bystander", "other_table"):
        s.start(role, [s.path("stock"), name], talk=True)
        s.wait("%s is ready" % role, lambda role=role: "ready" in s.output(role))
        s.say(role, "bolt")
        s.wait("%s counts" % role, lambda role=role: "counted bolt\nfree" in s.output(role))
    s.say("bystander", "import")
    s.wait("the other import runs", lambda: "counted import" in s.output("bystander"))
    s.say("killed", "import")
    s.wait("the import runs", lambda: "counted import" in s.output("killed"))

    s.begin()
    s.processes["killed"][0].send_signal(signal.SIGKILL)  # as the kernel does when there is no memory left
    s.wait("the owner has ended", lambda: s.processes["killed"][0].poll() is not None)
    s.say("victim", "nut")
    s.wait("the victim waits for the mutex", lambda: s.syscall("victim") == "futex" and s.state("victim") == "S")

    def word():
        """The futex of the mutex: 2 if it is locked, and there may be a waiter. Then the thread that locked it."""
        with open(s.path("table"), "rb") as f:
            data = f.read(12)
        return int.from_bytes(data[:4], "little"), int.from_bytes(data[8:], "little")

    s.during("the mutex is locked", lambda: word() == (2, s.pid("killed")))
    s.during("its owner is gone", lambda: not os.path.exists("/proc/%d/task" % s.pid("killed")))
    s.during("the victim waits for the mutex", lambda: s.syscall("victim") == "futex" and s.state("victim") == "S" and
             "nut" not in s.output("victim"))
    s.during("the others wait for a line", lambda: s.syscall("idle") == s.syscall("bystander") == "read")
    s.hang(victim="victim", culprits=["killed", "victim", "test"], causes=["missing-wakeup", "lock-holder"],
           wrong=["idle", "bystander"])
    yield
    s.out([s.path("stock"), "table", "repair"])
    s.went_on("the victim counts", lambda: "counted nut\nfree" in s.output("victim"))
    for role in "victim", "idle":
        s.processes[role][0].stdin.close()
        s.ended(role)

# SPDX-License-Identifier: GPL-2.0-or-later
"""The edges between the tasks of a Python program, as the program itself knows them. told.h explains the output."""
import mmap
import os
import resource
import struct
import threading
import time

STAMP = struct.Struct("=QII")  # time, task, note to the receiver
SEEN = -1

_edges = []
_ends = mmap.mmap(-1, 4096)  # the time of the end of each process, by the index of the process
_n_processes = 0


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def stamp(note=0):
    return STAMP.pack(now(), threading.get_native_id(), note)


def sleeps():
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def caused(kind, what, slept_before, at=None):
    """Adds an edge to the edges that tell() prints: from the sender of the stamp `what` to this task, which has received
    the stamp. at: the time of arrival; None: now. Returns the note in the stamp."""
    at, (left, who, note) = at or now(), STAMP.unpack(what)
    slept = slept_before == SEEN or sleeps() != slept_before
    _edges.append("edge=%s %d %d %d %d %s\n" % (kind, who, left, threading.get_native_id(), at,
                                                "slept" if slept else "ran"))
    return note


def tell():
    """Prints the edges of this process in one write."""
    os.write(1, "".join(_edges).encode())


def say(text):
    os.write(1, (text + "\n").encode())


def role(name, related=True):
    who = "%d/%d" % (os.getpid(), threading.get_native_id())
    say("role.%s=%s\n%s=%s" % (name, who, "related" if related else "unrelated", who))


def process(fn):
    """Returns the argument for reap()."""
    global _n_processes
    by, slot = stamp(), _n_processes
    _n_processes += 1
    pid = os.fork()
    if pid:
        return pid, slot
    _edges.clear()
    caused("fork", by, SEEN)
    fn()
    tell()
    _ends[slot * 8:slot * 8 + 8] = struct.pack("=Q", now())
    os._exit(0)


def reap(child):
    pid, slot = child
    before = sleeps()
    os.waitpid(pid, 0)
    caused("exit", STAMP.pack(struct.unpack("=Q", _ends[slot * 8:slot * 8 + 8])[0], pid, 0), before)

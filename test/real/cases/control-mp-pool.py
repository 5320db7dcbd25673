# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a Python program gives small jobs to its multiprocessing.Pool, ten at a time. The jobs are done at once."""
HELD_OUT = False
NEEDS = {"python3": "python3"}

REPORT = """
import multiprocessing, time

def work(n):
    return sum(i * i for i in range(20000 + n))

if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    with multiprocessing.Pool(2) as pool:
        n = 0
        while True:
            n += len(pool.map(work, range(10)))
            print("done %d\\n" % n, end="", flush=True)
            time.sleep(0.3)
"""


def play(s):
    with open(s.path("report.py"), "w", encoding="ascii") as f:
        f.write(REPORT)
    s.start("report", ["python3", "report.py"])

    def done():
        return int(s.output("report").splitlines()[-1].split()[1])

    s.wait("the first jobs are done", lambda: done() >= 10)

    s.begin()

    def goes_on():
        n = done()
        s.wait("ten more jobs are done", lambda: done() > n, 2)
        return True

    s.during("jobs are done", goes_on)
    s.normal(victim="report", causes=["timer", "busy"])
    yield
    n = done()
    s.went_on("more jobs are done", lambda: done() >= n + 20)
    s.check("at least ten jobs are done each second", n >= 10 * s.seconds)

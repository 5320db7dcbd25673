# SPDX-License-Identifier: GPL-2.0-or-later
"""emacs is frozen: it waits for the answer of its language server, pylsp. The CPU quota of the container of pylsp lets it run
for 2 % of the time."""
import os

from scene import descendants, proc, set_quota, throttled

HELD_OUT = False
NEEDS = {"emacs": "emacs-nox", "pylsp": "python3-pylsp", "script": "bsdutils"}
FUNCTIONS = 1000
CLIENT = """
(require 'jsonrpc)
(defvar server
  (make-instance 'jsonrpc-process-connection :name "pylsp" :notification-dispatcher #'ignore :request-dispatcher #'ignore
   :process (make-process :name "pylsp" :command '("%(where)s/container") :connection-type 'pipe :noquery t
                          :coding 'utf-8-emacs-unix)))
(jsonrpc-request server :initialize (list :processId nil :rootUri nil :capabilities (make-hash-table)) :timeout 120)
(jsonrpc-notify server :initialized (make-hash-table))
(defun symbols (name)
  (let ((found (jsonrpc-request server :textDocument/documentSymbol
                                (list :textDocument (list :uri (concat "file://%(where)s/" name))) :timeout 120)))
    (write-region (format "%%d symbols\\n" (length found)) nil (concat "%(where)s/" name ".symbols") nil 'quiet)))
(global-set-key (kbd "C-c s") (lambda () (interactive) (symbols "small.py")))
(global-set-key (kbd "C-c t") (lambda () (interactive) (symbols "shop.py")))
(find-file "%(where)s/notes")
(write-region "" nil "%(where)s/ready" nil 'quiet)
"""


def play(s):
    group, old = s.control_group("cpu", "emacs-pylsp")
    function = "def parcel%d(weight, price):\n    total = weight * price\n    return total + %d\n\n"
    for name, text in ("client.el", CLIENT % {"where": s.where}), ("small.py", function % (1, 1)), \
            ("shop.py", "".join(function % (i, i) for i in range(FUNCTIONS))), ("notes", "a note\n"), \
            ("container", "#!/bin/sh\necho $$ >%s/cgroup.procs && exec /usr/bin/pylsp\n" % group):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.chmod(s.path("container"), 0o755)
    env = {**os.environ, "TERM": "xterm", "LINES": "24", "COLUMNS": "80", "HOME": s.where, "LC_ALL": "C.UTF-8",
           "XDG_CACHE_HOME": s.path("cache")}
    s.start("terminal", ["script", "-qefc", "stty rows 24 cols 80; exec emacs -nw -Q -l client.el", s.path("log")], env=env,
            talk=True)

    def press(keys):
        s.processes["terminal"][0].stdin.write(keys)
        s.processes["terminal"][0].stdin.flush()

    s.wait("emacs has a language server", lambda: os.path.exists(s.path("ready")), 60)
    victim = s.role("victim", next(p for p in descendants(s.pid("terminal")) if proc(p, "comm").startswith("emacs")))
    s.role("pylsp", next(p for p in descendants(victim) if proc(p, "comm").strip() == "pylsp"))
    press(b"\x03s")
    s.wait("the language server answers", lambda: os.path.exists(s.path("small.py.symbols")), 30)

    set_quota(group, old, 2000)
    s.begin()
    press(b"\x03t")
    s.wait("pylsp is throttled", lambda: throttled(group) > 3)
    seen = [0]

    def still_throttled():
        before, seen[0] = seen[0], throttled(group)
        return seen[0] > before or s.wait("it is throttled", lambda: throttled(group) > before, 2) is None

    s.during("the group was throttled again", still_throttled)
    s.during("pylsp wants to run", lambda: "R" in {proc(s.pid("pylsp"), "stat", t).rpartition(")")[2].split()[0]
                                                   for t in s.threads("pylsp")} and not s.uses_cpu("pylsp", 0.2))
    s.during("emacs waits", lambda: s.state("victim") == "S" and s.syscall("victim") == "pselect6" and
             not s.uses_cpu("victim", 0.1, 0.2))
    s.during("there is no answer", lambda: not os.path.exists(s.path("shop.py.symbols")))
    s.hang(victim="victim", culprits=["pylsp"], causes=["starved"], wrong=["terminal", "test"])
    yield
    set_quota(group, old, -1)
    s.went_on("emacs has the answer", lambda: os.path.exists(s.path("shop.py.symbols")))
    with open(s.path("shop.py.symbols"), encoding="ascii") as f:
        s.check("all functions are in the answer", int(f.read().split()[0]) >= FUNCTIONS)
    press(b"\x18\x03")  # C-x C-c
    s.wait("emacs ends", lambda: s.processes["terminal"][0].poll() is not None)

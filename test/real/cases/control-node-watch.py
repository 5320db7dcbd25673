# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: `node --watch` waits for a change of its server's source. The server has an idle client, and answers others."""
import os

from scene import Invalid

HELD_OUT = False
NEEDS = {"node": "nodejs", "curl": "curl", "nc": "netcat-openbsd", "ss": "iproute2"}
SERVER = """
const http = require("http");
http.createServer((request, answer) => answer.end("version %d\\n")).listen(%s, "127.0.0.1", () => console.log("listens %d"));
"""


def play(s):
    port = s.port()

    def write(version):
        with open(s.path("server.js"), "w", encoding="ascii") as f:
            f.write(SERVER % (version, port, version))

    def page():
        try:
            return s.out(["curl", "-s", "-m", "5", "--noproxy", "*", "http://127.0.0.1:%s/" % port])
        except Invalid as e:  # the server does not run yet
            raise ValueError(e) from None

    write(1)
    s.start("watch", ["node", "--watch", "server.js"], env={**os.environ, "HOME": s.where})
    s.wait("the server answers", lambda: s.connects(port) and page() == "version 1", 20)
    s.role("server", s.child("watch"))
    write(2)
    s.wait("node starts the server again", lambda: page() == "version 2", 20)
    s.role("server", s.child("watch"))
    s.start("client", ["nc", "127.0.0.1", port], talk=True)
    s.wait("the client is connected", lambda: s.out(["ss", "-tnpH", "state", "established", "dport", "=", ":" + port])
           .count("pid=%d," % s.pid("client")) == 1)

    s.begin()
    s.during("the server answers", lambda: page() == "version 2" and s.child("watch") == s.pid("server"))
    s.during("node watches", lambda: s.state("watch") == "S" and not s.uses_cpu("watch", 0.1, 0.2))
    s.normal(victim="watch", causes=["timer", "external"])
    yield
    write(3)
    s.went_on("node starts the server again", lambda: page() == "version 3")

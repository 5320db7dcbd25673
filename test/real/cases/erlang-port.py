# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for an Erlang server. For its answer, the server waits in os:cmd for a factor(1) that computes."""
import os
import signal

from scene import proc

HELD_OUT = False
NEEDS = {"escript": "erlang-base", "curl": "curl", "factor": "coreutils"}
# Two primes with 30 digits: factor needs hours.
NUMBER = str((10 ** 29 + 319) * (10 ** 29 + 457))

SERVER = r"""#!/usr/bin/env escript
main([Port]) ->
    Options = [{active, false}, {packet, line}, {ip, {127, 0, 0, 1}}, {reuseaddr, true}],
    {ok, L} = gen_tcp:listen(list_to_integer(Port), Options),
    io:format("ready~n"),
    accept(L).

accept(L) ->
    {ok, C} = gen_tcp:accept(L),
    Pid = spawn(fun() -> receive go -> serve(C) end end),
    ok = gen_tcp:controlling_process(C, Pid),
    Pid ! go,
    accept(L).

serve(C) ->
    {ok, Line} = gen_tcp:recv(C, 0),
    headers(C),
    ["GET", "/" ++ Number | _] = string:tokens(Line, " "),
    Said = os:cmd("factor " ++ Number),
    gen_tcp:send(C, ["HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nfactors ", Said]),
    gen_tcp:close(C).

headers(C) ->
    case gen_tcp:recv(C, 0) of
        {ok, "\r\n"} -> ok;
        {ok, _} -> headers(C)
    end.
"""


def play(s):
    port = s.port()
    with open(s.path("server"), "w", encoding="ascii") as f:
        f.write(SERVER)
    s.start("server", ["escript", "server", port], env={**os.environ, "HOME": s.where})
    s.wait("the server is ready", lambda: "ready" in s.output("server"), 30)

    def url(number):
        return "http://127.0.0.1:%s/%s" % (port, number)

    s.check("the server answers", s.out(["curl", "-s", url(6)]) == "factors 6: 2 3")
    bystander = s.start("bystander", ["nice", "-n", "19", "factor", NUMBER])

    def factor():
        return next((pid for pid in s.living() if pid != bystander.pid and proc(pid, "comm") == "factor\n"), None)

    s.begin()
    victim = s.start("victim", ["curl", "-s", url(NUMBER)])
    s.wait("factor runs", factor)
    s.role("factor", factor())
    s.role("beam", next(pid for pid in s.living() if proc(pid, "comm").startswith("beam")))
    s.role("starter", next(pid for pid in s.living() if proc(pid, "comm").startswith("erl_child_setup")))
    s.role("shell", int(proc(s.pid("factor"), "stat").rpartition(")")[2].split()[1]))
    s.check("factor is a descendant of Erlang's starter", s.pid("starter") in (
        s.pid("shell"), int(proc(s.pid("shell"), "stat").rpartition(")")[2].split()[1])))
    s.wait("curl waits", lambda: s.syscall("victim") in ("poll", "ppoll"))
    s.during("factor computes", lambda: factor() == s.pid("factor") and s.uses_cpu("factor", 0.1))
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("Erlang answers others", lambda: s.out(["curl", "-s", url(15)]) == "factors 15: 3 5")
    s.hang(victim="victim", culprits=["factor"], causes=["busy"], vague=["beam", "starter", "shell"],
           wrong=["bystander", "test"])
    yield
    os.kill(s.pid("factor"), signal.SIGTERM)
    s.ended("victim")
    s.check("the server answered", s.output("victim").startswith("factors"))

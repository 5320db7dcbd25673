# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: nc shows the ticks of an Erlang server, which sends one every 0.4 s. Another client is idle on purpose."""
import os

HELD_OUT = True
NEEDS = {"escript": "erlang-base", "nc": "netcat-openbsd"}

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
    case gen_tcp:recv(C, 0) of
        {ok, "ticks\n"} -> tick(C, 1);
        {ok, Line} -> gen_tcp:send(C, Line), serve(C);
        {error, _} -> ok
    end.

tick(C, N) ->
    gen_tcp:send(C, io_lib:format("tick ~b~n", [N])),
    timer:sleep(400),
    tick(C, N + 1).
"""


def play(s):
    port = s.port()
    with open(s.path("server"), "w", encoding="ascii") as f:
        f.write(SERVER)
    s.start("server", ["escript", "server", port], env={**os.environ, "HOME": s.where})
    s.wait("the server is ready", lambda: "ready" in s.output("server"), 30)
    for name in "client", "idler":
        s.start(name, ["nc", "127.0.0.1", port], talk=True)
        s.check("the server answers %s" % name, s.ask(name, "hello") == "hello")
    s.say("client", "ticks")

    def ticks():
        return s.output("client").count("tick ")

    s.wait("the first tick comes", ticks)

    s.begin()

    def goes_on():
        n = ticks()
        s.wait("a tick comes", lambda: ticks() > n, 3)
        return s.state("client") in "SR"

    s.during("ticks come", goes_on)
    s.during("the server answers at once", lambda: s.ask("idler", "hello") == "hello")
    s.during("nc uses almost no CPU", lambda: not s.uses_cpu("client", 0.1))
    s.normal(victim="client", causes=["timer", "external"])
    yield
    n = ticks()
    s.went_on("more ticks come", lambda: ticks() > n + 1)
    s.check("a tick came about every 0.4 s", n >= 1.5 * s.seconds)

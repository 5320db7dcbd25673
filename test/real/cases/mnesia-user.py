# SPDX-License-Identifier: GPL-2.0-or-later
"""An Erlang node waits in a transaction of Mnesia for the lock of a row. The transaction of another node, the till, has
this lock, and waits for its user's input."""
import os

from scene import Missing

HELD_OUT = False
NEEDS = {"erl": "erlang-base", "epmd": "erlang-base"}
NODE = r"""
-module(node).
-export([shop/0, till/1]).

shop() ->
    ok = mnesia:start(),
    {atomic, ok} = mnesia:create_table(stock, [{ram_copies, [node()]}]),
    say("ready"),
    receive never -> ok end.

till(Shop) ->
    ok = mnesia:start(),
    {ok, [_]} = mnesia:change_config(extra_db_nodes, [Shop]),
    ok = mnesia:wait_for_tables([stock], 9000),
    say("ready"),
    orders().

orders() ->
    case string:lexemes(line(), " \n") of
        ["set", Key, N] ->
            {atomic, ok} = mnesia:transaction(fun() -> mnesia:write({stock, Key, N}) end),
            say("stored " ++ N);
        ["count", Key] ->
            {atomic, N} = mnesia:transaction(fun() ->
                [{stock, _, Old}] = mnesia:read(stock, Key, write),
                say("instead of " ++ Old),
                [N] = string:lexemes(line(), " \n"),
                ok = mnesia:write({stock, Key, N}),
                N
            end),
            say("counted " ++ N);
        ["locks"] ->
            say(io_lib:format("~b held, ~b awaited",
                [length(rpc:call('shop@127.0.0.1', mnesia, system_info, [What])) || What <- [held_locks, lock_queue]]))
    end,
    orders().

line() ->
    case io:get_line("") of
        eof -> halt();
        Line -> Line
    end.

say(Text) -> io:format("~s~n", [Text]).
"""


def play(s):
    if not s.out(["erl", "-noshell", "-eval", 'io:format("~p", [code:lib_dir(mnesia)]), halt().']).startswith('"'):
        raise Missing("needs the package erlang-mnesia")
    epmd = s.port()
    with open(s.path("node.erl"), "w", encoding="ascii") as f:
        f.write(NODE)
    env = {**os.environ, "HOME": s.where, "ERL_EPMD_PORT": epmd, "ERL_EPMD_ADDRESS": "127.0.0.1"}
    s.out(["env", "HOME=" + s.where, "erlc", "node.erl"])
    s.start("epmd", ["epmd", "-port", epmd, "-address", "127.0.0.1"])
    s.wait("epmd listens", lambda: s.connects(epmd))

    def node(role, call):
        s.start(role, ["erl", "-noshell", "-noinput" if role == "shop" else "-hidden", "-name", role + "@127.0.0.1",
                       "-setcookie", "shop", "-kernel", "inet_dist_use_interface", "{127,0,0,1}", "-mnesia",
                       "schema_location", "ram", "-eval", call], talk=role != "shop", env=env)
        s.wait("%s is ready" % role, lambda: "ready" in s.output(role), 30)

    node("shop", "node:shop().")
    for role in "till", "victim", "idler":
        node(role, "node:till('shop@127.0.0.1').")
    s.check("a row is stored", s.ask("victim", "set tea 17") == "stored 17")
    for n in range(10):  # so that the victim's next transaction counts as older. Otherwise, it would try again and again
        s.check("another row is stored", s.ask("till", "set oil %d" % n) == "stored %d" % n)

    s.begin()
    s.check("the till counts", s.ask("till", "count tea") == "instead of 17")
    s.say("victim", "set tea 18")

    def waits():
        return s.ask("idler", "locks") == "1 held, 1 awaited"

    s.wait("the victim waits for the lock", waits)
    s.during("one lock is held, and awaited", waits)
    s.during("nothing more is stored", lambda: s.output("victim").endswith("stored 17\n"))
    s.during("the till waits", lambda: s.output("till").endswith("instead of 17\n") and not s.uses_cpu("till", 0.2))
    # The test is the user.
    s.hang(victim="victim", culprits=["till", "test"], causes=["external", "lock-holder"], vague=["shop"],
           wrong=["idler", "epmd"])
    yield
    s.say("till", "34")
    s.went_on("the row is stored", lambda: s.output("victim").endswith("stored 18\n"))
    s.wait("the till has counted", lambda: s.output("till").endswith("counted 34\n"))

# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a thread of an OCaml server. The thread waits for a Mutex, whose owner, another thread, reads the answer of
a dc that computes. A second dc computes too, for nobody."""
import os
import signal

HELD_OUT = False
NEEDS = {"ocamlopt": "ocaml-nox", "dc": "dc", "curl": "curl"}
SHOP = """
let lock = Mutex.create ()
let desk = ref None

let make () =
  let from_us, questions = Unix.pipe ~cloexec:true () in
  let answers, to_us = Unix.pipe ~cloexec:true () in
  ignore (Unix.create_process "dc" [| "dc" |] from_us to_us Unix.stderr);
  Unix.close from_us;
  Unix.close to_us;
  (Unix.in_channel_of_descr answers, Unix.out_channel_of_descr questions)

let ask question =
  Mutex.lock lock;
  let answers, questions = match !desk with Some d -> d | None -> make () in
  desk := Some (answers, questions);
  output_string questions (question ^ "\\n");
  flush questions;
  let answer = try input_line answers with End_of_file -> desk := None; "none" in
  Mutex.unlock lock;
  answer

let serve fd =
  let input = Unix.in_channel_of_descr fd in
  let page = List.nth (String.split_on_char ' ' (input_line input)) 1 in
  (try while String.length (input_line input) > 1 do () done with End_of_file -> ());
  let text = match page with
    | "/price" -> ask "6 7*p"
    | "/all" -> ask "[3*1+1000003%lax]sa2lax"
    | _ -> "open" in
  let answer = Printf.sprintf "HTTP/1.0 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" (String.length text) text in
  ignore (Unix.write_substring fd answer 0 (String.length answer));
  Unix.close fd

let () =
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  let s = Unix.socket ~cloexec:true Unix.PF_INET Unix.SOCK_STREAM 0 in
  Unix.setsockopt s Unix.SO_REUSEADDR true;
  Unix.bind s (Unix.ADDR_INET (Unix.inet_addr_loopback, int_of_string Sys.argv.(1)));
  Unix.listen s 9;
  while true do
    let fd, _ = Unix.accept ~cloexec:true s in
    ignore (Thread.create (fun () -> try serve fd with _ -> ()) ())
  done
"""
ENDLESS = "[3*1+1000003%lax]sa2lax"


def play(s):
    port = s.port()
    with open(s.path("shop.ml"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["ocamlopt", "-I", "+threads", "unix.cmxa", "threads.cmxa", "shop.ml", "-o", "shop"], timeout=180)
    s.start("server", [s.path("shop"), port])
    s.wait("the server listens", lambda: s.connects(port), 30)

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("the price comes", s.out(get("price")) == "42")
    s.start("bystander", ["dc", "-e", ENDLESS])
    s.wait("the other dc computes", lambda: s.state("bystander") == "R", 30)
    s.role("dc", s.child("server", "dc"))
    idle = set(s.threads("server"))

    def new_thread(role):
        s.wait("%s is there" % role, lambda: len(set(s.threads("server")) - idle) == 1)
        s.role(role, s.pid("server"), (set(s.threads("server")) - idle).pop())
        idle.add(s.roles[role][1])

    s.begin()
    s.start("other", get("all"))
    s.wait("dc computes", lambda: s.state("dc") == "R")
    new_thread("owner")
    victim = s.start("victim", get("price"))
    new_thread("taker")
    s.wait("the second thread waits", lambda: s.syscall("taker") == "futex")
    s.during("dc computes", lambda: s.state("dc") == "R" and s.child("server", "dc") == s.pid("dc"))
    s.during("the other dc computes", lambda: s.state("bystander") == "R")
    s.during("the owner of the mutex reads from dc", lambda: s.syscall("owner") == "read" and s.state("owner") == "S")
    s.during("the second thread waits for the mutex", lambda: s.syscall("taker") == "futex" and s.state("taker") == "S")
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
    s.during("another page comes", lambda: s.out(get("hours"), timeout=8) == "open")
    s.hang(victim="victim", culprits=["dc"], causes=["busy"], vague=["owner"], stuck=["taker"],
           wrong=["bystander", "server", "other", "test"])
    yield
    os.kill(s.pid("dc"), signal.SIGTERM)
    s.ended("victim")
    s.check("curl has the price", s.output("victim") == "42")
    s.ended("other")

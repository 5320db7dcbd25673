# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for an Elixir server that shall read a small file. Its only thread for files (dirty I/O) reads another file,
from a file system whose server, bindfs, is stopped."""
import os
import signal
import subprocess

from scene import proc

HELD_OUT = True
NEEDS = {"elixir": "elixir", "bindfs": "bindfs", "curl": "curl"}
SERVER = r"""
defmodule Shop do
  def accept(listener) do
    {:ok, c} = :gen_tcp.accept(listener)
    pid = spawn(fn -> receive do :go -> serve(c) end end)
    :ok = :gen_tcp.controlling_process(c, pid)
    send(pid, :go)
    accept(listener)
  end

  defp serve(c) do
    {:ok, line} = :gen_tcp.recv(c, 0)
    headers(c)
    ["GET", "/" <> name | _] = String.split(line)
    text = if name == "hours", do: "open", else: File.read!(name)
    :gen_tcp.send(c, "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n" <> text)
    :gen_tcp.close(c)
  end

  defp headers(c) do
    case :gen_tcp.recv(c, 0) do
      {:ok, "\r\n"} -> :ok
      {:ok, _} -> headers(c)
    end
  end
end

[port] = System.argv()
{:ok, l} = :gen_tcp.listen(String.to_integer(port), [:binary, active: false, packet: :line, ip: {127, 0, 0, 1}])
IO.puts("ready")
Shop.accept(l)
"""


def play(s):
    port, source, there = s.port(), s.path("archive.source"), s.path("archive")
    for path in source, there:
        os.mkdir(path)
    for name, text in ("server.exs", SERVER), ("news", "sale"), ("archive.source/old", "old news"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.callback(subprocess.run, ["umount", "-l", there], stderr=subprocess.DEVNULL, check=False)
    s.start("bindfs", ["bindfs", "-f", "-o", "attr_timeout=0,entry_timeout=0", source, there])
    s.wait("the archive is mounted", lambda: os.path.ismount(there))
    s.start("server", ["elixir", "--erl", "+SDio 1", "server.exs", port],
            env={**os.environ, "HOME": s.where, "LC_ALL": "C.UTF-8"})
    s.wait("the server is ready", lambda: "ready" in s.output("server"), 30)
    if proc(s.pid("server"), "comm") != "beam.smp\n":
        s.role("server", next(p for p in s.living() if proc(p, "comm") == "beam.smp\n"))

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("both files come", [s.out(get("news")), s.out(get("archive/old"))] == ["sale", "old news"])

    s.begin()
    os.kill(s.pid("bindfs"), signal.SIGSTOP)
    s.wait("bindfs stops", lambda: s.state("bindfs") == "T")
    s.start("other", get("archive/old"))

    def files():
        """The threads that wait for the file system."""
        return [t for t in s.threads("server") if "request_wait_answer" in proc(s.pid("server"), "wchan", t)]

    s.wait("the thread for files waits for bindfs", lambda: len(files()) == 1)
    s.role("files", s.pid("server"), files()[0])
    victim = s.start("victim", get("news"))
    s.wait("curl waits", lambda: s.syscall("victim") in ("poll", "ppoll"))
    s.during("bindfs is stopped", lambda: s.state("bindfs") == "T")
    s.during("one thread waits for it", lambda: files() == [s.roles["files"][1]])
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the server answers without files", lambda: s.out(get("hours"), timeout=5) == "open")
    s.hang(victim="victim", culprits=["bindfs", "test"], causes=["stopped"], vague=["files", "server"], wrong=["other"])
    yield
    os.kill(s.pid("bindfs"), signal.SIGCONT)
    s.ended("victim")
    s.check("the file came", s.output("victim") == "sale")
    s.ended("other")

# SPDX-License-Identifier: GPL-2.0-or-later
"""A task of an Ada program, the clerk, waits for a rendezvous with the printer. The printer is in its rendezvous with
the archive, for another task. In this rendezvous, the archive sleeps: it has a `delay` before it tries anew."""
from scene import proc

HELD_OUT = False
NEEDS = {"gnatmake": "gnat"}
SHOP = """with Ada.Text_IO; use Ada.Text_IO;
with Ada.Directories;
procedure Shop is
   task Archive is
      entry Store (Wait : Duration);
   end Archive;
   task Printer is
      entry Print (Number : Positive; Wait : Duration);
   end Printer;
   task Office;
   task Clerk;
   procedure Say (Text : String) is
   begin
      Put_Line (Text);
      Flush;
   end Say;
   procedure Await (Name : String) is
   begin
      while not Ada.Directories.Exists (Name) loop
         delay 0.02;
      end loop;
   end Await;
   task body Archive is
   begin
      loop
         select
            accept Store (Wait : Duration) do
               if Wait > 0.0 then
                  Say ("archive: no, later");
                  delay Wait;
               end if;
            end Store;
         or
            terminate;
         end select;
      end loop;
   end Archive;
   task body Printer is
   begin
      loop
         select
            accept Print (Number : Positive; Wait : Duration) do
               Say ("printer: bill" & Positive'Image (Number));
               Archive.Store (Wait);
            end Print;
         or
            terminate;
         end select;
      end loop;
   end Printer;
   task body Office is
   begin
      Await ("office");
      Printer.Print (1, %d.0);
      Say ("office: done");
   end Office;
   task body Clerk is
   begin
      Await ("clerk");
      Say ("clerk: asks");
      Printer.Print (2, 0.0);
      Say ("clerk: done");
   end Clerk;
begin
   null;
end Shop;
"""


def play(s):
    with open(s.path("shop.adb"), "w", encoding="ascii") as f:
        f.write(SHOP % (s.seconds + 2))
    s.out(["gnatmake", "-q", "shop.adb"])
    s.start("shop", [s.path("shop")])
    names = ["archive", "printer", "office", "clerk"]
    s.wait("the tasks have threads", lambda: all(len(s.threads("shop", name)) == 1 for name in names))
    for name in names:
        s.role(name, s.pid("shop"), s.threads("shop", name)[0])

    def go(name):
        with open(s.path(name), "w", encoding="ascii"):
            pass

    def has_limit(role):
        """Does the task sleep in a futex with a time limit?"""
        words = proc(s.roles[role][0], "syscall", s.roles[role][1]).split()
        return words[0] == "202" and int(words[4], 16) != 0

    go("office")
    s.wait("the archive sleeps", lambda: "archive: no, later" in s.output("shop") and has_limit("archive"))

    s.begin()
    go("clerk")
    s.wait("the clerk asks", lambda: "clerk: asks" in s.output("shop") and s.syscall("clerk") == "futex")
    s.during("the archive sleeps with a time limit", lambda: s.state("archive") == "S" and has_limit("archive"))
    s.during("the others wait without a time limit", lambda: all(s.syscall(r) == "futex" and not has_limit(r)
             for r in ("printer", "office", "clerk")))
    s.during("the printer has the bill of the office, and not that of the clerk",
             lambda: s.output("shop").split("\n") == ["printer: bill 1", "archive: no, later", "clerk: asks", ""])
    s.hang(victim="clerk", culprits=["archive"], causes=["timer"], vague=["printer"], stuck=["office"], wrong=["test"])
    yield
    s.ended("shop")
    s.check("both bills are done", s.output("shop").count(": done") == 2 and "printer: bill 2" in s.output("shop"))

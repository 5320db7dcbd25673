# SPDX-License-Identifier: GPL-2.0-or-later
"""A Java thread waits for the end of its child, tar. tar waits in a write into the full pipe to Java, which would read
the list of files only after the end of tar."""
import os

HELD_OUT = False
NEEDS = {"java": "openjdk-17-jre-headless", "javac": "openjdk-17-jdk-headless", "tar": "tar"}
FILES = 3000
PACK = """
import java.io.*;
public class Pack {
    static void pack(String what) {
        try {
            Process p = new ProcessBuilder("tar", "-cvf", "/dev/null", what).redirectErrorStream(true).start();
            int code = p.waitFor();
            long lines = new BufferedReader(new InputStreamReader(p.getInputStream())).lines().count();
            System.out.println(what + " code " + code + (lines > 0 ? " listed" : " empty"));
        } catch (IOException | InterruptedException e) {
            throw new RuntimeException(e);
        }
    }
    public static void main(String[] a) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line; (line = in.readLine()) != null; ) {
            String what = line;
            new Thread(() -> pack(what), "packer").start();
        }
    }
}
"""


def play(s):
    for name, n in ("papers", FILES), ("few", 3):
        os.mkdir(s.path(name))
        for i in range(n):
            with open(os.path.join(s.path(name), "%05d-%s" % (i, "paper" * 10)), "w", encoding="ascii"):
                pass
    with open(s.path("Pack.java"), "w", encoding="ascii") as f:
        f.write(PACK)
    s.out(["javac", "Pack.java"])
    s.start("jvm", ["java", "-Xshare:auto", "-Xmx64m", "-cp", s.where, "Pack"], talk=True)
    s.wait("the program is ready", lambda: "ready" in s.output("jvm"), 20)
    s.say("jvm", "few")
    s.wait("a short list works", lambda: "few code 0 listed" in s.output("jvm"))
    s.wait("the first packer has ended", lambda: not s.threads("jvm", "packer"))

    s.begin()
    s.say("jvm", "papers")
    s.wait("tar runs", lambda: s.child("jvm", "tar"))
    s.role("tar", s.child("jvm", "tar"))
    s.role("victim", s.pid("jvm"), s.threads("jvm", "packer")[0])

    def reaper():
        """The thread of Java that waits for the child."""
        for tid in s.threads("jvm"):
            with open("/proc/%d/task/%d/wchan" % (s.pid("jvm"), tid), encoding="ascii") as f:
                if f.read() == "do_wait":
                    return tid
        return None

    s.wait("a thread of Java waits for tar", reaper)
    s.role("reaper", s.pid("jvm"), reaper())
    s.wait("tar waits for the pipe", lambda: s.syscall("tar") == "write" and "pipe" in s.wchan("tar"))
    s.during("tar waits in a write into the pipe", lambda: s.syscall("tar") == "write" and "pipe" in s.wchan("tar"))
    s.during("Java has the other end of the pipe", lambda: os.readlink("/proc/%d/fd/1" % s.pid("tar")) in [
        os.readlink("/proc/%d/fd/%s" % (s.pid("jvm"), fd)) for fd in os.listdir("/proc/%d/fd" % s.pid("jvm"))])
    s.during("the thread waits for the end of tar", lambda: s.syscall("victim") == "futex" and
             reaper() == s.roles["reaper"][1] and "papers" not in s.output("jvm"))
    # "jvm" is the main thread, which waits for the next line of the test. But its process has the other end of the pipe.
    s.hang(victim="victim", culprits=["tar", "victim"], causes=["circular-wait", "slow-peer"], vague=["jvm"],
           stuck=["reaper"], wrong=["test"])
    yield
    os.kill(s.pid("tar"), 15)
    s.went_on("the victim went on", lambda: "papers code 143 listed" in s.output("jvm"))
    s.processes["jvm"][0].stdin.close()
    s.ended("jvm")

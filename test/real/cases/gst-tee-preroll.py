# SPDX-License-Identifier: GPL-2.0-or-later
"""gst-launch-1.0 stays at "Pipeline is PREROLLING". Its tee has no queues, so that one thread feeds both files. The first file
keeps this thread until the second file has data too, which only this thread can bring."""
import os
import signal

HELD_OUT = False
NEEDS = {"gst-launch-1.0": "gstreamer1.0-tools"}
SOUND = "audiotestsrc num-buffers=200 ! audio/x-raw,rate=44100,channels=1 ! tee name=t "
SAVE = SOUND + "t. ! wavenc ! filesink location=%(name)s.wav t. ! flacenc ! filesink location=%(name)s.flac"
GOOD = SOUND + "t. ! queue ! wavenc ! filesink location=%(name)s.wav t. ! queue ! flacenc ! filesink location=%(name)s.flac"
LIVE = ("audiotestsrc is-live=true ! audio/x-raw,rate=44100,channels=1 ! tee name=t t. ! queue ! fakesink t. ! queue ! "
        "filesink location=live.raw")


def play(s):
    env = {**os.environ, "GST_REGISTRY": s.path("registry"), "HOME": s.where, "LC_ALL": "C"}

    def launch(role, pipeline):
        return s.start(role, ["gst-launch-1.0", *(pipeline % {"name": role}).split()], env=env)

    good = launch("good", GOOD)
    s.wait("the pipeline with queues ends", lambda: good.poll() is not None, 60)
    s.check("it saved both files: " + s.output("good")[-300:], good.returncode == 0 and
            all(os.path.getsize(s.path("good." + ext)) > 10000 for ext in ("wav", "flac")))
    launch("bystander", LIVE)
    s.wait("the live pipeline plays", lambda: "Setting pipeline to PLAYING" in s.output("bystander"), 20)

    s.begin()
    victim = launch("victim", SAVE)
    s.wait("the pipeline prerolls", lambda: "Pipeline is PREROLLING" in s.output("victim"))

    def sources():
        return [tid for tid in s.threads("victim", "audiotestsrc0:s") if tid != victim.pid]

    s.wait("the source has a thread", sources)
    s.role("source", victim.pid, sources()[0])
    s.wait("the thread of the source waits", lambda: s.syscall("source") == "futex")

    def live_plays():
        written = os.path.getsize(s.path("live.raw"))
        return s.wait("its file grows", lambda: os.path.getsize(s.path("live.raw")) > written, 5) is None

    s.during("the pipeline does not play", lambda: victim.poll() is None and "PREROLLED" not in s.output("victim") and
             "PLAYING" not in s.output("victim"))
    s.during("there is no other thread of the pipeline", lambda: sources() == [s.roles["source"][1]] and
             not s.threads("victim", "queue0:src"))
    s.during("both threads wait", lambda: s.syscall("source") == "futex" and s.state("source") == "S" and
             s.state("victim") == "S" and not s.uses_cpu("source", 0.02, 0.2))
    s.during("the files are empty", lambda: all(os.path.getsize(s.path("victim." + ext)) == 0 for ext in ("wav", "flac")))
    s.during("the live pipeline plays", live_plays)
    s.hang(victim="victim", culprits=["source"], causes=["circular-wait", "missing-wakeup"], wrong=["bystander", "test"])
    yield
    s.check("the pipeline still prerolls", "PREROLLED" not in s.output("victim"))
    victim.send_signal(signal.SIGINT)
    s.went_on("gst-launch-1.0 ends", lambda: victim.poll() is not None)

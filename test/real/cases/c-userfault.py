# SPDX-License-Identifier: GPL-2.0-or-later
"""A C program touches a page of memory that is not there yet (userfaultfd). Its pager thread gets the pages from a perl,
which waits for the lock of the image. A backup has this lock, and waits for its user's answer."""
HELD_OUT = False
NEEDS = {"gcc": "gcc", "perl": "perl"}
RESTORE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 8 };
static char *memory;
static int faults;
static FILE *ask, *pages;

static void *pager(void *arg)
{
    struct uffd_msg msg;
    static char page[PAGE] __attribute__((aligned(4096)));
    while (read(faults, &msg, sizeof(msg)) == sizeof(msg)) {
        size_t at = msg.arg.pagefault.address & ~(unsigned long long)(PAGE - 1);
        fprintf(ask, "%zu\n", (at - (size_t)memory) / PAGE);
        fflush(ask);
        if (fread(page, PAGE, 1, pages) != 1)
            exit(3);
        struct uffdio_copy copy = { .dst = at, .src = (size_t)page, .len = PAGE };
        if (ioctl(faults, UFFDIO_COPY, &copy))
            exit(4);
    }
    return arg;
}

int main(void)
{
    int to[2], from[2];
    char line[64];
    pthread_t t;
    struct uffdio_api api = { .api = UFFD_API };
    struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        return 5;
    if (!fork()) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        execlp("perl", "perl", "pages.pl", NULL);
        _exit(6);
    }
    close(to[0]);
    close(from[1]);
    ask = fdopen(to[1], "w");
    pages = fdopen(from[0], "r");
    setvbuf(pages, NULL, _IONBF, 0);
    memory = mmap(NULL, PAGE * PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    area.range.start = (size_t)memory;
    area.range.len = PAGE * PAGES;
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &area))
        return 7;
    pthread_create(&t, NULL, pager, NULL);
    pthread_setname_np(t, "pager");
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        printf("page %.5s\n", memory + atoi(line) * PAGE);
        fflush(stdout);
    }
    return 0;
}
"""
# For each page, it reads the image under a shared lock of fcntl(2).
PAGES = """
use Fcntl;
$| = 1;
while (my $n = <STDIN>) {
    open(my $image, "<", "image") or die;
    fcntl($image, F_SETLKW, my $shared = pack("ssx4qqix4", F_RDLCK, 0, 0, 0, 0)) or die;
    seek($image, 4096 * $n, 0);
    read($image, my $page, 4096) == 4096 or die;
    print $page;
    close($image);
}
"""
BACKUP = """
use Fcntl;
$| = 1;
open(my $image, "+<", "image") or die;
while (<STDIN>) {
    fcntl($image, F_SETLKW, my $lock = pack("ssx4qqix4", F_WRLCK, 0, 0, 0, 0)) or die;
    print "overwrite the old backup?\\n";
    <STDIN>;
    fcntl($image, F_SETLK, my $unlock = pack("ssx4qqix4", F_UNLCK, 0, 0, 0, 0)) or die;
    print "done\\n";
}
"""


def play(s):
    for name, text in ("restore.c", RESTORE), ("pages.pl", PAGES), ("backup.pl", BACKUP):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    with open(s.path("image"), "wb") as f:
        for n in range(8):
            f.write(b"%05d" % (17 * n) + bytes(4091))
    s.out(["gcc", "-O1", "-g", "-pthread", "-o", "restore", "restore.c"])
    for name in "bystander", "backup":
        s.start(name, ["perl", "backup.pl"], talk=True)
    victim = s.start("victim", [s.path("restore")], talk=True)
    s.wait("the program is ready", lambda: "ready" in s.output("victim"))
    s.check("a page comes", s.ask("victim", "1") == "page 00017")
    s.role("pager", victim.pid, s.threads("victim", "pager")[0])
    s.wait("perl is there", lambda: s.child("victim", "perl"))
    s.role("pages", s.child("victim", "perl"))
    s.check("the backup asks", "overwrite" in s.ask("backup", "backup"))

    s.begin()
    s.say("victim", "2")
    s.wait("perl waits for the lock", lambda: s.pid("pages") in s.locks(s.path("image"))["waiters"])
    s.during("perl waits for the lock of the backup", lambda: s.locks(s.path("image")) == {
        "owners": [s.pid("backup")], "waiters": [s.pid("pages")]})
    s.during("the backup waits for its user", lambda: s.syscall("backup") == "read" and
             s.output("backup").endswith("backup?\n"))
    s.during("the pager waits for perl", lambda: s.syscall("pager") == "read" and s.state("pager") == "S")
    s.during("the victim waits for its page", lambda: s.wchan("victim") == "handle_userfault" and
             not s.output("victim").endswith("34\n") and victim.poll() is None)
    # The test is the user.
    s.hang(victim="victim", culprits=["backup", "test"], causes=["external", "lock-holder"], vague=["pages", "pager"],
           wrong=["bystander"])
    yield
    s.say("backup", "yes")
    s.went_on("the page comes", lambda: s.output("victim").endswith("page 00034\n"))
    s.wait("the backup is done", lambda: s.output("backup").endswith("done\n"))

// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/sandbox/filter.h"
#include "daemon/sandbox/privilege_calls.h"
#include "lib/cleanup.h"

static void in_child(void (*fn)(FILE *wrong))
{
	char text[1024] = "";
	int ends[2], status;
	FILE *f;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		f = fdopen(ends[1], "w");
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || privilege_calls_enter())
			fputs("there is no filter; ", f);
		else
			fn(f);
		fflush(f);
		_exit(0);
	}
	close(ends[1]);
	assert_true(read(ends[0], text, sizeof(text) - 1) >= 0);
	close(ends[0]);
	waitpid(pid, &status, 0);
	assert_string_equal(text, "");
	assert_int_equal(status, 0);
}

#define REFUSED(expr, error)                                                                                 \
	do {                                                                                                 \
		errno = 0;                                                                                   \
		if ((long)(expr) != -1 || errno != (error))                                                  \
			fprintf(wrong, "%s: %s; ", #expr, strerror(errno));                                  \
	} while (0)

static void refused(FILE *wrong)
{
	char *const argv[] = { "true", NULL };
	union bpf_attr attr = { 0 };

	REFUSED(execve("/bin/true", argv, NULL), EPERM);
	REFUSED(syscall(SYS_execveat, AT_FDCWD, "/bin/true", argv, NULL, 0), EPERM);
	REFUSED(fork(), EPERM);
	REFUSED(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), EPERM);
	REFUSED(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0), EPERM);
	REFUSED(syscall(SYS_clone3, NULL, 0), ENOSYS);
	REFUSED(ptrace(PTRACE_ATTACH, getppid(), 0, 0), EPERM);
	REFUSED(process_vm_writev(getppid(), NULL, 0, NULL, 0, 0), EPERM);
	REFUSED(mount("none", "/mnt", "tmpfs", 0, NULL), EPERM);
	REFUSED(unshare(CLONE_NEWNS), EPERM);
	REFUSED(setns(0, 0), EPERM);
	REFUSED(chroot("/"), EPERM);
	REFUSED(syscall(SYS_init_module, NULL, 0, ""), EPERM);
	REFUSED(syscall(SYS_finit_module, 0, "", 0), EPERM);
	REFUSED(syscall(SYS_kexec_load, 0, 0, NULL, 0), EPERM);
	REFUSED(syscall(SYS_keyctl, 0, 0, 0, 0, 0), EPERM);
	REFUSED(syscall(SYS_io_uring_setup, 1, NULL), EPERM);
	REFUSED(setuid(getuid()), EPERM);
	REFUSED(kill(getppid(), 0), EPERM);
	REFUSED(syscall(SYS_tgkill, getppid(), getppid(), 0), EPERM);
	REFUSED(socket(AF_INET, SOCK_STREAM, 0), EPERM);
	REFUSED(socket(AF_INET6, SOCK_DGRAM, 0), EPERM);
	REFUSED(socket(AF_NETLINK, SOCK_RAW, 0), EPERM);
	REFUSED(socket(AF_PACKET, SOCK_RAW, 0), EPERM);
	REFUSED(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), EPERM);
	REFUSED(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)), EPERM);
	REFUSED(syscall(SYS_bpf, BPF_PROG_GET_FD_BY_ID, &attr, sizeof(attr)), EPERM);
	REFUSED(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), EPERM);
	REFUSED(syscall(SYS_ioctl, 0, 0x5412 /* TIOCSTI */, ""), EPERM);
	/* a system call that is newer than the filter */
	REFUSED(syscall(100000), ENOSYS);
}

static void what_is_not_needed_is_refused(void **state)
{
	in_child(refused);
}

static void *thread(void *arg)
{
	*(int *)arg = 1;
	return NULL;
}

static void possible(FILE *wrong)
{
	pthread_t t;
	char c;
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ran = 0, ends[2], fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	union bpf_attr attr = { .map_fd = (uint32_t)-1 };

	if (fd < 0 || read(fd, &c, 1) != 1)
		fprintf(wrong, "reading: %s; ", strerror(errno));
	if (p == MAP_FAILED || mprotect(p, 4096, PROT_READ))
		fprintf(wrong, "memory: %s; ", strerror(errno));
	if (pthread_create(&t, NULL, thread, &ran) || pthread_join(t, NULL) || !ran)
		fprintf(wrong, "a thread: %s; ", strerror(errno));
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		fprintf(wrong, "a socket: %s; ", strerror(errno));
	/* allowed by the filter, so the errors are the kernel's */
	REFUSED(syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0), EFAULT);
	if (syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)) != -1 ||
	    (geteuid() == 0 && errno != EBADF))
		fprintf(wrong, "a map: %s; ", strerror(errno));
}

static void what_is_needed_is_possible(void **state)
{
	in_child(possible);
}

/* A filter lacks the last calls of a list that is too long. f.n must show this. */
static void a_list_that_is_too_long(void **state)
{
	static const int calls[FILTER_MAX / 2] = { 0 };
	struct filter f;

	filter_init(&f);
	filter_allow(&f, calls, ARRAY_SIZE(calls));
	assert_true(f.n > FILTER_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_needed_is_refused),
		cmocka_unit_test(what_is_needed_is_possible),
		cmocka_unit_test(a_list_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

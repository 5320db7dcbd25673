// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/incident/diagnoser_jail.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/incident/diagnoser.h"
#include "daemon/sandbox/filter.h"
#include "daemon/sandbox/privilege.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/memory.h"

#define JAIL_NOBODY 65534 /* the user nobody, and its group */

/* A sanitizer reserves terabytes of addresses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define JAIL_MEMORY RLIM_INFINITY
#else
#define JAIL_MEMORY DIAGNOSER_MEMORY
#endif

/* The calls to read a trace and to diagnose. None of them opens a path. */
static const int jail_child_calls[] = {
	__NR_read,       __NR_pread64,      __NR_write,          __NR_close,        __NR_fstat,
	__NR_lseek,      __NR_fcntl,        __NR_munmap,         __NR_mremap,       __NR_madvise,
	__NR_brk,        __NR_futex,        __NR_clock_gettime,  __NR_getpid,       __NR_gettid,
	__NR_getrandom,  __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_exit,
	__NR_exit_group, __NR_newfstatat,   __NR_sysinfo,        __NR_sigaltstack,
};
static const int jail_server_calls[] = {
	__NR_recvmsg, __NR_sendmsg,   __NR_pipe2,        __NR_ppoll,     __NR_clone,   __NR_set_robust_list,
	__NR_wait4,   __NR_kill,      __NR_prctl,        __NR_prlimit64, __NR_seccomp, __NR_getppid,
#ifdef __NR_poll
	__NR_poll,
#endif
#ifdef __SANITIZE_THREAD__ /* a thread of the sanitizer makes these calls */
	__NR_rseq,    __NR_nanosleep, __NR_gettimeofday,
#endif
};

static int jail_filter(const int *more, size_t n_more)
{
	const uint32_t no_exec = 0;
	struct filter f;

	filter_init(&f);
	filter_allow(&f, jail_child_calls, ARRAY_SIZE(jail_child_calls));
	filter_allow(&f, more, n_more);
	filter_allow_values(&f, __NR_mmap, 2, PROT_EXEC, &no_exec, 1);
	filter_allow_values(&f, __NR_mprotect, 2, PROT_EXEC, &no_exec, 1);
	return filter_enter(&f);
}

static int jail_drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	return syscall(__NR_capset, &head, none) ? -errno : 0;
}

static int jail_close_all_but(int keep_fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return -errno;
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fd != keep_fd && dup2(null, fd) < 0)
			return -errno;
	if ((keep_fd > STDERR_FILENO + 1 && close_range(STDERR_FILENO + 1, (unsigned)keep_fd - 1, 0)) ||
	    close_range((unsigned)MAX(keep_fd + 1, STDERR_FILENO + 1), ~0U, 0))
		return -errno;
	return 0;
}

int diagnoser_jail(int keep_fd)
{
	pid_t parent = getppid();
	int r = jail_close_all_but(keep_fd);

	if (r)
		return r;
	oom_first();
	r = privilege_drop_bounding();
	if (r)
		return r;
	/* A service that must not change its user stays root. But the system call filter lets it
	 * open no file. */
	if (!geteuid() && !setgroups(0, NULL) && !setresgid(JAIL_NOBODY, JAIL_NOBODY, JAIL_NOBODY) &&
	    setresuid(JAIL_NOBODY, JAIL_NOBODY, JAIL_NOBODY))
		return -errno;
	r = jail_drop_capabilities();
	if (r)
		return r;
	/* PR_SET_DUMPABLE 0 keeps other processes of nobody from looking into this process. It
	 * comes after the change of the user, which would reset it. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (getppid() != parent)
		return -ESRCH;
	return jail_filter(jail_server_calls, ARRAY_SIZE(jail_server_calls));
}

static int jail_file_size(uint64_t *bytes)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_FSIZE, &now))
		return -errno;
	*bytes = MIN(*bytes, (uint64_t)now.rlim_cur);
	now = (struct rlimit){ *bytes, *bytes };
	if (setrlimit(RLIMIT_FSIZE, &now) || signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
		return -errno;
	return 0;
}

int diagnoser_jail_child(uint64_t *file_bytes)
{
	const struct rlimit memory = { JAIL_MEMORY, JAIL_MEMORY };
	const struct rlimit cpu = { DIAGNOSER_CPU_S, DIAGNOSER_CPU_S + 1 }, none = { 0, 0 };
	int r = jail_file_size(file_bytes);

	if (r)
		return r;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || setrlimit(RLIMIT_AS, &memory) ||
	    setrlimit(RLIMIT_CPU, &cpu) || setrlimit(RLIMIT_CORE, &none))
		return -errno;
	return jail_filter(NULL, 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>
#include <sys/syscall.h>

#include "ctrace/abi.h"
#include "daemon/kernel/wait_calls.h"
#include "lib/cleanup.h"

struct syscall_class {
	uint16_t nr;
	uint16_t cls;
};

/* arg: which argument is a descriptor, counted from 1. See SYSCLASS(). */
#define FD(nr, wait, arg)                                                                                    \
	{                                                                                                    \
		SYS_##nr, SYSCLASS(wait, arg, 0, 0, SYSCLASS_PLAIN)                                          \
	}
/* limit: which argument is the address of the time limit */
#define FD_UNTIL(nr, wait, arg, limit)                                                                       \
	{                                                                                                    \
		SYS_##nr, SYSCLASS(wait, arg, limit, 0, SYSCLASS_PLAIN)                                      \
	}
#define FD_HOW(nr, wait, arg, how)                                                                           \
	{                                                                                                    \
		SYS_##nr, SYSCLASS(wait, arg, 0, 0, how)                                                     \
	}
#define NO_FD(nr, wait, how)                                                                                 \
	{                                                                                                    \
		SYS_##nr, SYSCLASS(wait, 0, 0, 0, how)                                                       \
	}
#define UNTIL(nr, wait, limit, how)                                                                          \
	{                                                                                                    \
		SYS_##nr, SYSCLASS(wait, 0, limit, 0, how)                                                   \
	}

static const struct syscall_class syscall_classes[] = {
	UNTIL(futex, CT_W_FUTEX, 4, SYSCLASS_FUTEX),
	/* Some supported distributions have no SYS_ name for the two calls below. The numbers of
	 * these calls are the same on x86-64 and arm64. */
	{ 449, SYSCLASS(CT_W_FUTEX, 0, 4, 0, SYSCLASS_FUTEX_WAITV) }, /* futex_waitv */
	{ 455, SYSCLASS(CT_W_FUTEX, 0, 5, 0, SYSCLASS_FUTEX2) },      /* futex_wait */

	FD(read, CT_W_READ, 1),
	FD(readv, CT_W_READ, 1),
	FD(pread64, CT_W_READ, 1),
	FD(preadv, CT_W_READ, 1),
	FD(preadv2, CT_W_READ, 1),
	FD(recvfrom, CT_W_READ, 1),
	FD(recvmsg, CT_W_READ, 1),
	FD_UNTIL(recvmmsg, CT_W_READ, 1, 5),
	FD(splice, CT_W_READ, 1),
	FD(tee, CT_W_READ, 1),
	FD(readahead, CT_W_READ, 1),
	FD(write, CT_W_WRITE, 1),
	FD(writev, CT_W_WRITE, 1),
	FD(pwrite64, CT_W_WRITE, 1),
	FD(pwritev, CT_W_WRITE, 1),
	FD(pwritev2, CT_W_WRITE, 1),
	FD_HOW(sendto, CT_W_WRITE, 1, SYSCLASS_SENDTO),
	FD_HOW(sendmsg, CT_W_WRITE, 1, SYSCLASS_SENDMSG),
	FD_HOW(sendmmsg, CT_W_WRITE, 1, SYSCLASS_SENDMMSG),
	FD(sendfile, CT_W_WRITE, 1),
	FD(vmsplice, CT_W_WRITE, 1),
	FD(copy_file_range, CT_W_WRITE, 3),
	FD(accept, CT_W_ACCEPT, 1),
	FD(accept4, CT_W_ACCEPT, 1),
	FD(connect, CT_W_CONNECT, 1),

	{ SYS_ppoll, SYSCLASS(CT_W_POLL, 0, 3, 0, SYSCLASS_POLL) },
	{ SYS_pselect6, SYSCLASS(CT_W_POLL, 0, 5, 0, SYSCLASS_SELECT) },
	{ SYS_epoll_pwait, SYSCLASS(CT_W_EPOLL, 1, 4, 1, SYSCLASS_PLAIN) },
	FD_UNTIL(epoll_pwait2, CT_W_EPOLL, 1, 4),
#ifdef SYS_poll
	{ SYS_poll, SYSCLASS(CT_W_POLL, 0, 3, 1, SYSCLASS_POLL) },
	{ SYS_select, SYSCLASS(CT_W_POLL, 0, 5, 0, SYSCLASS_SELECT) },
	{ SYS_epoll_wait, SYSCLASS(CT_W_EPOLL, 1, 4, 1, SYSCLASS_PLAIN) },
#endif

	NO_FD(nanosleep, CT_W_SLEEP, SYSCLASS_TIMED),
	NO_FD(clock_nanosleep, CT_W_SLEEP, SYSCLASS_TIMED),
	NO_FD(sched_yield, CT_W_OTHER, SYSCLASS_YIELD),
	NO_FD(wait4, CT_W_CHILD, SYSCLASS_WAIT4),
	NO_FD(waitid, CT_W_CHILD, SYSCLASS_WAITID),
	NO_FD(clone, CT_W_OTHER, SYSCLASS_CLONE),
	NO_FD(clone3, CT_W_OTHER, SYSCLASS_CLONE3),
#ifdef SYS_vfork
	NO_FD(vfork, CT_W_VFORK, SYSCLASS_PLAIN),
	NO_FD(pause, CT_W_SIGNAL, SYSCLASS_PLAIN),
#endif
	NO_FD(rt_sigsuspend, CT_W_SIGNAL, SYSCLASS_PLAIN),
	UNTIL(rt_sigtimedwait, CT_W_SIGNAL, 3, SYSCLASS_PLAIN),

	FD(flock, CT_W_FLOCK, 1),
	{ SYS_fcntl, SYSCLASS(CT_W_FILE, 1, 0, 0, SYSCLASS_FCNTL) },
	FD(fsync, CT_W_SYNC, 1),
	FD(fdatasync, CT_W_SYNC, 1),
	FD(sync_file_range, CT_W_SYNC, 1),
	FD(syncfs, CT_W_SYNC, 1),
	NO_FD(sync, CT_W_SYNC, SYSCLASS_PLAIN),
	NO_FD(msync, CT_W_SYNC, SYSCLASS_PLAIN),

	FD(ioctl, CT_W_FILE, 1),
	FD(close, CT_W_FILE, 1),
	FD(getdents64, CT_W_FILE, 1),
	FD(fstat, CT_W_FILE, 1),
	FD(ftruncate, CT_W_FILE, 1),
	FD(fallocate, CT_W_FILE, 1),
	FD(lseek, CT_W_FILE, 1),
	FD(fchmod, CT_W_FILE, 1),
	FD(fchown, CT_W_FILE, 1),
	FD(fgetxattr, CT_W_FILE, 1),
	FD(fsetxattr, CT_W_FILE, 1),
	FD(shutdown, CT_W_FILE, 1),
	FD(epoll_ctl, CT_W_FILE, 1),
	FD(fstatfs, CT_W_FILE, 1),
	FD(fadvise64, CT_W_FILE, 1),
	FD(finit_module, CT_W_FILE, 1),
	FD(pidfd_send_signal, CT_W_FILE, 1),

	NO_FD(openat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(openat2, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(newfstatat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(statx, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(faccessat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(faccessat2, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(readlinkat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(mkdirat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(mknodat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(unlinkat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(linkat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(symlinkat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(renameat2, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(fchmodat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(fchownat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(utimensat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(truncate, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(statfs, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(execve, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(execveat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(chdir, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(mount, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(umount2, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(getxattr, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(setxattr, CT_W_OPEN, SYSCLASS_PLAIN),
#ifdef SYS_open
	NO_FD(open, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(creat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(stat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(lstat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(access, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(readlink, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(mkdir, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(rmdir, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(unlink, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(link, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(symlink, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(rename, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(renameat, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(chmod, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(chown, CT_W_OPEN, SYSCLASS_PLAIN),
	NO_FD(utime, CT_W_OPEN, SYSCLASS_PLAIN),
	FD(getdents, CT_W_FILE, 1),
#endif

	NO_FD(semop, CT_W_SYSVIPC, SYSCLASS_PLAIN),
	UNTIL(semtimedop, CT_W_SYSVIPC, 4, SYSCLASS_PLAIN),
	NO_FD(msgsnd, CT_W_SYSVIPC, SYSCLASS_PLAIN),
	NO_FD(msgrcv, CT_W_SYSVIPC, SYSCLASS_PLAIN),
	UNTIL(mq_timedsend, CT_W_SYSVIPC, 5, SYSCLASS_PLAIN),
	UNTIL(mq_timedreceive, CT_W_SYSVIPC, 5, SYSCLASS_PLAIN),
	FD(io_uring_enter, CT_W_URING, 1),
	UNTIL(io_getevents, CT_W_OTHER, 5, SYSCLASS_PLAIN),
};

void wait_calls_fill(uint16_t *table)
{
	for (size_t i = 0; i < SYSCLASS_N; i++)
		table[i] = SYSCLASS(CT_W_OTHER, 0, 0, 0, SYSCLASS_PLAIN);
	for (size_t i = 0; i < ARRAY_SIZE(syscall_classes); i++)
		table[syscall_classes[i].nr] = syscall_classes[i].cls;
}

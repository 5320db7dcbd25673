// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sandbox/privilege_calls.h"

#include <linux/bpf.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/sandbox/filter.h"
#include "lib/cleanup.h"
#include "procfs/procmap.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

/* Of several calls that do the same, a C library may use any, so all are here. */
static const int calls_reading[] = {
	__NR_read,       __NR_readv,     __NR_pread64,    __NR_preadv,      __NR_preadv2,
	__NR_openat,     __NR_openat2,   __NR_close,      __NR_close_range, __NR_fstat,
	__NR_newfstatat, __NR_statx,     __NR_statfs,     __NR_fstatfs,     __NR_lseek,
	__NR_fcntl,      __NR_faccessat, __NR_faccessat2, __NR_readlinkat,  __NR_getdents64,
};
static const int calls_writing[] = {
	__NR_write,     __NR_writev,          __NR_pwrite64,        __NR_pwritev,  __NR_pwritev2,
	__NR_ftruncate, __NR_fallocate,       __NR_fadvise64,       __NR_fsync,    __NR_fdatasync,
	__NR_flock,     __NR_copy_file_range, __NR_sync_file_range, __NR_renameat, __NR_renameat2,
	__NR_unlinkat,  __NR_mkdirat,         __NR_fchmod,          __NR_fchown,
};
static const int calls_descriptors[] = {
	__NR_dup,
	__NR_dup3,
	__NR_pipe2,
};
static const int calls_memory[] = {
	__NR_brk, __NR_munmap, __NR_mremap, __NR_madvise, __NR_mincore, __NR_memfd_create,
};
static const int calls_events[] = {
	__NR_epoll_create1,   __NR_epoll_ctl,       __NR_epoll_pwait,  __NR_epoll_pwait2,
	__NR_ppoll,           __NR_pselect6,        __NR_eventfd2,     __NR_timerfd_create,
	__NR_timerfd_settime, __NR_timerfd_gettime, __NR_signalfd4,    __NR_nanosleep,
	__NR_clock_nanosleep, __NR_clock_gettime,   __NR_clock_getres, __NR_gettimeofday,
};
static const int calls_threads[] = {
	__NR_futex,
	__NR_set_robust_list,
	__NR_get_robust_list,
	__NR_rseq,
	__NR_set_tid_address,
	__NR_sched_yield,
	__NR_sched_getaffinity,
	__NR_getcpu,
	__NR_getpriority,
	__NR_sched_getscheduler,
	__NR_setpriority,
	__NR_exit,
	__NR_exit_group,
	__NR_wait4,
	__NR_waitid,
};
static const int calls_signals[] = {
	__NR_rt_sigaction,    __NR_rt_sigprocmask, __NR_rt_sigreturn,
	__NR_rt_sigtimedwait, __NR_sigaltstack,    __NR_restart_syscall,
};
static const int calls_self[] = {
	__NR_getpid,  __NR_getppid, __NR_gettid, __NR_getuid,  __NR_geteuid,   __NR_getgid,
	__NR_getegid, __NR_capget,  __NR_uname,  __NR_sysinfo, __NR_getrusage, __NR_getrandom,
};
static const int calls_socket[] = {
	__NR_connect,    __NR_bind,        __NR_listen,      __NR_accept4,  __NR_sendto,
	__NR_sendmsg,    __NR_sendmmsg,    __NR_recvfrom,    __NR_recvmsg,  __NR_getsockopt,
	__NR_setsockopt, __NR_getsockname, __NR_getpeername, __NR_shutdown,
};
static const int calls_others[] = {
	__NR_perf_event_open,
	__NR_process_vm_readv,
	__NR_pidfd_open,
};
#ifdef __x86_64__ /* old calls; arm64 has only the last two, and glibc on arm64 uses neither */
static const int calls_older[] = {
	__NR_open,       __NR_stat,  __NR_lstat,     __NR_access,    __NR_readlink, __NR_rename,
	__NR_unlink,     __NR_mkdir, __NR_rmdir,     __NR_dup2,      __NR_poll,     __NR_select,
	__NR_epoll_wait, __NR_time,  __NR_getrlimit, __NR_setrlimit,
};
#endif

static const uint32_t calls_bpf[] = {
	BPF_MAP_LOOKUP_ELEM,     BPF_MAP_UPDATE_ELEM,
	BPF_MAP_DELETE_ELEM,     BPF_MAP_GET_NEXT_KEY,
	BPF_MAP_LOOKUP_BATCH,    BPF_MAP_LOOKUP_AND_DELETE_BATCH,
	BPF_MAP_UPDATE_BATCH,    BPF_MAP_DELETE_BATCH,
	BPF_OBJ_GET_INFO_BY_FD,  BPF_MAP_LOOKUP_AND_DELETE_ELEM,
	BPF_RAW_TRACEPOINT_OPEN, BPF_LINK_CREATE,
	BPF_LINK_UPDATE,         BPF_LINK_DETACH,
	BPF_ITER_CREATE,
};

/* TCGETS: stdio asks whether a file is a terminal. PROCMAP_ASK: asks for one mapping of a
 * process. */
static const uint32_t calls_ioctl[] = {
	PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_SET_BPF, TCGETS, PROCMAP_ASK,
};

static const uint32_t calls_prctl[] = {
	PR_SET_NAME, PR_GET_NAME, PR_SET_VMA, PR_GET_DUMPABLE, PR_CAPBSET_READ,
};

int privilege_calls_enter(void)
{
	const uint32_t unix_only = AF_UNIX, thread = CLONE_THREAD, data = 0,
		       own[] = { 0, (uint32_t)getpid() };
	struct filter f;

	filter_init(&f);
	filter_allow(&f, calls_reading, ARRAY_SIZE(calls_reading));
	filter_allow(&f, calls_writing, ARRAY_SIZE(calls_writing));
	filter_allow(&f, calls_descriptors, ARRAY_SIZE(calls_descriptors));
	filter_allow(&f, calls_memory, ARRAY_SIZE(calls_memory));
	filter_allow(&f, calls_events, ARRAY_SIZE(calls_events));
	filter_allow(&f, calls_threads, ARRAY_SIZE(calls_threads));
	filter_allow(&f, calls_signals, ARRAY_SIZE(calls_signals));
	filter_allow(&f, calls_self, ARRAY_SIZE(calls_self));
	filter_allow(&f, calls_socket, ARRAY_SIZE(calls_socket));
	filter_allow(&f, calls_others, ARRAY_SIZE(calls_others));
#ifdef __x86_64__
	filter_allow(&f, calls_older, ARRAY_SIZE(calls_older));
#endif
	filter_allow_values(&f, __NR_bpf, 0, UINT32_MAX, calls_bpf, ARRAY_SIZE(calls_bpf));
	filter_allow_values(&f, __NR_ioctl, 1, UINT32_MAX, calls_ioctl, ARRAY_SIZE(calls_ioctl));
	filter_allow_values(&f, __NR_prctl, 0, UINT32_MAX, calls_prctl, ARRAY_SIZE(calls_prctl));
	filter_allow_values(&f, __NR_socket, 0, UINT32_MAX, &unix_only, 1);
	filter_allow_values(&f, __NR_socketpair, 0, UINT32_MAX, &unix_only, 1);
	/* clone() may only create threads. clone3() is not allowed: its flags are in memory, which
	 * a filter cannot read. */
	filter_allow_values(&f, __NR_clone, 0, CLONE_THREAD, &thread, 1);
	filter_allow_values(&f, __NR_mmap, 2, PROT_EXEC, &data, 1);
	filter_allow_values(&f, __NR_mprotect, 2, PROT_EXEC, &data, 1);
	/* The process may change only its own limits, and send signals only to itself (abort()). */
	filter_allow_values(&f, __NR_prlimit64, 0, UINT32_MAX, own, ARRAY_SIZE(own));
	filter_allow_values(&f, __NR_tgkill, 0, UINT32_MAX, own + 1, 1);
	return filter_enter(&f);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sandbox/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/sandbox/privilege_calls.h"
#include "lib/cleanup.h"

#define PRIVILEGE_NICE 35 /* RLIMIT_NICE is 20 - nice; the drain thread has nice -15 */
#define CAP(c)         (1ULL << (c))

static const uint64_t privilege_kept =
	CAP(CAP_BPF) | CAP(CAP_PERFMON) | /* attach programs, read maps, open all perf events */
	CAP(CAP_SYS_PTRACE) |             /* read memory, mappings and descriptors of processes */
	CAP(CAP_DAC_READ_SEARCH) |        /* open files that processes run */
	CAP(CAP_CHECKPOINT_RESTORE) |     /* open mapped files: /proc/PID/map_files */
	CAP(CAP_SYSLOG);                  /* kernel symbols if kptr_restrict is 1 */

void privilege_begin(void)
{
	const struct rlimit nice = { PRIVILEGE_NICE, PRIVILEGE_NICE };

	umask(077);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)setrlimit(RLIMIT_NICE, &nice);
}

static int caps_get(uint64_t *ret_effective, uint64_t *ret_permitted)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];

	if (syscall(SYS_capget, &h, d))
		return -errno;
	*ret_effective = d[0].effective | (uint64_t)d[1].effective << 32;
	*ret_permitted = d[0].permitted | (uint64_t)d[1].permitted << 32;
	return 0;
}

static int caps_set(uint64_t effective, uint64_t permitted)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct d[2] = {
		{ .effective = (uint32_t)effective, .permitted = (uint32_t)permitted },
		{ .effective = (uint32_t)(effective >> 32), .permitted = (uint32_t)(permitted >> 32) },
	};

	return syscall(SYS_capset, &h, d) ? -errno : 0;
}

static bool perf_is_refused(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr), .config = config };
	_cleanup_close_ int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 && (errno == EACCES || errno == EPERM);
}

/* Returns true if uprobes need CAP_SYS_ADMIN, as in kernel 6.18. Tries a uprobe without a path: on
 * other kernels, this attempt fails with another error. */
static bool uprobe_is_refused(void)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	unsigned type;

	return f && fscanf(f, "%u", &type) == 1 && perf_is_refused(type, 0);
}

static bool nice_is_refused(void)
{
	struct rlimit l;

	return getrlimit(RLIMIT_NICE, &l) || l.rlim_cur < PRIVILEGE_NICE;
}

static bool dir_is_refused(const struct privilege_options *opt)
{
	for (size_t i = 0; i < opt->n_dirs; i++)
		if (faccessat(AT_FDCWD, opt->dirs[i], W_OK | X_OK, AT_EACCESS) && errno == EACCES)
			return true;
	return false;
}

int privilege_drop_bounding(void)
{
	int r = 0;

	for (int c = 0; prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; c++)
		if (prctl(PR_CAPBSET_READ, c, 0, 0, 0) > 0 && prctl(PR_CAPBSET_DROP, c, 0, 0, 0) &&
		    errno != EPERM)
			r = -errno;
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return r;
}

/* Tries what the daemon does later, with only privilege_kept in effect. Keeps one more capability
 * for each action that the kernel refuses. */
static int drop_capabilities(const struct privilege_options *opt)
{
	uint64_t effective = 0, permitted = 0, keep = privilege_kept;
	int r = caps_get(&effective, &permitted), bounding;

	if (!r)
		r = caps_set(effective & keep, permitted);
	if (r)
		return r;
	if (perf_is_refused(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY) || (opt->uprobes && uprobe_is_refused()))
		keep |= CAP(CAP_SYS_ADMIN);
	if (nice_is_refused())
		keep |= CAP(CAP_SYS_NICE);
	if (dir_is_refused(opt))
		keep |= CAP(CAP_DAC_OVERRIDE);
	r = caps_set(effective, permitted); /* privilege_drop_bounding() needs CAP_SETPCAP */
	bounding = privilege_drop_bounding();
	if (!r)
		r = caps_set(effective & keep, permitted & keep);
	return r ? r : bounding;
}

int privilege_drop(const struct privilege_options *opt)
{
	int r = drop_capabilities(opt), filter;

	filter = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : privilege_calls_enter();
	return r ? r : filter;
}

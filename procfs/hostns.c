// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/hostns.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* inode numbers of the initial namespaces (include/linux/proc_ns.h of the kernel) */
#define HOSTNS_USER_INIT   "user:[4026531837]"
#define HOSTNS_PID_INIT    "pid:[4026531836]"
#define HOSTNS_CGROUP_INIT "cgroup:[4026531835]"

/* path: the link of a namespace in /proc. If the link cannot be read, the namespace counts as the
 * initial one, because some kernels lack this kind of namespace. */
static bool hostns_is_other(const char *path, const char *initial)
{
	char name[64];
	ssize_t n = readlink(path, name, sizeof(name) - 1);

	if (n <= 0)
		return false;
	name[n] = 0;
	return strcmp(name, initial) != 0;
}

unsigned hostns_look(void)
{
	char self[32];
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);
	unsigned found = 0;

	/* This process may have no id in the /proc of another pid namespace. */
	if (n <= 0)
		return access("/proc/version", F_OK) ? HOSTNS_PROC : HOSTNS_PROC_PID;
	self[n] = 0;
	if (atol(self) != getpid())
		found |= HOSTNS_PROC_PID;
	if (hostns_is_other("/proc/self/ns/pid", HOSTNS_PID_INIT))
		found |= HOSTNS_PID;
	if (hostns_is_other("/proc/self/ns/user", HOSTNS_USER_INIT))
		found |= HOSTNS_USER;
	if (hostns_is_other("/proc/self/ns/cgroup", HOSTNS_CGROUP_INIT))
		found |= HOSTNS_CGROUP;
	return found;
}

const char *hostns_advice(unsigned found)
{
	if (found & HOSTNS_PROC)
		return "there is no /proc here; mount it (mount -t proc proc /proc)";
	if (found & HOSTNS_USER)
		return "this is a user namespace (a rootless container), whose root may not trace the machine; run it as root of the machine, in a container with --privileged and not rootless";
	if (found & HOSTNS_PID)
		return "this is a pid namespace (a container) of its own, in which the kernel's task ids would be taken for other tasks; run it on the host, or give the container the host's pid namespace (docker or podman: --pid=host --privileged)";
	if (found & HOSTNS_PROC_PID)
		return "/proc is that of another pid namespace; mount that of the machine (mount -t proc proc /proc)";
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/kernel/probe_private.h"
#include "lib/cleanup.h"
#include "procfs/hostns.h"

unsigned probe_present_cpus(void)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/devices/system/cpu/present", "re");
	unsigned n = 0, hi = 0;
	int ch;

	/* A list such as "0-3,8-11". The last number is the highest. */
	while (f && (ch = fgetc(f)) != EOF) {
		if (ch >= '0' && ch <= '9')
			n = n * 10 + ch - '0';
		else
			n = 0;
		if (n > hi)
			hi = n;
	}
	return f ? hi + 1 : sysconf(_SC_NPROCESSORS_CONF);
}

static uint64_t machine_capabilities(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
	uint64_t caps = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %" SCNx64, &caps) == 1)
			break;
	return caps;
}

static bool machine_file_has(const char *path, const char *word)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[4096] = "";

	return f && fgets(line, sizeof(line), f) && strstr(line, word);
}

/* Returns true if the lockdown mode of the kernel is "confidentiality". If securityfs is not
 * mounted, only the kernel's command line can show the mode. */
static bool machine_is_locked_down(void)
{
	return machine_file_has("/sys/kernel/security/lockdown", "[confidentiality]") ||
	       machine_file_has("/proc/cmdline", "lockdown=confidentiality");
}

#define CAP_BIT(c) (1ULL << (c))

int probe_check_machine(char err[PROBE_ERR_MAX])
{
	uint64_t caps = machine_capabilities();
	uint64_t need = CAP_BIT(CAP_BPF) | CAP_BIT(CAP_PERFMON);
	const char *elsewhere = hostns_advice(hostns_look());

	if (elsewhere) {
		snprintf(err, PROBE_ERR_MAX, "tracing is not possible from here: %s", elsewhere);
		return -EPERM;
	}
	if (!(caps & CAP_BIT(CAP_SYS_ADMIN)) && (caps & need) != need) {
		snprintf(err, PROBE_ERR_MAX,
			 "tracing needs the capabilities CAP_BPF and CAP_PERFMON (%s); run as root%s",
			 caps & CAP_BIT(CAP_BPF)       ? "CAP_PERFMON is missing"
			 : caps & CAP_BIT(CAP_PERFMON) ? "CAP_BPF is missing"
						       : "both are missing",
			 geteuid() == 0 ? ", outside of a container that removes them" : "");
		return -EPERM;
	}
	if (machine_is_locked_down()) {
		snprintf(
			err, PROBE_ERR_MAX,
			"the kernel is locked down (confidentiality), which forbids BPF to read kernel memory; boot with lockdown=integrity or without it");
		return -EPERM;
	}
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		snprintf(
			err, PROBE_ERR_MAX,
			"there is no kernel type information (/sys/kernel/btf/vmlinux: %s); use a kernel built with CONFIG_DEBUG_INFO_BTF, and mount sysfs",
			strerror(errno));
		return -ENOENT;
	}
	return 0;
}

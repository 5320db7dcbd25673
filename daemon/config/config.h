/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - the settings of ctraced. config_read() starts with the built-in values. The config
 * file overrides these values, and the flags override the config file. Apart from the config file,
 * no file is read or written.
 */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_H
#define CTRACE_DAEMON_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/config/config_hang.h"
#include "daemon/config/config_incident.h"
#include "daemon/config/config_value.h"
#include "daemon/control/control.h"

#define CONFIG_PATH_MAX 1024 /* bytes for a path or for a list, with the final 0 */

/* The build sets CTRACE_SYSCONFDIR; it is usually "/etc". */
#define CONFIG_DEFAULT_FILE CTRACE_SYSCONFDIR "/ctrace/ctraced.conf"
#define CONFIG_RING_MIN     (64ULL << 10)
#define CONFIG_RING_MAX     (256ULL << 20)

struct config {
	char state_dir[CONFIG_PATH_MAX];
	char socket[CONFIG_PATH_MAX];
	char file[CONFIG_PATH_MAX]; /* the config file */
	char hooks[CONFIG_PATH_MAX];
	char frameworks[CONFIG_PATH_MAX]; /* the setting "frameworks"; jobs_load() describes it */
	char group[256];                  /* the group whose members may use the socket; "": none */
	enum control_right group_may;
	uint64_t size_bytes;
	uint64_t ring_bytes; /* size of the ring of each CPU; a power of two */
	uint64_t long_wait_ns;
	struct config_incident incident;
	uint32_t budget_ppm; /* share of the machine's CPU time that tracing may take; 0: no budget */
	uint32_t task_cap;   /* records that one task may make in a second; 0: no limit */
	struct config_hang hang;
	/* The descriptor to which the daemon writes one message: the capture runs, or the reason
	 * why it cannot run. -1: the daemon writes no message. */
	int ready_fd;
	bool die_with_parent;
};

enum config_verdict { CONFIG_RUN = 0, CONFIG_HELP = 1, CONFIG_VERSION = 2 };

/*
 * Fills ret from argv and the config file. Returns an enum config_verdict, or -EINVAL with a
 * sentence in err; then ret is untouched. After CONFIG_HELP and CONFIG_VERSION, not all settings
 * have been read. Uses getopt_long(), so only one thread may call config_read().
 */
int config_read(int argc, char *const argv[], struct config *ret, char err[CONFIG_ERR_MAX]);

/* Reads a budget ("3%", "0") in ppm. what: the name of the setting, for err. Returns 0, or -EINVAL
 * with a sentence in err; then ret is untouched. Any thread may call it. */
int config_budget(uint32_t *ret, const char *what, const char *value, char err[CONFIG_ERR_MAX]);

/*
 * Returns the default size in bytes of the ring of each CPU. release: the version of the kernel, as
 * uname() returns it. A value of an array map holds this ring and some more bytes (cpu.h). Before
 * Linux 6.0, such a value has at most KMALLOC_MAX_SIZE (4 MiB) bytes, so for these kernels the
 * default is smaller.
 */
uint64_t config_ring_default(const char *release);

#endif

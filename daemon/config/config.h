/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - what ctraced was asked to do: built-in values, then the config
 * file, then the flags, each over the one before.  No I/O but the config file.
 */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_H
#define CTRACE_DAEMON_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/config/config_hang.h"
#include "daemon/config/config_incident.h"
#include "daemon/config/config_value.h"
#include "daemon/control/control.h"

#define CONFIG_PATH_MAX 1024 /* of every path and list */

/* CTRACE_SYSCONFDIR: from the build; "/etc" */
#define CONFIG_DEFAULT_FILE CTRACE_SYSCONFDIR "/ctrace/ctraced.conf"
#define CONFIG_RING_MIN     (64ULL << 10)
#define CONFIG_RING_MAX     (256ULL << 20)

struct config {
	char state_dir[CONFIG_PATH_MAX];
	char socket[CONFIG_PATH_MAX];
	char file[CONFIG_PATH_MAX]; /* the config file */
	char hooks[CONFIG_PATH_MAX];
	char frameworks[CONFIG_PATH_MAX]; /* see jobs_load() */
	char group[256];                  /* "": none */
	enum control_right group_may;
	uint64_t size_bytes;
	uint64_t ring_bytes; /* of each CPU; a power of two */
	uint64_t long_wait_ns;
	struct config_incident incident;
	uint32_t budget_ppm; /* of the machine's CPU time; 0: no governor */
	uint32_t task_cap;   /* records a second of one task; 0: no limit */
	struct config_hang hang;
	int ready_fd; /* -1: none */
	bool die_with_parent;
};

enum config_verdict { CONFIG_RUN = 0, CONFIG_HELP = 1, CONFIG_VERSION = 2 };

/*
 * Fills ret from argv and the config file.  Returns an enum config_verdict, or
 * -EINVAL with a sentence in err.
 */
int config_read(int argc, char *const argv[], struct config *ret, char err[CONFIG_ERR_MAX]);

/*
 * The buffer of each CPU where none was set, for a kernel whose release is this: before 6.0 a value of an
 * array map, which holds the buffer and some words more, has at most KMALLOC_MAX_SIZE, 4 MiB.
 */
uint64_t config_ring_default(const char *release);

#endif

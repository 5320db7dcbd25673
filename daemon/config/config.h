/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config.h - the settings of ctraced: built-in values, then the config file, then the flags. */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_H
#define CTRACE_DAEMON_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/config/config_hang.h"
#include "daemon/config/config_incident.h"
#include "daemon/config/config_value.h"
#include "daemon/control/control.h"

#define CONFIG_PATH_MAX 1024 /* for a path or a list, with the final 0 */

#define CONFIG_DEFAULT_FILE CTRACE_SYSCONFDIR "/ctrace/ctraced.conf"
#define CONFIG_RING_MIN     (64ULL << 10)
#define CONFIG_RING_MAX     (256ULL << 20)

struct config {
	char state_dir[CONFIG_PATH_MAX];
	char socket[CONFIG_PATH_MAX];
	char file[CONFIG_PATH_MAX];
	char hooks[CONFIG_PATH_MAX];
	char frameworks[CONFIG_PATH_MAX]; /* the list for jobs_load() */
	char group[256];                  /* its members may use the socket; "": no group */
	enum control_right group_may;
	uint64_t size_bytes;
	uint64_t ring_bytes; /* size of the ring of each CPU; a power of two */
	uint64_t long_wait_ns;
	struct config_incident incident;
	uint32_t budget_ppm; /* share of the machine's CPU time for tracing; 0: no budget */
	uint32_t task_cap;   /* records that one task may make in a second; 0: no limit */
	struct config_hang hang;
	/* A descriptor, or -1. The daemon writes one message: that the capture runs, or why not. */
	int ready_fd;
	bool die_with_parent;
};

enum config_verdict { CONFIG_RUN = 0, CONFIG_HELP = 1, CONFIG_VERSION = 2 };

/*
 * Returns an enum config_verdict, or -EINVAL with a sentence in err; then ret is untouched. After
 * CONFIG_HELP and CONFIG_VERSION, not all settings have been read. One thread only, because of
 * getopt_long().
 */
int config_read(int argc, char *const argv[], struct config *ret, char err[CONFIG_ERR_MAX]);

/* Reads a budget ("3%", "0") in ppm. what: the name of the setting, for err. Returns 0, or
 * -EINVAL with a sentence in err; then ret is untouched. Any thread. */
int config_budget(uint32_t *ret, const char *what, const char *value, char err[CONFIG_ERR_MAX]);

/*
 * Returns the default size of each ring in bytes. release: the version of the kernel, from uname().
 * Before Linux 6.0, a ring with its header must fit into 4 MiB (KMALLOC_MAX_SIZE).
 */
uint64_t config_ring_default(const char *release);

#endif

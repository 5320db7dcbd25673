/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - what ctraced was asked to do: built-in values, then the config
 * file, then the flags, each over the one before.  No I/O but the config file.
 */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_H
#define CTRACE_DAEMON_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/control/control.h"
#include "daemon/config/incident_rate.h"
#include "detect/detect.h"

#define CONFIG_ERR_MAX  512
#define CONFIG_PATH_MAX 1024 /* of every path and list */

/* CTRACE_SYSCONFDIR: from the build; "/etc" */
#define CONFIG_DEFAULT_FILE CTRACE_SYSCONFDIR "/ctrace/ctraced.conf"
#define CONFIG_SIZE_MIN     (16ULL << 20)
#define CONFIG_SIZE_MAX     (1ULL << 40)
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
	/* what follows when a hang was noticed */
	uint64_t snapshot_before_ns, snapshot_after_ns, hangs_size_bytes;
	struct incident_rate snapshot_rate;
	uint32_t budget_ppm; /* of the machine's CPU time; 0: no governor */
	uint32_t task_cap;   /* records a second of one task; 0: no limit */
	bool hangs;          /* whether they are looked for, and how */
	struct detect_settings detect;
	/* 1 << CT_HANG_*: set by the rule's own name; first for all, then for each of the overrides */
	uint32_t hang_given[1 + DETECT_OVERRIDES_MAX];
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
/* "4M", "2G", "65536": bytes.  0 or -EINVAL. */
int config_parse_size(const char *s, uint64_t *ret_bytes);
/* "200ms", "1.5s", "50us", "2min": nanoseconds.  0 or -EINVAL. */
int config_parse_time(const char *s, uint64_t *ret_ns);

#endif

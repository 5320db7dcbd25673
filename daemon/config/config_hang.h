/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_hang.h - the settings of the detector of hangs, for all and for some programs. */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_HANG_H
#define CTRACE_DAEMON_CONFIG_CONFIG_HANG_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/config/config_value.h"
#include "detect/detect.h"

struct config_hang {
	bool on; /* hangs are looked for */
	struct detect_settings detect;
	/* 1 << CT_HANG_*: set by the rule's own name; first for all, then for each of the overrides */
	uint32_t given[1 + DETECT_OVERRIDES_MAX];
};

void config_hang_defaults(struct config_hang *c);

/*
 * Sets one of the names hangs, hang-*; section: 0 for all, n for overrides[n - 1].  what: how the user wrote
 * the name.  0, -ENOENT: there is no such setting (there); -EINVAL with a sentence in err.
 */
int config_hang_set(struct config_hang *c, unsigned section, const char *name, const char *what,
		    const char *value, char err[CONFIG_ERR_MAX]);
/* The number of the section "program NAME" or "cgroup GLOB", which is made if it is not there; file: the
 * config file's path, for err.  -EINVAL with a sentence in err. */
int config_hang_section(struct config_hang *c, const char *file, const char *section,
			char err[CONFIG_ERR_MAX]);

#endif

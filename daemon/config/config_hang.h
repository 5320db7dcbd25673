/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_hang.h - the settings of the hang detector, for all programs, and for single programs and
 * control groups. Pure. One thread at a time. */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_HANG_H
#define CTRACE_DAEMON_CONFIG_CONFIG_HANG_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/config/config_value.h"
#include "detect/detect.h"

struct config_hang {
	bool on;
	struct detect_settings detect;
	/* The rules that have a setting of their own, as bits 1 << CT_HANG_*. given[0] is for
	 * all programs, given[n] for overrides[n - 1]. hang-after does not change these rules. */
	uint32_t given[1 + DETECT_OVERRIDES_MAX];
};

void config_hang_defaults(struct config_hang *c);

/*
 * Changes the setting `name`. Returns 0, -ENOENT if this section has no such setting, or -EINVAL
 * with a sentence in err.
 * - section: 0 for all programs, n for overrides[n - 1]
 * - what: the name as the user wrote it, for err
 */
int config_hang_set(struct config_hang *c, unsigned section, const char *name, const char *what,
		    const char *value, char err[CONFIG_ERR_MAX]);
/* Returns the number (from 1 on) of the section "program NAME" or "cgroup GLOB", which may be new;
 * or -EINVAL with a sentence in err. file: the path of the config file, for err. */
int config_hang_section(struct config_hang *c, const char *file, const char *section,
			char err[CONFIG_ERR_MAX]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_hang.h - the settings of the detector of hangs, for all and for some programs.  A part of config.h.
 */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_HANG_H
#define CTRACE_DAEMON_CONFIG_CONFIG_HANG_H

#include "daemon/config/config.h"

/*
 * Sets one of the names hangs, hang-*; section: 0 for all, n for overrides[n - 1].  what: how the user wrote
 * the name.  0, -ENOENT: there is no such setting (there); -EINVAL with a sentence in err.
 */
int config_hang_set(struct config *c, unsigned section, const char *name, const char *what, const char *value,
		    char err[CONFIG_ERR_MAX]);
/* The number of the section "program NAME" or "cgroup GLOB", which is made if it is not there.  -EINVAL with
 * a sentence in err. */
int config_hang_section(struct config *c, const char *section, char err[CONFIG_ERR_MAX]);

#endif

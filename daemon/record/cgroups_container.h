/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroups_container.h - finds a container's name in the files of Docker and Podman. Thread-safe. */
#ifndef CTRACE_DAEMON_RECORD_CGROUPS_CONTAINER_H
#define CTRACE_DAEMON_RECORD_CGROUPS_CONTAINER_H

#include <stdbool.h>

#include "lib/cgroup.h"

/* id: CGROUP_ID_LEN digits. root: "/", or a test's directory. If there is no name, returns false
 * and "" in name. */
bool cgroups_container(const char *root, const char *id, char name[CGROUP_NAME_MAX]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups_container.h - finds the name of a container in the files of Docker and Podman. Any thread
 * may call it.
 */
#ifndef CTRACE_DAEMON_RECORD_CGROUPS_CONTAINER_H
#define CTRACE_DAEMON_RECORD_CGROUPS_CONTAINER_H

#include <stdbool.h>

#include "lib/cgroup.h"

/* id: CGROUP_ID_LEN digits. root: "/", or another directory in a test. Returns false, with "" in
 * `name`, if the name is not known. */
bool cgroups_container(const char *root, const char *id, char name[CGROUP_NAME_MAX]);

#endif

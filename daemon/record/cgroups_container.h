/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups_container.h - finds the name of a container. Only Docker or Podman knows this name, so
 * this module reads the name from their files. Any thread may call it.
 */
#ifndef CTRACE_DAEMON_RECORD_CGROUPS_CONTAINER_H
#define CTRACE_DAEMON_RECORD_CGROUPS_CONTAINER_H

#include <stdbool.h>

#include "lib/cgroup.h"

/* Copies the name of the container with this id (CGROUP_ID_LEN digits) to name. root: "/", or
 * another directory in a test. Returns false, with "" in name, if the name is not known. */
bool cgroups_container(const char *root, const char *id, char name[CGROUP_NAME_MAX]);

#endif

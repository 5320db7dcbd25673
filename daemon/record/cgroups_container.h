/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups_container.h - what a person called a container, which only its
 * runtime knows: read from the files in which Docker and Podman keep it.  Any thread.
 */
#ifndef CTRACE_DAEMON_RECORD_CGROUPS_CONTAINER_H
#define CTRACE_DAEMON_RECORD_CGROUPS_CONTAINER_H

#include <stdbool.h>

#include "lib/cgroup.h"

/* id: of CGROUP_ID_LEN digits; root: "/", in a test another directory.  False (and ""): not known. */
bool cgroups_container(const char *root, const char *id, char name[CGROUP_NAME_MAX]);

#endif

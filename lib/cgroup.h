/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup.h - what people call a control group: the container, or the unit of
 * systemd, that a path in the hierarchy stands for.  Knows how Docker, Podman, containerd, CRI-O, Kubernetes,
 * LXC and systemd lay them out, with systemd and without.  Pure.
 */
#ifndef CTRACE_LIB_CGROUP_H
#define CTRACE_LIB_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

#define CGROUP_NAME_MAX 72 /* with its 0; longer ones are cut off */
#define CGROUP_ID_LEN   64 /* hexadecimal digits of a container's id */
#define CGROUP_ID_SHORT 12 /* as many as the runtimes show */

/*
 * The innermost container that path lies in: its name where the path has one ("web" of lxc.payload.web), else
 * the short form of its id, or "pod-" and the first 8 digits of the pod's id.  False (and "") for none.
 */
bool cgroup_container(const char *path, char name[CGROUP_NAME_MAX]);
/* The whole id of that container, where it has one of CGROUP_ID_LEN digits.  False (and "") for none. */
bool cgroup_container_id(const char *path, char id[CGROUP_ID_LEN + 1]);
/* The innermost unit of systemd: "nginx.service", "session-2.scope"; not slices.  False (and "") for none. */
bool cgroup_unit(const char *path, char name[CGROUP_NAME_MAX]);

#endif

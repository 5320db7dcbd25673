/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup.h - finds the container or the systemd unit in the path of a control group. Knows the
 * paths of Docker, Podman, containerd, CRI-O, Kubernetes, LXC and systemd. Reads no files. Any
 * thread.
 */
#ifndef CTRACE_LIB_CGROUP_H
#define CTRACE_LIB_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

#define CGROUP_NAME_MAX 72 /* bytes with the 0; longer names are cut off */
#define CGROUP_ID_LEN   64
#define CGROUP_ID_SHORT 12

/*
 * Writes the name of the innermost container: a part of the path ("web" in lxc.payload.web), the
 * short form of its id, or "pod-" and 8 digits of the pod's id. Returns false if there is no
 * container; then name is "".
 */
bool cgroup_container(const char *path, char name[CGROUP_NAME_MAX]);
/* Writes the id of the innermost container with a full id (64 digits). Returns false if there is
 * none; then id is "". */
bool cgroup_container_id(const char *path, char id[CGROUP_ID_LEN + 1]);
/*
 * Writes the innermost unit, such as "nginx.service" or "session-2.scope", but no slice. Returns
 * false if there is none; then name is "".
 */
bool cgroup_unit(const char *path, char name[CGROUP_NAME_MAX]);

#endif

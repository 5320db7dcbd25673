/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup.h - finds the name of the container, or of the systemd unit, in the path of a control
 * group.
 *
 * The functions know the paths that Docker, Podman, containerd, CRI-O, Kubernetes, LXC and systemd
 * make, with the cgroup driver of systemd and without. The functions read no files and have no
 * state, so any thread may call them.
 */
#ifndef CTRACE_LIB_CGROUP_H
#define CTRACE_LIB_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

#define CGROUP_NAME_MAX 72 /* bytes of a name, with its 0; longer names are cut off */
#define CGROUP_ID_LEN   64 /* hexadecimal digits of a container's id */
#define CGROUP_ID_SHORT 12 /* digits of an id in its short form, as the container runtimes show it */

/*
 * Writes the name of the innermost container in which the path lies. The name is the part of the path
 * that names the container ("web" in lxc.payload.web), or the short form of its id, or "pod-" and the
 * first 8 digits of the pod's id. False: there is no container, and name is "".
 */
bool cgroup_container(const char *path, char name[CGROUP_NAME_MAX]);
/*
 * Writes the container id of CGROUP_ID_LEN digits that is nearest to the end of the path. False: no
 * component of the path has such an id, and id is "".
 */
bool cgroup_container_id(const char *path, char id[CGROUP_ID_LEN + 1]);
/*
 * Writes the innermost unit of systemd in which the path lies, such as "nginx.service" or
 * "session-2.scope". Slices do not count. False: there is no unit, and name is "".
 */
bool cgroup_unit(const char *path, char name[CGROUP_NAME_MAX]);

#endif

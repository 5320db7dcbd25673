// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/record/cgroups_container.h"

#include <ctype.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/cleanup.h"

/* bytes; larger files are not read. Podman has one file for all containers. */
#define FILE_MAX (4 << 20)

/* Returns false if s is empty, too long, or no valid name of Docker or Podman. Such a text must not get
 * into a trace. */
static bool take_name(const char *s, char name[CGROUP_NAME_MAX])
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("_.-", s[i]))
			return false;
	if (!n || n >= CGROUP_NAME_MAX)
		return false;
	memcpy(name, s, n + 1);
	return true;
}

static json_t *load(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		return NULL;
	return json_loadfd(fd, 0, NULL);
}

static bool docker_name(const char *root, const char *id, char name[CGROUP_NAME_MAX])
{
	char path[512];
	const char *s;
	json_t *doc;
	bool found;

	snprintf(path, sizeof(path), "%.300s/var/lib/docker/containers/%s/config.v2.json", root, id);
	doc = load(path);
	s = json_string_value(json_object_get(doc, "Name"));
	found = s && take_name(s + (*s == '/'), name);
	json_decref(doc);
	return found;
}

static bool podman_name(const char *root, const char *id, char name[CGROUP_NAME_MAX])
{
	char path[512];
	bool found = false;
	json_t *doc, *x;
	size_t i;

	snprintf(path, sizeof(path), "%.300s/var/lib/containers/storage/overlay-containers/containers.json",
		 root);
	doc = load(path);
	json_array_foreach (doc, i, x) {
		const char *of = json_string_value(json_object_get(x, "id"));
		const char *s = json_string_value(json_array_get(json_object_get(x, "names"), 0));

		if (of && s && !strcmp(of, id)) {
			found = take_name(s, name);
			break;
		}
	}
	json_decref(doc);
	return found;
}

bool cgroups_container(const char *root, const char *id, char name[CGROUP_NAME_MAX])
{
	name[0] = 0;
	return docker_name(root, id, name) || podman_name(root, id, name);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/incidents.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"

static int is_sidecar(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 5 && !strcmp(e->d_name + n - 5, ".json");
}

/* alphasort() would use the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Reads the whole file at once, because json_loadfd() reads byte by byte. */
json_t *incidents_load(int fd)
{
	_cleanup_free_ char *text = NULL;
	size_t n = 0, size;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > INCIDENTS_FILE_MAX)
		return NULL;
	size = (size_t)st.st_size;
	text = malloc(size + 1);
	if (!text)
		return NULL;
	while (n < size) {
		ssize_t k = read(fd, text + n, size - n);

		if (k <= 0)
			return NULL;
		n += (size_t)k;
	}
	return json_loadb(text, n, 0, NULL);
}

static json_t *load(int dir_fd, const char *name)
{
	_cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	json_t *o = fd < 0 ? NULL : incidents_load(fd);

	if (json_is_string(json_object_get(o, "schema")) &&
	    !strcmp(json_string_value(json_object_get(o, "schema")), INCIDENTS_SCHEMA))
		return o;
	json_decref(o);
	return NULL;
}

/* Makes a path of the name of a file, or null if there is no such file. */
static void locate(const char *dir, int dir_fd, json_t *o, const char *key)
{
	const char *name = json_string_value(json_object_get(o, key));
	char path[PATH_MAX];

	if (!name || strchr(name, '/') || faccessat(dir_fd, name, F_OK, 0) ||
	    snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		json_object_set_new(o, key, json_null());
	else
		json_object_set_new(o, key, json_string(path));
}

int incidents_read(const char *dir, size_t max, json_t **ret, size_t *ret_left_out)
{
	_cleanup_close_ int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent **v = NULL;
	json_t *list;
	size_t left_out = 0;
	int n, r = 0;

	n = dir_fd < 0 ? -1 : scandirat(dir_fd, ".", &v, is_sidecar, by_name);
	if (n < 0)
		return -errno;
	list = json_array();
	for (int i = 0; i < n; i++) {
		json_t *o = load(dir_fd, v[i]->d_name);

		/* A pending incident is new, but its name may have an old time, if the clock was wrong. */
		if ((size_t)(n - i) > max && !json_is_true(json_object_get(o, "pending"))) {
			json_decref(o);
			o = NULL;
		}

		left_out += !o;
		if (o) {
			locate(dir, dir_fd, o, "snapshot");
			locate(dir, dir_fd, o, "view");
			r |= json_array_append_new(list, o);
		}
		free(v[i]);
	}
	free(v);
	if (!list || r) {
		json_decref(list);
		return -ENOMEM;
	}
	*ret = list;
	*ret_left_out = left_out;
	return 0;
}

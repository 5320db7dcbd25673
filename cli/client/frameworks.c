// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/client/frameworks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/text.h"
#include "cli/thresholds.h"
#include "elf/elf_go.h"
#include "lib/cleanup.h"
#include "procfs/proctask.h"

static bool has_name(const json_t *list, const char *description)
{
	const char *base = strrchr(description, '/') + 1;
	const json_t *x;
	size_t i;

	json_array_foreach (list, i, x) {
		const char *other = json_string_value(json_object_get(x, "description"));

		if (other && !strcmp(strrchr(other, '/') + 1, base))
			return true;
	}
	return false;
}

static void read_one(json_t *list, const char *path)
{
	json_error_t why;
	json_t *spec = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	const char *name = json_string_value(json_object_get(spec, "name"));
	const json_t *binaries = json_object_get(spec, "binaries");
	const char *programs = json_string_value(json_object_get(spec, "programs"));
	bool go = programs && !strcmp(programs, "go");

	if (name && (json_is_array(binaries) || go))
		json_array_append_new(list,
				      json_pack("{s:s,s:o,s:I,s:[],s:O*,s:b}", "name", name, "description",
						text_json(path), "processes", (json_int_t)0, "files",
						"binaries", binaries, "go", go));
	else
		json_array_append_new(list,
				      json_pack("{s:o,s:o,s:s}", "name", text_json(strrchr(path, '/') + 1),
						"description", text_json(path), "error",
						spec ? "it has no name or no binaries" : why.text));
	json_decref(spec);
}

static int is_description(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return *e->d_name != '.' && n > strlen(".json") && !strcmp(e->d_name + n - strlen(".json"), ".json");
}

static int read_dir(json_t *list, const char *dir)
{
	struct dirent **names = NULL;
	int n = scandir(dir, &names, is_description, alphasort);

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];

		if (json_array_size(list) < FRAMEWORKS_MAX &&
		    snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name) < (int)sizeof(path) &&
		    !has_name(list, path))
			read_one(list, path);
		free(names[i]);
	}
	free(names);
	return 0;
}

static bool has_text(const json_t *list, const char *s)
{
	const json_t *x;
	size_t i;

	json_array_foreach (list, i, x)
		if (json_string_value(x) && !strcmp(json_string_value(x), s))
			return true;
	return false;
}

/* A mapped library has the name of the file to which a link leads: libglib-2.0.so.0.7400.6 instead of
 * libglib-2.0.so.0. */
static bool is_file_of(const json_t *binaries, const char *path)
{
	const char *base = strrchr(path, '/') + 1;
	const json_t *x;
	size_t i;

	json_array_foreach (binaries, i, x) {
		const char *name = json_string_value(x);
		size_t n = name ? strlen(name) : 0;

		if (!name || (strcmp(name, strchr(name, '/') ? path : base) &&
			      !(strstr(name, ".so.") && !strncmp(name, base, n) && base[n] == '.')))
			continue;
		return true;
	}
	return false;
}

/* Returns true if the process executes the mapped file, which was built with Go. Only a file on a disk is
 * read: another file system may wait for a server. line: as in /proc/PID/maps, up to the path */
static bool is_go(const char *pid, const char *line, const char *path)
{
	_cleanup_close_ int fd = -1;
	char link[64];
	unsigned major = 0;
	struct elf_file e;
	struct stat st;

	if (!proctask_executes((uint32_t)strtoul(pid, NULL, 10), path) ||
	    sscanf(line, "%*s %*s %*s %x", &major) != 1 || !major)
		return false;
	snprintf(link, sizeof(link), "/proc/%.16s/exe", pid);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd >= 0 && !fstat(fd, &st) && !elf_file_open(fd, (uint64_t)st.st_size, &e) && elf_go_is(&e);
}

/* Adds a mapped file of a process to the frameworks that it belongs to. seen[i]: the process is
 * already counted for framework i. go: the file is a program that was built with Go. */
static void match(json_t *list, const char *path, bool go, bool *seen)
{
	json_t *x;
	size_t i;

	json_array_foreach (list, i, x) {
		json_t *files = json_object_get(x, "files"), *n = json_object_get(x, "processes");

		if (!is_file_of(json_object_get(x, "binaries"), path) &&
		    !(go && json_is_true(json_object_get(x, "go"))))
			continue;
		if (!seen[i])
			json_integer_set(n, json_integer_value(n) + 1);
		seen[i] = true;
		if (!has_text(files, path) && json_array_size(files) < FRAMEWORKS_FILES_MAX)
			json_array_append_new(files, text_json(path));
	}
}

static void look_at(json_t *list, const char *pid)
{
	_cleanup_free_ char *line = NULL;
	_cleanup_fclose_ FILE *f = NULL;
	bool seen[FRAMEWORKS_MAX] = { false };
	char path[64];
	size_t cap = 0;

	snprintf(path, sizeof(path), "/proc/%.16s/maps", pid);
	f = fopen(path, "re");
	while (f && getline(&line, &cap, f) > 0) {
		char *file = strchr(line, '/'), *end = file ? strstr(file, " (deleted)\n") : NULL;

		/* the third letter of the rights: "7f00-7f01 r-xp ..." */
		if (!file || !strchr(line, ' ') || strchr(line, ' ')[3] != 'x')
			continue;
		file[end ? (size_t)(end - file) : strcspn(file, "\n")] = '\0';
		match(list, file, is_go(pid, line, file), seen);
	}
}

int frameworks_find(json_t *list, const char *dir)
{
	int r = dir ? read_dir(list, dir) : 0;
	const struct dirent *e;
	json_t *x;
	size_t i;
	DIR *d;

	if (r)
		return r;
	d = opendir("/proc");
	read_dir(list, CTRACE_SYSCONFDIR "/ctrace/frameworks");
	read_dir(list, CTRACE_DATADIR "/ctrace/frameworks");
	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			look_at(list, e->d_name);
	if (d)
		closedir(d);
	json_array_foreach (list, i, x) {
		json_object_del(x, "binaries");
		json_object_del(x, "go");
	}
	return 0;
}

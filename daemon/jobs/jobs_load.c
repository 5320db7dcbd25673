// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_load.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

void jobs_load_done(struct jobs_specs *s)
{
	while (s->n)
		free(s->v[--s->n]);
}

static int load_add(struct jobs_specs *s, struct jobs_spec *spec, char *err)
{
	if (s->n == JOBS_LOAD_MAX) {
		free(spec);
		snprintf(err, JOBS_LOAD_ERR_MAX, "frameworks: there are more than %d; name fewer.",
			 JOBS_LOAD_MAX);
		return -EINVAL;
	}
	s->v[s->n++] = spec;
	return 0;
}

static int load_spec(const char *path, struct jobs_spec **ret, char *err)
{
	_cleanup_free_ char *text = malloc(JOBS_SPEC_BYTES_MAX + 1);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char why[JOBS_SPEC_ERR_MAX];
	size_t n;
	int r;

	if (!text)
		return -ENOMEM;
	if (!f) {
		r = -errno;
		snprintf(err, JOBS_LOAD_ERR_MAX, "Cannot read %.300s: %s.", path, strerror(-r));
		return r;
	}
	n = fread(text, 1, JOBS_SPEC_BYTES_MAX + 1, f);
	if (ferror(f) || n > JOBS_SPEC_BYTES_MAX) {
		snprintf(err, JOBS_LOAD_ERR_MAX, "Cannot read %.300s: %s.", path,
			 ferror(f) ? "it is not a readable file" : "it is too long");
		return ferror(f) ? -EIO : -EINVAL;
	}
	r = jobs_spec_parse(text, n, ret, why);
	if (r)
		snprintf(err, JOBS_LOAD_ERR_MAX, "%.200s: %s.", path, why);
	return r;
}

static int load_named(struct jobs_specs *s, const char *path, char *err)
{
	struct jobs_spec *spec;
	int r = load_spec(path, &spec, err);

	return r ?: load_add(s, spec, err);
}

static int load_leave_out(struct jobs_specs *s, const char *why)
{
	if (s->n_left_out < JOBS_LOAD_LEFT_MAX)
		snprintf(s->left_out[s->n_left_out], JOBS_LOAD_ERR_MAX, "%s", why);
	s->n_left_out++;
	return 0;
}

static int load_parts(struct jobs_specs *s, struct jobs_spec *spec, char *err)
{
	struct jobs_spec *part;
	int r = load_add(s, spec, err);

	while (!r) {
		r = jobs_spec_split(spec, &part);
		if (r || !part)
			break;
		r = load_add(s, part, err);
	}
	return r;
}

/* Leaves out frameworks as jobs_load() says. */
static int load_found(struct jobs_specs *s, const char *path, char *err)
{
	struct jobs_spec *spec;
	int r = load_spec(path, &spec, err);

	if (!r && jobs_spec_is_private(spec)) {
		free(spec);
		return 0;
	}
	if (!r && s->is_auto && jobs_spec_has_returns(spec)) {
		free(spec);
		snprintf(err, JOBS_LOAD_ERR_MAX,
			 "%.200s needs probes on returns, and has no end with the job \"called\".", path);
		return load_leave_out(s, err);
	}
	if (!r)
		r = s->is_auto ? load_parts(s, spec, err) : load_add(s, spec, err);
	if (!r || r == -ENOMEM || (r == -EINVAL && !s->is_auto))
		return r;
	return load_leave_out(s, err);
}

static bool load_is_spec(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && *name != '.' && !strcmp(name + n - 5, ".json");
}

static int load_filter(const struct dirent *e)
{
	return load_is_spec(e->d_name);
}

/* before: a second directory, whose files replace files of the same name in dir; NULL: none */
static int load_dir(struct jobs_specs *s, const char *dir, const char *before, char *err)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, load_filter, alphasort), r = 0;

	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", before ?: "", list[i]->d_name);
		if (!r && !(before && !access(path, F_OK))) {
			snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name);
			r = load_found(s, path, err);
		}
		free(list[i]);
	}
	free(list);
	return r;
}

static int load_name(struct jobs_specs *s, const char *name, char *err)
{
	static const char *const dirs[] = { JOBS_LOAD_ETC, JOBS_LOAD_USR };
	struct jobs_spec *own;
	char path[PATH_MAX];

	if (strchr(name, '/')) {
		if (load_is_spec(name))
			return load_named(s, name, err);
		own = *name == '/' ? jobs_spec_own(name) : NULL;
		if (own)
			return load_add(s, own, err);
		snprintf(err, JOBS_LOAD_ERR_MAX,
			 "frameworks: \"%.200s\" must be a whole path, beginning with a '/'.", name);
		return -EINVAL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s.json", dirs[i], name);
		if (!access(path, F_OK))
			return load_named(s, path, err);
	}
	snprintf(
		err, JOBS_LOAD_ERR_MAX,
		"frameworks: there is no \"%.80s\" in %s or %s; describe it there, or give the whole path of its description.",
		name, JOBS_LOAD_ETC, JOBS_LOAD_USR);
	return -EINVAL;
}

int jobs_load(const char *list, struct jobs_specs *ret, char err[JOBS_LOAD_ERR_MAX])
{
	_cleanup_free_ char *copy = strdup(list);
	struct jobs_specs s = { .is_auto = !strcmp(list, "auto") };
	char *save = NULL;
	int r = 0;

	snprintf(err, JOBS_LOAD_ERR_MAX, "Out of memory.");
	if (!copy)
		return -ENOMEM;
	if (s.is_auto || !strcmp(list, "yes")) {
		r = load_dir(&s, JOBS_LOAD_ETC, NULL, err);
		if (!r)
			r = load_dir(&s, JOBS_LOAD_USR, JOBS_LOAD_ETC, err);
	} else if (strcmp(list, "no")) {
		for (char *t = strtok_r(copy, ", ", &save); t && !r; t = strtok_r(NULL, ", ", &save))
			r = load_name(&s, t, err);
	}
	if (r)
		jobs_load_done(&s);
	else
		*ret = s;
	return r;
}

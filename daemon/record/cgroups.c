// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/record/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ctrace/abi.h"
#include "daemon/record/cgroups_container.h"
#include "daemon/thresholds.h"
#include "lib/cgroup.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/vec.h"

#define PATH_ROOM 4096

struct cgroups {
	struct cgroups_options opt;
	char root[PATH_ROOM]; /* the mount point of cgroup2; "": there is none */
	struct map known;
	struct map fresh;
	uint64_t walk_ns;
	_Atomic uint64_t took_ns;
	atomic_bool walking;
	_Atomic uint64_t named, unnamed;
};

struct walk {
	const struct map *wanted;
	const char *containers;
	uint64_t now_ns;
	char path[PATH_ROOM];
	size_t n_dirs, n_found;
	VEC(uint64_t) out;
	bool failed;
};

/* Keeps only the end of a long path: ".../b/c". */
static size_t short_path(const char *path, char buf[CT_OBJ_NAME_MAX + 1])
{
	size_t n = strlen(path);
	const char *from;

	if (n <= CT_OBJ_NAME_MAX)
		return (size_t)snprintf(buf, CT_OBJ_NAME_MAX + 1, "%s", path);
	from = strchr(path + n - (CT_OBJ_NAME_MAX - 3), '/');
	return (size_t)snprintf(buf, CT_OBJ_NAME_MAX + 1, "...%s", from ? from : "");
}

static void put_object(struct walk *w, uint64_t id, uint64_t ino, uint64_t peer, const char *name, size_t n)
{
	struct ct_object_blob b = { .h = { .ts = w->now_ns, .kind = CT_OBJECT },
				    .id = id,
				    .ino = ino,
				    .peer = peer,
				    .name_len = (uint16_t)n };
	size_t words;

	b.h.size = (uint16_t)(sizeof(b) + ((n + 7) & ~7u));
	words = b.h.size / 8;
	if (VEC_RESERVE(&w->out, w->out.n + words)) {
		w->failed = true;
		return;
	}
	memset(w->out.v + w->out.n, 0, b.h.size);
	memcpy(w->out.v + w->out.n, &b, sizeof(b));
	memcpy((char *)(w->out.v + w->out.n) + sizeof(b), name, n);
	w->out.n += words;
}

static void walk_found(struct walk *w, uint64_t ino)
{
	const char *path = w->path[0] ? w->path : "/";
	char id[CGROUP_ID_LEN + 1], name[CGROUP_NAME_MAX], text[CT_OBJ_NAME_MAX + 1];
	uint64_t container = 0;

	if (cgroup_container_id(path, id) && cgroups_container(w->containers, id, name)) {
		container = CT_OBJ_CONTAINER_ID(ino);
		put_object(w, container, ino, 0, name, strlen(name));
	}
	put_object(w, CT_OBJ_ID(CT_OBJ_CGROUP, ino), ino, container, text, short_path(path, text));
	w->n_found++;
}

static bool walk_done(const struct walk *w)
{
	return w->failed || w->n_found == w->wanted->n || w->n_dirs >= CGROUPS_WALK_MAX;
}

/* Closes fd. */
static void walk_dir(struct walk *w, int fd, unsigned depth)
{
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	size_t len = strlen(w->path);
	struct dirent *e;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	w->n_dirs++;
	while (!walk_done(w) && (e = readdir(dir))) {
		if (e->d_type != DT_DIR || !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    len + 1 + strlen(e->d_name) >= PATH_ROOM)
			continue;
		snprintf(w->path + len, PATH_ROOM - len, "/%s", e->d_name);
		if (map_get(w->wanted, e->d_ino, NULL))
			walk_found(w, e->d_ino);
		if (depth < CGROUPS_DEPTH_MAX)
			walk_dir(w,
				 openat(dirfd(dir), e->d_name,
					O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
				 depth + 1);
		w->path[len] = 0;
	}
	closedir(dir);
}

int cgroups_find(const char *root, const char *containers, const struct map *wanted, uint64_t now_ns,
		 void **ret, size_t *ret_size, size_t *ret_n)
{
	struct walk *w = calloc(1, sizeof(*w));
	struct stat st;
	int fd, r = 0;

	if (!w)
		return -ENOMEM;
	*w = (struct walk){ .wanted = wanted, .containers = containers, .now_ns = now_ns };
	fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		r = -errno;
	} else if (map_get(wanted, st.st_ino, NULL)) {
		walk_found(w, st.st_ino);
	}
	walk_dir(w, fd, 0);
	if (w->failed)
		r = -ENOMEM;
	*ret_size = r ? 0 : w->out.n * sizeof(*w->out.v);
	*ret = *ret_size ? TAKE_PTR(w->out.v) : NULL;
	*ret_n = r ? 0 : w->n_found;
	VEC_FREE(&w->out);
	free(w);
	return r;
}

/* A line of mountinfo: "36 35 0:31 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw" */
static void find_root(char root[PATH_ROOM])
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/mountinfo", "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	char where[PATH_ROOM];

	root[0] = 0;
	while (f && getline(&line, &cap, f) > 0)
		if (strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %*s %4095s", where) == 1) {
			strcpy(root, where);
			return;
		}
}

struct cgroups *cgroups_new(const struct cgroups_options *opt)
{
	struct cgroups *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->opt = *opt;
	find_root(c->root);
	return c;
}

void cgroups_free(struct cgroups *c)
{
	if (!c)
		return;
	map_done(&c->known);
	map_done(&c->fresh);
	free(c);
}

void cgroups_seen(struct cgroups *c, uint64_t id)
{
	if (!c->root[0] || !id || map_get(&c->known, id, NULL) || c->fresh.n >= CGROUPS_NEW_MAX)
		return;
	if (c->known.n >= CGROUPS_KNOWN_MAX)
		map_done(&c->known);
	/* If memory is short, the id is tried again at the control group's next task. */
	if (!map_set(&c->fresh, id, 0))
		map_set(&c->known, id, 0);
}

struct cgroups_walk {
	struct cgroups *c;
	struct map wanted;
};

static void walk_drop(void *arg)
{
	struct cgroups_walk *w = arg;

	atomic_store(&w->c->walking, false);
	map_done(&w->wanted);
	free(w);
}

static void walk_run(void *arg)
{
	struct cgroups_walk *w = arg;
	struct cgroups *c = w->c;
	uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	void *data = NULL;
	size_t size = 0, n = 0;

	if (!cgroups_find(c->root, "/", &w->wanted, clock_boot_ns(), &data, &size, &n) && data)
		c->opt.found(c->opt.arg, data, size);
	c->took_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
	c->named += n;
	c->unnamed += w->wanted.n - n;
	walk_drop(w);
}

struct cgroups_stats cgroups_stats(const struct cgroups *c)
{
	return (struct cgroups_stats){ .named = c->named, .unnamed = c->unnamed };
}

void cgroups_round(struct cgroups *c, uint64_t now_ns)
{
	struct cgroups_walk *w;
	struct worker_job job = { .run = walk_run, .drop = walk_drop };

	if (!c->fresh.n || atomic_load(&c->walking) ||
	    now_ns < c->walk_ns + MAX(CGROUPS_WALK_NS, CGROUPS_WALK_SHARE * c->took_ns))
		return;
	w = job.arg = malloc(sizeof(*w));
	if (!w)
		return;
	*w = (struct cgroups_walk){ .c = c, .wanted = c->fresh };
	atomic_store(&c->walking, true);
	c->walk_ns = now_ns;
	if (worker_post(c->opt.worker, &job)) {
		atomic_store(&c->walking, false);
		free(w);
		return;
	}
	c->fresh = (struct map){ 0 };
}

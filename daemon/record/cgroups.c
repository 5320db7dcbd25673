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
#include "procfs/procmachine.h"

#define PATH_ROOM 4096

typedef VEC(uint32_t) tid_vec;

struct cgroups {
	struct cgroups_options opt;
	char root[PATH_ROOM]; /* the mount point of cgroup2; "": there is none */
	struct map known;
	struct map fresh;
	struct map limits; /* key: tid; value: when its limits were last asked for */
	tid_vec limited;
	uint64_t walk_ns;
	_Atomic uint64_t took_ns;
	atomic_bool walking;
	_Atomic uint64_t named, unnamed;
};

struct objects {
	uint64_t now_ns;
	VEC(uint64_t) out;
	bool failed;
};

struct walk {
	const struct map *wanted;
	const char *containers;
	char path[PATH_ROOM];
	size_t n_dirs, n_found;
	struct objects objects;
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

/* b: the fields of the object, all but the header and the name */
static void put_object(struct objects *to, struct ct_object_blob b, const char *name, size_t n)
{
	size_t words;

	b.h = (struct ct_blob){ .ts = to->now_ns, .kind = CT_OBJECT, .tid = b.h.tid };
	b.name_len = (uint16_t)n;
	b.h.size = (uint16_t)(sizeof(b) + ((n + 7) & ~7u));
	words = b.h.size / 8;
	if (VEC_RESERVE(&to->out, to->out.n + words)) {
		to->failed = true;
		return;
	}
	memset(to->out.v + to->out.n, 0, b.h.size);
	memcpy(to->out.v + to->out.n, &b, sizeof(b));
	memcpy((char *)(to->out.v + to->out.n) + sizeof(b), name, n);
	to->out.n += words;
}

/* Hands over the objects. Returns 0 or -ENOMEM. */
static int objects_end(struct objects *o, void **ret, size_t *ret_size)
{
	*ret_size = o->failed ? 0 : o->out.n * sizeof(*o->out.v);
	*ret = *ret_size ? TAKE_PTR(o->out.v) : NULL;
	VEC_FREE(&o->out);
	return o->failed ? -ENOMEM : 0;
}

static void walk_found(struct walk *w, uint64_t ino)
{
	const char *path = w->path[0] ? w->path : "/";
	char id[CGROUP_ID_LEN + 1], name[CGROUP_NAME_MAX], text[CT_OBJ_NAME_MAX + 1];
	uint64_t container = 0;

	if (cgroup_container_id(path, id) && cgroups_container(w->containers, id, name)) {
		container = CT_OBJ_CONTAINER_ID(ino);
		put_object(&w->objects, (struct ct_object_blob){ .id = container, .ino = ino }, name,
			   strlen(name));
	}
	put_object(
		&w->objects,
		(struct ct_object_blob){ .id = CT_OBJ_ID(CT_OBJ_CGROUP, ino), .ino = ino, .peer = container },
		text, short_path(path, text));
	w->n_found++;
}

static bool walk_done(const struct walk *w)
{
	return w->objects.failed || w->n_found == w->wanted->n || w->n_dirs >= CGROUPS_WALK_MAX;
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
	*w = (struct walk){ .wanted = wanted, .containers = containers, .objects.now_ns = now_ns };
	fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		r = -errno;
	} else if (map_get(wanted, st.st_ino, NULL)) {
		walk_found(w, st.st_ino);
	}
	walk_dir(w, fd, 0);
	w->objects.failed = w->objects.failed || r;
	if (objects_end(&w->objects, ret, ret_size) && !r)
		r = -ENOMEM;
	*ret_n = r ? 0 : w->n_found;
	free(w);
	return r;
}

static void put_limit(struct objects *to, uint64_t id, uint32_t tid, const struct procmachine_limit *l)
{
	char text[CT_OBJ_NAME_MAX + 1];
	struct ct_object_blob b = { .h.tid = tid, .id = id, .x = l->amount, .dev = l->period_us };

	if (l->group[0])
		put_object(to, b, text, short_path(l->group, text));
}

int cgroups_limits(const char *root, const uint32_t *tids, size_t n, uint64_t now_ns, void **ret,
		   size_t *ret_size)
{
	_cleanup_free_ struct procmachine_task *t = malloc(sizeof(*t));
	struct objects o = { .now_ns = now_ns, .failed = !t };

	for (size_t i = 0; t && i < n; i++) {
		procmachine_task(root, (pid_t)tids[i], t);
		put_limit(&o, CT_OBJ_QUOTA_ID(tids[i]), tids[i], &t->quota);
		put_limit(&o, CT_OBJ_MEMORY_ID(tids[i]), tids[i], &t->memory);
	}
	return objects_end(&o, ret, ret_size);
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
	map_done(&c->limits);
	VEC_FREE(&c->limited);
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

void cgroups_limited(struct cgroups *c, uint32_t tid, uint64_t now_ns)
{
	uint64_t asked_ns;

	if (c->limited.n >= CGROUPS_LIMITED_MAX ||
	    (map_get(&c->limits, tid, &asked_ns) && now_ns < asked_ns + CGROUPS_LIMITS_NS))
		return;
	if (c->limits.n >= CGROUPS_NEW_MAX)
		map_done(&c->limits);
	if (!VEC_PUSH(&c->limited, tid))
		(void)map_set(&c->limits, tid, now_ns);
}

struct cgroups_walk {
	struct cgroups *c;
	struct map wanted;
	tid_vec limited;
};

static void walk_drop(void *arg)
{
	struct cgroups_walk *w = arg;

	atomic_store(&w->c->walking, false);
	map_done(&w->wanted);
	VEC_FREE(&w->limited);
	free(w);
}

static void walk_run(void *arg)
{
	struct cgroups_walk *w = arg;
	struct cgroups *c = w->c;
	uint64_t began_ns;
	void *data = NULL;
	size_t size = 0, n = 0;

	if (w->limited.n && !cgroups_limits("", w->limited.v, w->limited.n, clock_boot_ns(), &data, &size) &&
	    data)
		c->opt.found(c->opt.arg, data, size);
	began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (w->wanted.n) {
		if (!cgroups_find(c->root, "/", &w->wanted, clock_boot_ns(), &data, &size, &n) && data)
			c->opt.found(c->opt.arg, data, size);
		c->took_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
	}
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

	if ((!c->fresh.n && !c->limited.n) || atomic_load(&c->walking) ||
	    now_ns < c->walk_ns + MAX(CGROUPS_WALK_NS, CGROUPS_WALK_SHARE * c->took_ns))
		return;
	w = job.arg = malloc(sizeof(*w));
	if (!w)
		return;
	*w = (struct cgroups_walk){ .c = c, .wanted = c->fresh, .limited = c->limited };
	atomic_store(&c->walking, true);
	c->walk_ns = now_ns;
	if (worker_post(c->opt.worker, &job)) {
		atomic_store(&c->walking, false);
		free(w);
		return;
	}
	c->fresh = (struct map){ 0 };
	c->limited = (tid_vec){ 0 };
}

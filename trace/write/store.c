// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/write/store.h"

#include <errno.h>
#include <libgen.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/syncdir.h"
#include "trace/thresholds.h"

struct store_item {
	struct store_item *next;
	struct format_segment h;
	bool save;
	bool missed;
	uint64_t missed_from_ns, missed_records;
	size_t n;
	uint8_t bytes[] __attribute__((aligned(8)));
};

struct store {
	const struct ringfile_options *opt;
	struct ringfile ringfile; /* for the writing thread; fd changes only under `lock` */
	uint64_t again_ns;
	bool background;
	pthread_t writer, syncer;
	/* One sync at a time: a sync without work must not return while another one runs. */
	pthread_mutex_t syncing;

	pthread_mutex_t lock; /* protects all members below */
	pthread_cond_t more, less, sync;
	bool stop, dirty;
	struct store_item *first, **last;
	/* segments and copies that entered the queue, and those that left it */
	uint64_t taken, done;
	uint64_t saved_records; /* records of the last copy of the open segment; part of stats.records */
	bool missed;
	uint64_t missed_from_ns, missed_records;
	uint64_t unsure_since_ns; /* stats.storage.since_ns at the last failed sync */
	/* trouble_ns: the time of the last error. write_ns, sync_ns: when the present write or sync
	 * began; 0 if there is none. */
	uint64_t trouble_ns, write_ns, sync_ns;
	struct store_stats stats;
};

/* The functions from here to store_publish(), and also store_written() and store_end(), need the lock.
 * In store_open(), no other thread runs yet. */
static void store_bad(struct store *s, enum writer_trouble trouble, int error)
{
	struct writer_storage *t = &s->stats.storage;

	s->trouble_ns = clock_boot_ns();
	if (t->trouble == WRITER_FINE)
		t->since_ns = s->trouble_ns;
	t->trouble = trouble;
	t->error = error;
}

/* The trouble is over after STORE_CALM_NS without an error: errors that come and go are one
 * trouble. */
static void store_good(struct store *s, enum writer_trouble trouble)
{
	struct writer_storage *t = &s->stats.storage;

	if (t->trouble == trouble && clock_boot_ns() >= s->trouble_ns + STORE_CALM_NS)
		t->trouble = WRITER_FINE;
}

/* The kernel reports a failed sync only once. A later sync may succeed although records are not on
 * the disk. */
static void store_unsure(struct store *s)
{
	struct writer_storage *t = &s->stats.storage;

	t->failed_syncs++;
	if (s->unsure_since_ns != t->since_ns) {
		s->unsure_since_ns = t->since_ns;
		t->unsure_from_ns = t->synced_ns ? t->synced_ns : s->stats.oldest_ns;
	}
	t->unsure_to_ns = s->stats.newest_ns;
}

static void store_lost(struct store *s, uint64_t from_ns, uint64_t n_records)
{
	struct writer_storage *t = &s->stats.storage;

	t->lost_segments++;
	t->lost_records += n_records;
	t->untold_ns = t->untold_ns ? MIN(t->untold_ns, from_ns) : from_ns;
	t->untold_records += n_records;
}

/* A segment was written, and its header mentions n_records lost records. Subtracts these from the untold
 * records (writer_storage.h). Records that are still untold were lost after the end of this segment. */
static void store_told(struct store *s, const struct store_item *item, uint64_t n_records)
{
	struct writer_storage *t = &s->stats.storage;

	t->untold_records -= MIN(t->untold_records, n_records);
	if (t->untold_ns && t->untold_ns < item->h.end_ns)
		t->untold_ns = t->untold_records ? item->h.end_ns : 0;
}

static void store_publish(struct store *s)
{
	s->stats.newest_seq = s->ringfile.next_seq - 1;
	s->stats.has_saves = s->ringfile.has_saves;
	s->stats.newest_ns = s->ringfile.newest_ns;
	if (s->ringfile.fd < 0)
		s->stats.storage.synced_ns = 0;
	s->stats.oldest_ns = ringfile_oldest_ns(&s->ringfile);
}

static int store_make_directory(const char *path)
{
	_cleanup_free_ char *copy = strdup(path);
	const char *dir = copy ? dirname(copy) : NULL;

	if (!dir)
		return -ENOMEM;
	if (!mkdir(dir, 0750))
		return syncdir_of(dir);
	return errno == EEXIST ? 0 : -errno;
}

/* The trace file was removed or replaced: creates a new one. Closes the old file first, because a
 * removed file takes disk space while it is open. Returns -ENOENT if the last failed try was less
 * than STORE_AGAIN_NS ago. */
static int store_begin_anew(struct store *s)
{
	uint64_t now_ns = clock_boot_ns();
	char err[FILE_INDEX_ERR_MAX];
	struct ringfile ringfile, old;
	int ret;

	if (now_ns < s->again_ns)
		return -ENOENT;
	s->again_ns = now_ns + STORE_AGAIN_NS;
	pthread_mutex_lock(&s->lock);
	old = s->ringfile;
	s->ringfile = (struct ringfile){ .fd = -1, .unwritten = old.unwritten };
	pthread_mutex_unlock(&s->lock);
	ringfile_done(&old);
	ret = store_make_directory(s->opt->path);
	if (!ret)
		ret = ringfile_open(&ringfile, s->opt, err);
	if (ret)
		return ret;
	ringfile.unwritten = s->ringfile.unwritten;
	pthread_mutex_lock(&s->lock);
	s->ringfile = ringfile;
	s->stats.storage.begun_anew++;
	pthread_mutex_unlock(&s->lock);
	s->again_ns = 0;
	return 0;
}

static int store_look(struct store *s)
{
	int ret = ringfile_look(&s->ringfile, s->opt);

	if (ret == RINGFILE_GONE)
		return store_begin_anew(s);
	if (ret == RINGFILE_REPAIRED) {
		pthread_mutex_lock(&s->lock);
		s->stats.storage.repaired++;
		pthread_mutex_unlock(&s->lock);
	}
	return MIN(ret, 0);
}

static void store_written(struct store *s, const struct store_item *item)
{
	store_good(s, WRITER_FILE);
	store_good(s, WRITER_WRITE);
	s->dirty = true;
	s->stats.records += item->h.n_records - MIN(s->saved_records, (uint64_t)item->h.n_records);
	s->saved_records = item->h.n_records;
}

static void store_end(struct store *s, const struct store_item *item, int error, uint64_t n_records)
{
	s->saved_records = 0;
	if (error) {
		store_lost(s, item->h.begin_ns, item->h.n_records);
		return;
	}
	store_told(s, item, n_records);
	s->stats.segments++;
	s->stats.file_bytes += (uint64_t)item->h.n_slots * s->ringfile.slot_bytes;
}

static int store_write(struct store *s, struct store_item *item)
{
	uint64_t n_records = item->h.n_records;
	enum writer_trouble trouble = WRITER_FILE;
	uint64_t tells;
	int ret;

	if (item->missed)
		ringfile_unwritten(&s->ringfile, item->missed_from_ns, item->missed_records);
	tells = s->ringfile.unwritten.n_records;
	ret = store_look(s);
	if (!ret) {
		trouble = WRITER_WRITE;
		ret = item->save ? ringfile_save(&s->ringfile, &item->h, item->bytes, item->n)
				 : ringfile_write(&s->ringfile, &item->h, item->bytes, item->n);
	} else if (!item->save) {
		ringfile_unwritten(&s->ringfile, item->h.begin_ns, n_records);
	}
	pthread_mutex_lock(&s->lock);
	if (ret)
		store_bad(s, trouble, ret);
	else
		store_written(s, item);
	if (!item->save)
		store_end(s, item, ret, tells);
	store_publish(s);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/* Raises the priority of the thread that writes: if the daemon is killed, the segments that still
 * wait for this thread are lost. */
static void store_hurry(void)
{
	(void)setpriority(PRIO_PROCESS, 0, -15);
}

static void *store_writer(void *arg)
{
	struct store *s = arg;

	pthread_setname_np(pthread_self(), "ctraced-store");
	store_hurry();
	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct store_item *item;

		while (!s->first && !s->stop)
			pthread_cond_wait(&s->more, &s->lock);
		item = s->first;
		if (!item)
			break;
		s->write_ns = clock_boot_ns();
		pthread_mutex_unlock(&s->lock);
		store_write(s, item);
		pthread_mutex_lock(&s->lock);
		s->write_ns = 0;
		s->first = item->next;
		if (!s->first)
			s->last = &s->first;
		s->stats.storage.queued_bytes -= item->n;
		s->done++;
		pthread_cond_broadcast(&s->less);
		free(item);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int store_sync(struct store *s)
{
	_cleanup_close_ int fd = -1;
	uint64_t upto_ns;
	int ret = 0;

	pthread_mutex_lock(&s->syncing);
	pthread_mutex_lock(&s->lock);
	upto_ns = s->stats.newest_ns;
	if (s->dirty && s->ringfile.fd >= 0) {
		s->dirty = false;
		fd = dup(s->ringfile.fd);
		ret = fd < 0 ? -errno : 0;
		s->sync_ns = clock_boot_ns();
	}
	pthread_mutex_unlock(&s->lock);
	if (fd >= 0 && fdatasync(fd))
		ret = -errno;
	pthread_mutex_lock(&s->lock);
	s->sync_ns = 0;
	if (ret) {
		s->dirty = true;
		store_bad(s, WRITER_SYNC, ret);
		store_unsure(s);
	} else {
		store_good(s, WRITER_SYNC);
		s->stats.storage.synced_ns = upto_ns;
	}
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&s->syncing);
	return ret;
}

static struct timespec in_ns(uint64_t ns)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	ns += (uint64_t)t.tv_nsec;
	t.tv_sec += (time_t)(ns / NSEC_PER_SEC);
	t.tv_nsec = (long)(ns % NSEC_PER_SEC);
	return t;
}

static void *store_syncer(void *arg)
{
	struct store *s = arg;
	bool stop = false;

	pthread_setname_np(pthread_self(), "ctraced-sync");
	while (!stop) {
		struct timespec until = in_ns(STORE_SYNC_NS);

		pthread_mutex_lock(&s->lock);
		while (!s->stop && !pthread_cond_clockwait(&s->sync, &s->lock, CLOCK_MONOTONIC, &until))
			;
		stop = s->stop;
		pthread_mutex_unlock(&s->lock);
		store_sync(s);
	}
	return NULL;
}

static int store_start(struct store *s)
{
	int ret = -pthread_create(&s->writer, NULL, store_writer, s);

	if (ret)
		return ret;
	ret = -pthread_create(&s->syncer, NULL, store_syncer, s);
	s->background = true;
	if (!ret)
		return 0;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->writer, NULL);
	s->background = false;
	return ret;
}

int store_open(const struct ringfile_options *opt, bool background, struct store **ret_s,
	       char err[FILE_INDEX_ERR_MAX])
{
	struct store *s = calloc(1, sizeof(*s));
	int ret;

	if (!s) {
		snprintf(err, FILE_INDEX_ERR_MAX, "cannot open %.120s: out of memory", opt->path);
		return -ENOMEM;
	}
	s->opt = opt;
	s->last = &s->first;
	pthread_mutex_init(&s->syncing, NULL);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->more, NULL);
	pthread_cond_init(&s->less, NULL);
	pthread_cond_init(&s->sync, NULL);
	ret = ringfile_open(&s->ringfile, opt, err);
	if (!ret) {
		store_publish(s);
		ret = background ? store_start(s) : 0;
		if (ret)
			snprintf(err, FILE_INDEX_ERR_MAX, "cannot start a thread: %s", strerror(-ret));
	}
	if (ret)
		store_free(s);
	else
		*ret_s = s;
	return ret;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->more);
	pthread_cond_signal(&s->sync);
	pthread_mutex_unlock(&s->lock);
	if (s->background) {
		pthread_join(s->writer, NULL);
		pthread_join(s->syncer, NULL);
		store_sync(s);
	}
	ringfile_done(&s->ringfile);
	pthread_cond_destroy(&s->more);
	pthread_cond_destroy(&s->less);
	pthread_cond_destroy(&s->sync);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->syncing);
	free(s);
}

static struct store_item *item_new(const struct format_segment *h, const uint8_t *bytes, size_t n)
{
	struct store_item *item =
		malloc(sizeof(*item) + (n + RINGFILE_ALIGN - 1) / RINGFILE_ALIGN * RINGFILE_ALIGN);

	if (!item)
		return NULL;
	*item = (struct store_item){ .h = *h, .n = n };
	memcpy(item->bytes, bytes, n);
	return item;
}

void store_miss(struct store *s, uint64_t from_ns, uint64_t n_records)
{
	pthread_mutex_lock(&s->lock);
	if (!s->missed)
		s->missed_from_ns = from_ns;
	s->missed_records += n_records;
	s->missed = true;
	store_lost(s, from_ns, n_records);
	pthread_mutex_unlock(&s->lock);
}

static void store_tell(struct store *s, struct store_item *item)
{
	item->missed = s->missed;
	item->missed_from_ns = s->missed_from_ns;
	item->missed_records = s->missed_records;
	s->missed = false;
	s->missed_records = 0;
}

static int store_queue(struct store *s, struct store_item *item)
{
	int ret = 0;

	pthread_mutex_lock(&s->lock);
	if (s->first && s->stats.storage.queued_bytes + item->n > STORE_QUEUE_BYTES) {
		ret = -ENOBUFS;
	} else {
		store_tell(s, item);
		*s->last = item;
		s->last = &item->next;
		s->stats.storage.queued_bytes += item->n;
		s->taken++;
		pthread_cond_signal(&s->more);
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

int store_put(struct store *s, const struct format_segment *h, const uint8_t *bytes, size_t n)
{
	struct store_item *item = item_new(h, bytes, n);
	int ret;

	if (item && !s->background) {
		store_tell(s, item);
		ret = store_write(s, item);
		free(item);
		return ret;
	}
	ret = item ? store_queue(s, item) : -ENOMEM;
	if (ret) {
		free(item);
		store_miss(s, h->begin_ns, h->n_records);
	}
	return ret;
}

int store_save(struct store *s, const struct format_segment *h, const uint8_t *bytes, size_t n)
{
	struct store_item *item = item_new(h, bytes, n);
	bool waits;
	int ret;

	if (!item)
		return -ENOMEM;
	item->save = true;
	pthread_mutex_lock(&s->lock);
	waits = s->first;
	pthread_mutex_unlock(&s->lock);
	ret = !s->background ? store_write(s, item) : waits ? -EAGAIN : store_queue(s, item);
	if (ret || !s->background)
		free(item);
	return ret;
}

bool store_flush(struct store *s, uint64_t timeout_ns)
{
	struct timespec until = in_ns(timeout_ns);
	uint64_t taken;
	bool done;

	pthread_mutex_lock(&s->lock);
	taken = s->taken;
	while (s->done < taken && !pthread_cond_clockwait(&s->less, &s->lock, CLOCK_MONOTONIC, &until))
		;
	done = s->done >= taken;
	pthread_mutex_unlock(&s->lock);
	return done;
}

struct store_stats store_stats(struct store *s)
{
	struct store_stats st;

	pthread_mutex_lock(&s->lock);
	st = s->stats;
	st.storage.busy_ns =
		s->write_ns && s->sync_ns ? MIN(s->write_ns, s->sync_ns) : s->write_ns + s->sync_ns;
	pthread_mutex_unlock(&s->lock);
	return st;
}

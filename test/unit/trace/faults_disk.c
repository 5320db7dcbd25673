// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/unit/trace/faults_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/vec.h"

#define SECTOR 512u

struct faults faults;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct write {
	uint64_t at;
	size_t n;
	uint8_t *bytes;
};

static struct {
	ino_t ino;
	uint8_t *synced;
	size_t size;
	VEC(struct write) writes;
} watched;

static uint64_t draw(void)
{
	faults.rng ^= faults.rng >> 12;
	faults.rng ^= faults.rng << 25;
	faults.rng ^= faults.rng >> 27;
	return faults.rng * 0x2545f4914f6cdd1dULL;
}

static bool fails(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	bool bad;

	while (atomic_load(&faults.frozen))
		nanosleep(&pause, NULL);
	pthread_mutex_lock(&lock);
	faults.calls++;
	bad = faults.calls == faults.nth || (faults.rate && (draw() >> 20) % 1000000 < faults.rate);
	faults.failed += bad;
	pthread_mutex_unlock(&lock);
	if (bad)
		errno = faults.error;
	return bad;
}

static bool is_watched(int fd)
{
	struct stat st;

	return watched.ino && !fstat(fd, &st) && st.st_ino == watched.ino;
}

static void note_sync(void)
{
	for (size_t i = 0; i < watched.writes.n; i++) {
		struct write *w = &watched.writes.v[i];

		memcpy(watched.synced + w->at, w->bytes, w->n);
		free(w->bytes);
	}
	watched.writes.n = 0;
}

static ssize_t do_pwrite(int fd, const void *buf, size_t n, off_t at)
{
	bool bad = fails();
	int error = errno;
	ssize_t put;

	if (bad && !(draw() & 1))
		return -1;
	if (bad)
		n = draw() % n;
	put = syscall(SYS_pwrite64, fd, buf, n, at);
	if (put > 0 && is_watched(fd)) {
		struct write w = { .at = (uint64_t)at, .n = (size_t)put, .bytes = malloc((size_t)put) };

		if (!w.bytes || w.at + w.n > watched.size)
			abort();
		memcpy(w.bytes, buf, w.n);
		if (VEC_PUSH(&watched.writes, w))
			abort();
	}
	errno = error;
	return bad ? -1 : put;
}

static int do_sync(int fd)
{
	if (fails())
		return -1;
	if (is_watched(fd))
		note_sync();
	return 0;
}

/* If off_t has 64 bits, headers may rename pwrite to pwrite64. Then the definitions below are
 * renamed too. */
ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	return do_pwrite(fd, buf, n, at);
}

int fdatasync(int fd)
{
	return do_sync(fd);
}

int fsync(int fd)
{
	return do_sync(fd);
}

int ftruncate(int fd, off_t size)
{
	return fails() ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int posix_fallocate(int fd, off_t at, off_t n)
{
	if (fails())
		return errno;
	return syscall(SYS_fallocate, fd, 0, at, n) ? errno : 0;
}

void faults_watch(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	faults_unwatch();
	if (fd < 0 || fstat(fd, &st))
		abort();
	watched.size = (size_t)st.st_size;
	watched.synced = malloc(watched.size);
	if (!watched.synced || pread(fd, watched.synced, watched.size, 0) != st.st_size)
		abort();
	watched.ino = st.st_ino;
}

void faults_unwatch(void)
{
	for (size_t i = 0; i < watched.writes.n; i++)
		free(watched.writes.v[i].bytes);
	VEC_FREE(&watched.writes);
	free(TAKE_PTR(watched.synced));
	watched.ino = 0;
}

bool faults_dirty(uint64_t at, uint64_t n)
{
	for (size_t i = 0; i < watched.writes.n; i++)
		if (watched.writes.v[i].at < at + n && at < watched.writes.v[i].at + watched.writes.v[i].n)
			return true;
	return false;
}

/* After a power cut, a sector has none, all, or the first few of the writes since the last sync. */
static void cut_sector(uint8_t *out, uint64_t at)
{
	uint64_t upto = draw() % 4 ? (draw() & 1 ? watched.writes.n : 0) : draw() % (watched.writes.n + 1);

	for (size_t i = 0; i < upto; i++) {
		const struct write *w = &watched.writes.v[i];
		uint64_t a = MAX(at, w->at), b = MIN(at + SECTOR, w->at + w->n);

		if (a < b)
			memcpy(out + a, w->bytes + (a - w->at), b - a);
	}
}

void faults_power_cut(const char *path)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	_cleanup_free_ uint8_t *out = malloc(watched.size);
	_cleanup_free_ uint8_t *dirty = calloc(1, watched.size / SECTOR + 1);

	if (fd < 0 || !out || !dirty)
		abort();
	memcpy(out, watched.synced, watched.size);
	for (size_t i = 0; i < watched.writes.n; i++)
		for (uint64_t s = watched.writes.v[i].at / SECTOR;
		     s * SECTOR < watched.writes.v[i].at + watched.writes.v[i].n; s++)
			dirty[s] = 1;
	for (uint64_t s = 0; s < watched.size / SECTOR; s++)
		if (dirty[s])
			cut_sector(out, s * SECTOR);
	if (syscall(SYS_pwrite64, fd, out, watched.size, 0) != (long)watched.size)
		abort();
}

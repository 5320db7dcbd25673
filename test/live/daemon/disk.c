// SPDX-License-Identifier: GPL-2.0-or-later
/* disk - a library to preload, which makes disk calls fail or wait. CTRACE_DISK in the environment
 * names a file with a struct control. The test may change the file at any time. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

struct control {
	/* pwrite64(), fdatasync() and posix_fallocate64() fail with this errno; 0: they do not fail. */
	int32_t write_error, sync_error, room_error;
	int32_t write_ms, sync_ms;     /* pwrite64() and fdatasync() wait for this time first */
	uint32_t writes, syncs, rooms; /* how often each function was called */
	/* If not 0, pwrite64() and fdatasync() fail, wait and are counted only for the trace. For other
	 * files, these two do their normal work. posix_fallocate64() ignores this member. */
	int32_t trace_only;
};

static struct control none, *control = &none;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("CTRACE_DISK");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *p = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(none), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		abort();
	control = p;
	close(fd);
}

static int behave(uint32_t *count, int32_t ms, int32_t error)
{
	const struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	if (ms)
		nanosleep(&pause, NULL);
	return error;
}

static int is_trace(int fd)
{
	char link[32], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = 0;
	return strstr(path, "/ctrace.ctr") != NULL;
}

static void *next(const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	if (!p)
		abort();
	return p;
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
	ssize_t (*real)(int, const void *, size_t, off64_t) = next("pwrite64");

	if (control->trace_only && !is_trace(fd))
		return real(fd, buf, n, at);
	errno = behave(&control->writes, control->write_ms, control->write_error);
	return errno ? -1 : real(fd, buf, n, at);
}

int fdatasync(int fd)
{
	int (*real)(int) = next("fdatasync");

	if (control->trace_only && !is_trace(fd))
		return real(fd);
	errno = behave(&control->syncs, control->sync_ms, control->sync_error);
	return errno ? -1 : real(fd);
}

int posix_fallocate64(int fd, off64_t at, off64_t n)
{
	int (*real)(int, off64_t, off64_t) = next("posix_fallocate64");
	int error = behave(&control->rooms, 0, control->room_error);

	return error ? error : real(fd, at, n);
}

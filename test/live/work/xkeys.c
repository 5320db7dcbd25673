// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xkeys.c - a client of an X server. At the end, it prints "key=NAME TAKEN FLUSHED" for each key press:
 * when it took the event, and when the last send of the update was over; 0: there was no update. Both are
 * ns of the monotonic clock. What a key does depends on its code:
 *
 * - draw: draws at once
 * - slow: runs for 50 ms, and then draws
 * - worker: hands the work to another thread, which works for 20 ms and then draws
 * - later: hands the work to another thread, and this one hands it back: the first thread draws
 * - none: does nothing
 *
 * Another thread draws every 17 ms, and so does the first thread every 23 ms by a timeout of its poll().
 * No key causes these updates.
 *
 * Xlib is loaded at run time, so that the build needs no headers of X11.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

typedef struct _XDisplay Display;
typedef unsigned long XID;
typedef union {
	int type;
	struct {
		int type;
		unsigned long serial;
		int send_event;
		Display *display;
		XID window, root, subwindow, time;
		int x, y, x_root, y_root;
		unsigned state, keycode;
	} key;
	long pad[24];
} XEvent;

#define KEY_PRESS        2
#define EXPOSE           12
#define KEY_PRESS_MASK   1
#define EXPOSURE_MASK    (1L << 15)
#define DECOY_THREAD_MS  17
#define DECOY_TIMEOUT_MS 23
#define SLOW_MS          50
#define WORK_MS          20

enum act { ACT_DRAW, ACT_SLOW, ACT_WORKER, ACT_LATER, ACT_NONE, ACTS };
static const char *const act_names[ACTS] = { "draw", "slow", "worker", "later", "none" };

static struct {
	Display *(*XOpenDisplay)(const char *);
	int (*XInitThreads)(void);
	void (*XLockDisplay)(Display *), (*XUnlockDisplay)(Display *);
	XID (*XDefaultRootWindow)(Display *);
	XID(*XCreateSimpleWindow)
	(Display *, XID, int, int, unsigned, unsigned, unsigned, unsigned long, unsigned long);
	int (*XSelectInput)(Display *, XID, long), (*XMapRaised)(Display *, XID), (*XFlush)(Display *);
	int (*XSetInputFocus)(Display *, XID, int, XID);
	int (*XSync)(Display *, int), (*XPending)(Display *), (*XNextEvent)(Display *, XEvent *);
	int (*XClearArea)(Display *, XID, int, int, unsigned, unsigned, int), (*XConnectionNumber)(Display *);
	unsigned char (*XKeysymToKeycode)(Display *, unsigned long);
} x;

static const struct {
	const char *name;
	void *to;
} functions[] = {
#define F(name)                                                                                              \
	{                                                                                                    \
#name, &x.name                                                                               \
	}
	F(XOpenDisplay),
	F(XInitThreads),
	F(XLockDisplay),
	F(XUnlockDisplay),
	F(XDefaultRootWindow),
	F(XCreateSimpleWindow),
	F(XSelectInput),
	F(XMapRaised),
	F(XFlush),
	F(XSetInputFocus),
	F(XSync),
	F(XPending),
	F(XNextEvent),
	F(XClearArea),
	F(XConnectionNumber),
	F(XKeysymToKeycode),
};

static Display *d;
static XID window;
static int to_worker, from_worker, done;
static enum act asked;
static uint64_t asked_ns;

#define LINES_MAX 1024
static struct line {
	enum act act;
	uint64_t taken, flushed;
} lines[LINES_MAX];
static unsigned n_lines;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void run_ms(unsigned ms)
{
	uint64_t end = now() + ms * 1000000ull;

	while (now() < end)
		;
}

static uint64_t draw(int column)
{
	x.XLockDisplay(d);
	x.XClearArea(d, window, column, 0, 8, 8, 0);
	x.XFlush(d);
	x.XUnlockDisplay(d);
	return now();
}

/* Keeps the line for later: a write would wake the test, and then the test would work for the key. */
static void report(enum act act, uint64_t taken, uint64_t flushed)
{
	unsigned i = __atomic_fetch_add(&n_lines, 1, __ATOMIC_RELAXED);

	if (i >= LINES_MAX)
		abort();
	lines[i] = (struct line){ act, taken, flushed };
}

static void *worker(void *arg)
{
	uint64_t v;

	while (read(to_worker, &v, sizeof(v)) == sizeof(v)) {
		run_ms(WORK_MS);
		if (asked == ACT_WORKER)
			report(ACT_WORKER, asked_ns, draw(16));
		else if (write(from_worker, &v, sizeof(v)) != sizeof(v))
			abort();
	}
	return arg;
}

static void *decoy(void *arg)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		usleep(DECOY_THREAD_MS * 1000);
		draw(32);
	}
	return arg;
}

static void key(enum act act)
{
	uint64_t one = 1, taken = now();

	if (act == ACT_SLOW)
		run_ms(SLOW_MS);
	if (act == ACT_DRAW || act == ACT_SLOW) {
		report(act, taken, draw(0));
	} else if (act == ACT_NONE) {
		report(act, taken, 0);
	} else {
		asked = act;
		asked_ns = taken;
		if (write(to_worker, &one, sizeof(one)) != sizeof(one))
			abort();
	}
}

static void take(const unsigned char codes[ACTS])
{
	XEvent e;

	x.XNextEvent(d, &e);
	for (int i = 0; e.type == KEY_PRESS && i < ACTS; i++)
		if (codes[i] == e.key.keycode)
			key((enum act)i);
}

static void loop(const unsigned char codes[ACTS])
{
	struct pollfd fds[] = { { x.XConnectionNumber(d), POLLIN, 0 },
				{ from_worker, POLLIN, 0 },
				{ 0, POLLIN, 0 } };
	uint64_t v;

	for (;;) {
		while (x.XPending(d))
			take(codes);
		if (!poll(fds, 3, DECOY_TIMEOUT_MS))
			draw(48);
		if (fds[1].revents && read(from_worker, &v, sizeof(v)) == sizeof(v))
			report(ACT_LATER, asked_ns, draw(24));
		if (fds[2].revents)
			return; /* the test closes the standard input */
	}
}

static void open_window(void)
{
	XEvent e;

	window = x.XCreateSimpleWindow(d, x.XDefaultRootWindow(d), 0, 0, 64, 64, 0, 0, 0xffffff);
	x.XSelectInput(d, window, KEY_PRESS_MASK | EXPOSURE_MASK);
	x.XMapRaised(d, window);
	do
		x.XNextEvent(d, &e);
	while (e.type != EXPOSE);
	x.XSetInputFocus(d, window, 1, 0);
	x.XSync(d, 0);
}

int main(void)
{
	static const unsigned long keysyms[ACTS] = { 'd', 's', 'w', 'l', 'n' };
	void *lib = dlopen("libX11.so.6", RTLD_NOW);
	unsigned char codes[ACTS];
	pthread_t t[2];

	for (size_t i = 0; lib && i < sizeof(functions) / sizeof(functions[0]); i++)
		*(void **)functions[i].to = dlsym(lib, functions[i].name);
	if (!lib || !x.XInitThreads() || !(d = x.XOpenDisplay(NULL))) {
		fprintf(stderr, "xkeys: no Xlib, or no display\n");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	to_worker = eventfd(0, 0);
	from_worker = eventfd(0, 0);
	open_window();
	for (int i = 0; i < ACTS; i++)
		codes[i] = x.XKeysymToKeycode(d, keysyms[i]);
	pthread_create(&t[0], NULL, worker, NULL);
	pthread_create(&t[1], NULL, decoy, NULL);
	printf("ready\n");
	loop(codes);
	__atomic_store_n(&done, 1, __ATOMIC_RELAXED);
	pthread_join(t[1], NULL);
	for (unsigned i = 0; i < n_lines; i++)
		printf("key=%s %llu %llu\n", act_names[lines[i].act], (unsigned long long)lines[i].taken,
		       (unsigned long long)lines[i].flushed);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Half of the jobs go to a thread pool of GLib, half to the main loop. Before each half, an extra
 * job gives the daemon one second to put a probe at pooled() or idle(). The program also calls pooled()
 * by itself once, which is no job. */
#include "job.h"

#include <dlfcn.h>

#define POOLED (JOBS / 2)

static struct job first, direct;
static void *loop;
static int (*pool_push)(void *pool, void *data, void *error);
static unsigned (*idle_add)(int (*fn)(void *), void *data);
static void (*loop_quit)(void *loop);

static void pooled(void *data, void *user)
{
	job_do(data);
}

static int idle(void *data)
{
	job_do(data);
	if (data == &jobs[JOBS - 1])
		loop_quit(loop);
	return 0;
}

static void *symbol(void *lib, const char *name)
{
	void *p = dlsym(lib, name);

	if (!p)
		skip("this GLib lacks a function");
	return p;
}

static void poster(void)
{
	idle_add(idle, &first);
	nap_ms(1000);
	for (unsigned i = POOLED; i < JOBS; i++) {
		job_pause(i);
		job_prepare(&jobs[i], i);
		idle_add(idle, &jobs[i]);
	}
}

int main(void)
{
	void *lib = dlopen("libglib-2.0.so.0", RTLD_NOW), *pool;
	void (*volatile call)(void *, void *) = pooled; /* not inlined */
	pthread_t t;

	if (!lib)
		skip("there is no GLib here");
	pool_push = symbol(lib, "g_thread_pool_push");
	idle_add = symbol(lib, "g_idle_add");
	loop_quit = symbol(lib, "g_main_loop_quit");
	pool = ((void *(*)(void (*)(void *, void *), void *, int, int, void *))symbol(
		lib, "g_thread_pool_new"))(pooled, NULL, 3, 0, NULL);
	pool_push(pool, &first, NULL);
	nap_ms(1000);
	printf("direct=%p\n", (void *)&direct);
	call(&direct, NULL);
	for (unsigned i = 0; i < POOLED; i++) {
		job_pause(i);
		job_prepare(&jobs[i], i);
		pool_push(pool, &jobs[i], NULL);
	}
	((void (*)(void *, int, int))symbol(lib, "g_thread_pool_free"))(pool, 0, 1);
	loop = ((void *(*)(void *, int))symbol(lib, "g_main_loop_new"))(NULL, 0);
	t = thread(poster);
	((void (*)(void *))symbol(lib, "g_main_loop_run"))(loop);
	pthread_join(t, NULL);
	return job_tell();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An extra job, which is not printed, gives the daemon one second to put a probe at do_it(). */
#include "job.h"

#include <dlfcn.h>

#define REQUEST_BYTES 256 /* at least the size of a uv_work_t */

typedef void (*work_fn)(void *request);
typedef void (*after_fn)(void *request, int status);

static char requests[JOBS + 1][REQUEST_BYTES] __attribute__((aligned(64)));

static void do_it(void *request)
{
	size_t i = ((char *)request - requests[0]) / REQUEST_BYTES;

	if (i < JOBS)
		job_do(&jobs[i]);
}

static void *symbol(void *lib, const char *name)
{
	void *p = dlsym(lib, name);

	if (!p)
		skip("this libuv lacks a function");
	return p;
}

int main(void)
{
	void *lib = dlopen("libuv.so.1", RTLD_NOW), *loop;
	int (*queue_work)(void *, void *, work_fn, after_fn);
	int (*run)(void *, int);

	if (!lib)
		skip("there is no libuv here");
	queue_work = symbol(lib, "uv_queue_work");
	run = symbol(lib, "uv_run");
	loop = ((void *(*)(void))symbol(lib, "uv_default_loop"))();
	if (((size_t(*)(int))symbol(lib, "uv_req_size"))(7 /* UV_WORK */) > REQUEST_BYTES)
		skip("this libuv has larger requests");
	queue_work(loop, requests[JOBS], do_it, NULL);
	nap_ms(1000);
	for (unsigned i = 0; i < JOBS; i++) {
		job_pause(i);
		job_prepare(&jobs[i], i);
		CHECK(queue_work(loop, requests[i], do_it, NULL));
	}
	run(loop, 0);
	for (size_t i = 0; i < JOBS; i++)
		say("job=0x%lx %d %d\n", (unsigned long)requests[i] + 0x58, jobs[i].by, jobs[i].done_by);
	return 0;
}

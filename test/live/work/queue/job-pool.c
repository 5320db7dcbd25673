/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job.h"

#include "../../../../share/ctrace-jobs.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static unsigned head, tail;

static void worker(void)
{
	for (;;) {
		struct job *j;

		pthread_mutex_lock(&lock);
		while (head == tail && head < JOBS)
			pthread_cond_wait(&more, &lock);
		j = head < JOBS ? &jobs[head++] : NULL;
		pthread_mutex_unlock(&lock);
		if (!j)
			return;
		ctrace_job_start(&lock, j);
		job_do(j);
		ctrace_job_end(&lock, j);
		if (head == JOBS)
			pthread_cond_broadcast(&more);
	}
}

int main(void)
{
	pthread_t t[3];

	for (size_t i = 0; i < 3; i++)
		t[i] = thread(worker);
	for (unsigned i = 0; i < JOBS; i++) {
		job_pause(i);
		job_prepare(&jobs[i], i);
		ctrace_job_enqueue(&lock, &jobs[i]);
		pthread_mutex_lock(&lock);
		tail++;
		pthread_mutex_unlock(&lock);
		pthread_cond_signal(&more);
	}
	for (size_t i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return job_tell();
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/incident/incident.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "ctrace/fields.h"
#include "daemon/incident/incident_private.h"
#include "daemon/capture/snapshot_request.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/incidents.h"
#include "trace/words/describe.h"

#define SAY_SECONDS_MAX 120

struct incidents {
	struct incidents_options opt;
	struct drain *drain;
	struct incident_store store;
	struct incident_times hang_times, crash_times, exception_times;
	struct incident *open;
	char boot_id[INCIDENT_BOOT_LEN + 1];
	sd_event_source *io, *timer;
	int fd; /* eventfd: readable when a hang was noted */
	unsigned limited;
	uint64_t said_ns; /* boot time of the last message about a hang without a snapshot */
	struct incidents_stats stats;

	pthread_mutex_t lock; /* protects the members below */
	struct detect_hang noted[INCIDENTS_NOTED_MAX];
	unsigned n_noted;
	uint64_t refused;
};

void incidents_note(void *arg, const struct detect_hang *hang)
{
	struct incidents *is = arg;

	pthread_mutex_lock(&is->lock);
	if (is->n_noted < INCIDENTS_NOTED_MAX)
		is->noted[is->n_noted++] = *hang;
	else
		is->refused++;
	pthread_mutex_unlock(&is->lock);
	eventfd_write(is->fd, 1);
}

static void incident_free(struct incident *in)
{
	if (!in)
		return;
	json_decref(in->told);
	json_decref(in->diagnosis);
	free(in->page);
	free(in);
}

static void incident_lacks(struct incident *in, const char *what, int error)
{
	bool full = error == -ENOSPC || error == -EDQUOT;

	snprintf(in->why, sizeof(in->why), "There is no %s: %s%s.", what, strerror(-error),
		 full ? "; free some space, or set hangs-size lower" : "");
}

/* The functions from here on run on the worker's thread. The main thread calls note_drop() too. When
 * the daemon ends, the main thread also calls cut_run(), write_run() and page_run(). */

struct incident_note {
	struct incident_store *store;
	char name[INCIDENT_NAME_MAX];
	char *text;
};

static void note_drop(void *arg)
{
	struct incident_note *n = arg;

	free(n->text);
	free(n);
}

/* An error is ignored: the note is written again later, and that write reports its error. */
static void note_run(void *arg)
{
	struct incident_note *n = arg;

	(void)incident_store_sidecar(n->store, n->name, n->text);
	note_drop(n);
}

static int write_doc(struct incident *in, bool pending)
{
	_cleanup_free_ char *text = incident_doc(in, pending);

	return text ? incident_store_sidecar(&in->owner->store, in->name, text) : -ENOMEM;
}

static int cut_file(struct incident *in, struct snapshot_request *ret)
{
	struct incidents *is = in->owner;
	const struct snapshot_request_source src = { .probe = is->opt.probe,
						     .drain = is->drain,
						     .trace = is->opt.trace };
	_cleanup_close_ int fd = incident_store_create(&is->store, in->name);
	char err[SNAPSHOT_REQUEST_ERR_MAX];
	int r, r2;

	if (fd < 0) {
		incident_lacks(in, "snapshot", fd);
		return fd;
	}
	r = snapshot_request_take(&src, in->from_ns, in->to_ns ? in->to_ns : UINT64_MAX, fd, ret, err);
	r2 = incident_store_commit(&is->store, in->name, fd, !r);
	if (r)
		snprintf(in->why, sizeof(in->why), "There is no snapshot: %s", err);
	else if (r2)
		incident_lacks(in, "snapshot", r2);
	return r ? r : r2;
}

static void trim_except(struct incident *in, const char *const *names, size_t n)
{
	in->trimmed = !incident_store_trim(&in->owner->store, names, n,
					   clock_boot_ns() + (uint64_t)clock_offsets_now().boot_to_real_ns,
					   &in->use);
}

static void cut_run(void *arg)
{
	struct incident *in = arg;
	const char *name = in->name;
	struct snapshot_request res;
	int r = cut_file(in, &res);

	if (!r) {
		in->has_snapshot = true;
		in->from_ns = res.from_ns;
		in->to_ns = res.to_ns;
		in->bytes = res.bytes;
	}
	write_doc(in, !r);
	trim_except(in, &name, 1);
}

/* The page is that of a hang, and explains no crash. */
static bool wants_page(const struct incident *in)
{
	return in->owner->opt.view && in->diagnosis && !ct_hang_is_crash(in->hangs[0].rule);
}

/* The files of this hang may have been removed to make room. */
static bool was_removed(const struct incident *in)
{
	return in->has_snapshot && access(in->path, F_OK);
}

static void say_unwritten(const struct incident *in, int error)
{
	incident_say_plain(LOG_ERR, "Cannot write %s/%s.json: %s.", in->owner->store.dir, in->name,
			   strerror(-error));
}

/* The diagnosis is written before a page is asked for, so that no page can cost the diagnosis. */
static void write_run(void *arg)
{
	struct incident *in = arg;
	int r;

	if (was_removed(in))
		return;
	/* An earlier run of the daemon may have written a page, and ended before the note that names it. */
	incident_store_drop_page(&in->owner->store, in->name);
	r = write_doc(in, wants_page(in));
	if (r)
		say_unwritten(in, r);
}

static void write_page(struct incident *in)
{
	int r = in->page ? incident_store_page(&in->owner->store, in->name, in->page, in->page_bytes) : 0;

	if (r)
		incident_lacks(in, "page", r);
	in->has_page = in->page && !r;
	if (!in->has_page) /* see write_run() */
		incident_store_drop_page(&in->owner->store, in->name);
}

/* Without the page there may be room for the note. */
static int write_doc_alone(struct incident *in, int error)
{
	incident_store_drop_page(&in->owner->store, in->name);
	in->has_page = false;
	incident_lacks(in, "page", error);
	return write_doc(in, false);
}

/* A page must not cost the snapshot of a hang that waits for its diagnosis. */
static void trim_for_page(struct incident *in)
{
	const char *names[INCIDENTS_OPEN_MAX];

	for (size_t i = 0; i < in->n_stay; i++)
		names[i] = in->stay[i];
	trim_except(in, names, in->n_stay);
}

static void page_run(void *arg)
{
	struct incident *in = arg;
	int r;

	if (was_removed(in))
		return;
	write_page(in);
	r = write_doc(in, false);
	if (r && in->has_page)
		r = write_doc_alone(in, r);
	if (in->has_page)
		trim_for_page(in);
	if (r)
		say_unwritten(in, r);
}

/* The functions from here on run on the main thread. */

static void incidents_step(struct incidents *is);

static void incident_advance(void *arg)
{
	struct incident *in = arg;
	struct incidents_stats *st = &in->owner->stats;

	if (in->trimmed) {
		st->bytes = in->use.bytes;
		st->kept = in->use.kept;
		st->removed += in->use.removed;
		in->trimmed = false;
	}
	if (in->state == INCIDENT_CUTS) {
		st->taken += in->has_snapshot;
		st->failed += !in->has_snapshot;
		in->state = in->has_snapshot ? INCIDENT_CUT : INCIDENT_ANSWERED;
	} else if (in->state == INCIDENT_WRITES) {
		incident_say(in);
		in->state = wants_page(in) ? INCIDENT_DIAGNOSED : INCIDENT_DONE;
	} else {
		incident_say_page(in);
		in->state = INCIDENT_DONE;
	}
	incidents_step(in->owner);
}

/* The worker ended before it ran the job: incidents_finish() does the work. */
static void incident_drop(void *arg)
{
}

static int incident_post(struct incident *in, enum incident_state state, void (*run)(void *))
{
	const struct worker_job job = {
		.run = run, .done = incident_advance, .drop = incident_drop, .arg = in
	};
	enum incident_state before = in->state;
	int r;

	in->state = state; /* set before the worker gets the job */
	r = worker_post(in->owner->opt.worker, &job);
	if (r) {
		in->state = before;
		in->due_ns = clock_boot_ns() + INCIDENTS_RETRY_NS;
	}
	return r;
}

static void incident_answer(void *arg, json_t *answer, const char *why)
{
	struct incident *in = arg;

	in->diagnosis = incident_doc_diagnosis(answer);
	if (!in->diagnosis)
		snprintf(in->why, sizeof(in->why), "There is no diagnosis: %.300s.",
			 why ? why : "the answer was not valid");
	in->state = INCIDENT_ANSWERED;
	incidents_step(in->owner);
}

/* Takes the page if it is about the same diagnosis. Returns why not, or NULL. */
static const char *incident_take_page(struct incident *in, json_t *answer)
{
	json_t *diagnosis = incident_doc_diagnosis(answer);
	bool same = diagnosis &&
		    json_equal(json_object_get(diagnosis, "text"), json_object_get(in->diagnosis, "text"));
	int r;

	json_decref(diagnosis);
	if (!same)
		return "with the data for a page, the diagnosis was another one";
	r = diagnoser_take_page(in->owner->opt.diagnoser, &in->page, &in->page_bytes);
	return !r ? NULL : r == -ENOMEM ? "out of memory" : "the page was not valid";
}

static void incident_drawn(void *arg, json_t *answer, const char *why)
{
	struct incident *in = arg;

	if (answer)
		why = incident_take_page(in, answer);
	if (why)
		snprintf(in->why, sizeof(in->why),
			 "There is no page: %.300s. 'ctrace view' makes one of the snapshot.", why);
	in->state = INCIDENT_DRAWN;
	incidents_step(in->owner);
}

/* Asks for the diagnosis or, if it is there, for the page. */
static void incident_ask(struct incident *in)
{
	struct incidents *is = in->owner;
	const struct detect_hang *h = &in->hangs[0];
	bool page = in->state == INCIDENT_DIAGNOSED;
	struct diagnoser_question q = {
		.since_ns = h->since_ns, .found_ns = h->found_ns, .tid = h->tid, .rule = h->rule
	};
	_cleanup_close_ int fd = incident_store_snapshot(&is->store, in->name);
	int r = fd;

	if (page)
		q.page_bytes = INCIDENTS_PAGE_BYTES;
	snprintf(q.trace, sizeof(q.trace), "%s.ctr", in->name);
	if (fd >= 0)
		r = diagnoser_ask(is->opt.diagnoser, fd, &q, page ? incident_drawn : incident_answer, in);
	if (r == -EBUSY) /* incidents_step() tries again after the answer to the open question */
		return;
	if (r < 0)
		in->state = page ? INCIDENT_DRAWN : INCIDENT_ANSWERED;
	else
		in->state = page ? INCIDENT_DRAWS : INCIDENT_ASKS;
	if (r == -ESRCH)
		snprintf(in->why, sizeof(in->why),
			 "There is no %s: the process that diagnoses hangs has ended; restart ctraced.",
			 page ? "page" : "diagnosis");
	else if (r < 0)
		incident_lacks(in, page ? "page" : "diagnosis", r);
}

/* A page takes a while, and one question is answered at a time. */
static bool incidents_wait_for_diagnosis(const struct incidents *is)
{
	for (const struct incident *in = is->open; in; in = in->next)
		if (in->state == INCIDENT_CUTS || in->state == INCIDENT_CUT)
			return true;
	return false;
}

/* Returns true if incidents that wait for a page hold up the slots of new incidents. */
static bool incidents_lack_slots(const struct incidents *is)
{
	unsigned n = 0;

	for (const struct incident *in = is->open; in; in = in->next)
		n += in->state < INCIDENT_DRAWN;
	return n > INCIDENTS_OPEN_MAX - INCIDENTS_SPARE;
}

static void incident_step_page(struct incident *in)
{
	if (incidents_lack_slots(in->owner)) {
		snprintf(
			in->why, sizeof(in->why),
			"There is no page: too many other hangs wait. 'ctrace view' makes one of the snapshot.");
		in->state = INCIDENT_DRAWN;
	} else if (!incidents_wait_for_diagnosis(in->owner)) {
		incident_ask(in);
	}
}

/* The worker must not read the list of open incidents. */
static void incident_copy_open(struct incident *in)
{
	in->n_stay = 0;
	for (const struct incident *o = in->owner->open; o && in->n_stay < INCIDENTS_OPEN_MAX; o = o->next)
		memcpy(in->stay[in->n_stay++], o->name, sizeof(o->name));
}

static void incident_step(struct incident *in, uint64_t now_ns)
{
	if (in->state == INCIDENT_COLLECTS && now_ns >= in->due_ns)
		incident_post(in, INCIDENT_CUTS, cut_run);
	if (in->state == INCIDENT_CUT && !in->owner->opt.diagnoser)
		in->state = INCIDENT_ANSWERED;
	if (in->state == INCIDENT_CUT)
		incident_ask(in);
	if (in->state == INCIDENT_DIAGNOSED)
		incident_step_page(in);
	if (in->state == INCIDENT_ANSWERED && now_ns >= in->due_ns)
		incident_post(in, INCIDENT_WRITES, write_run);
	if (in->state == INCIDENT_DRAWN && now_ns >= in->due_ns) {
		incident_copy_open(in);
		incident_post(in, INCIDENT_KEEPS, page_run);
	}
}

static void incidents_step(struct incidents *is)
{
	uint64_t now_ns = clock_boot_ns(), next_ns = UINT64_MAX;
	struct incident **p = &is->open;

	while (*p) {
		struct incident *in = *p;

		incident_step(in, now_ns);
		if (in->state == INCIDENT_COLLECTS || in->state == INCIDENT_ANSWERED ||
		    in->state == INCIDENT_DRAWN)
			next_ns = MIN(next_ns, in->due_ns);
		if (in->state == INCIDENT_DONE) {
			*p = in->next;
			incident_free(in);
		} else {
			p = &in->next;
		}
	}
	if (next_ns == UINT64_MAX)
		return;
	sd_event_source_set_time(is->timer, next_ns / NSEC_PER_USEC + 1);
	sd_event_source_set_enabled(is->timer, SD_EVENT_ONESHOT);
}

static int incidents_timer(sd_event_source *s, uint64_t usec, void *arg)
{
	incidents_step(arg);
	return 0;
}

/* With this note, the next daemon knows of the hang if this daemon ends before the snapshot. */
static void incident_first_note(struct incident *in)
{
	struct incident_note *n = calloc(1, sizeof(*n));
	const struct worker_job job = { .run = note_run, .drop = note_drop, .arg = n };

	if (!n)
		return;
	n->store = &in->owner->store;
	memcpy(n->name, in->name, sizeof(n->name));
	n->text = incident_doc(in, true);
	if (!n->text || worker_post(in->owner->opt.worker, &job))
		note_drop(n);
}

static void incident_set_path(struct incident *in)
{
	snprintf(in->path, sizeof(in->path), "%s/%s.ctr", in->owner->store.dir, in->name);
	snprintf(in->page_path, sizeof(in->page_path), "%s/%s.html", in->owner->store.dir, in->name);
}

/* A hang can be noticed long after it began, for example after a restart. So a hang counts as at
 * most INCIDENTS_SPAN_NS long. */
static uint64_t incident_from(const struct incidents *is, const struct detect_hang *h)
{
	uint64_t since_ns = h->since_ns;

	if (h->found_ns > since_ns + INCIDENTS_SPAN_NS)
		since_ns = h->found_ns - INCIDENTS_SPAN_NS;
	return since_ns > is->opt.before_ns ? since_ns - is->opt.before_ns : 0;
}

/* Returns true if an incident has this name. The note of an open incident may not be written yet,
 * so is->open is searched too. */
static bool incidents_has(const struct incidents *is, const char *name)
{
	for (const struct incident *in = is->open; in; in = in->next)
		if (!strcmp(in->name, name))
			return true;
	return incident_store_has(&is->store, name);
}

static struct incident *incident_open(struct incidents *is, const struct detect_hang *h)
{
	struct incident *in = calloc(1, sizeof(*in)), **end = &is->open;
	struct clock_offsets offsets = clock_offsets_now();

	if (!in)
		return NULL;
	in->owner = is;
	in->found_real_ns = h->found_ns + (uint64_t)offsets.boot_to_real_ns;
	in->due_ns = h->found_ns + is->opt.after_ns;
	in->from_ns = incident_from(is, h);
	in->limited = is->limited;
	memcpy(in->boot_id, is->boot_id, sizeof(in->boot_id));
	for (unsigned nth = 1; nth == 1 || incidents_has(is, in->name); nth++)
		incident_store_name(in->name, in->found_real_ns, h->comm, h->tid, nth);
	incident_set_path(in);
	while (*end)
		end = &(*end)->next;
	*end = in;
	return in;
}

static void incident_add(struct incident *in, const struct detect_hang *h)
{
	for (unsigned i = 0; i < in->n_hangs; i++)
		if (in->hangs[i].tid == h->tid && in->hangs[i].since_ns == h->since_ns)
			return; /* another rule has noticed the same hang */
	if (in->n_hangs == INCIDENT_HANGS_MAX) {
		in->hangs_refused++;
		return;
	}
	in->hangs[in->n_hangs++] = *h;
	in->from_ns = MIN(in->from_ns, incident_from(in->owner, h));
}

static unsigned incidents_count(const struct incidents *is)
{
	unsigned n = 0;

	for (const struct incident *in = is->open; in; in = in->next)
		n++;
	return n;
}

/* After each new incident, prints a message for the first hang without a snapshot, and then at most
 * one message a minute. */
static void incidents_limit(struct incidents *is, const struct detect_hang *h, uint64_t next_ns,
			    uint64_t now_ns)
{
	uint64_t wait_s = next_ns > now_ns ? (next_ns - now_ns) / NSEC_PER_SEC + 1 : 0;
	const char *what = ct_hang_is_crash(h->rule) ? "crashed" : "hangs";
	char comm[4 * CT_COMM_LEN];

	is->stats.limited++;
	is->limited++;
	if (is->said_ns && now_ns - is->said_ns < INCIDENTS_SAY_LIMITED_NS)
		return;
	is->said_ns = now_ns;
	describe_clean(h->comm, comm, sizeof(comm));
	if (wait_s)
		incident_say_plain(
			LOG_NOTICE,
			"%s[%u] %s too (rule %s), but gets no snapshot: snapshot-rate allows the next one in %" PRIu64
			" %s. 'ctrace snapshot' takes one now.",
			comm, h->tid, what, describe_hang(h->rule),
			wait_s < SAY_SECONDS_MAX ? wait_s : wait_s / 60,
			wait_s < SAY_SECONDS_MAX ? "s" : "min");
	else
		incident_say_plain(
			LOG_NOTICE,
			"%s[%u] %s too (rule %s), but gets no snapshot: %d are being made. 'ctrace snapshot' takes one now.",
			comm, h->tid, what, describe_hang(h->rule), INCIDENTS_OPEN_MAX);
}

/* Returns the real user id of the process. The effective user id is no help: for a set-user-ID
 * program, it is the owner of the program's file. The owner of /proc/PID is no help either: it is
 * root if the program cannot be dumped. */
static uint32_t incident_uid(uint32_t pid)
{
	uint32_t uid = INCIDENT_UID_UNKNOWN;
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Uid:\t%" SCNu32, &uid) == 1)
			break;
	return uid;
}

/* A program that crashes in a loop must not use up the snapshots of hangs, nor a script that fails in a loop
 * those of crashes. */
static struct incident_times *incidents_times(struct incidents *is, enum ct_hang rule)
{
	return rule == CT_HANG_CRASH       ? &is->crash_times
	       : rule == CT_HANG_EXCEPTION ? &is->exception_times
					   : &is->hang_times;
}

static void incidents_take(struct incidents *is, const struct detect_hang *h)
{
	uint64_t now_ns = clock_boot_ns(), next_ns = now_ns;
	struct incident_times *times = incidents_times(is, h->rule);
	struct incident *in = is->open;
	uint32_t uid;

	is->stats.noticed++;
	/* An incident answers one question: what hung, or what crashed. A crash often makes another task
	 * hang. */
	while (in && (in->state != INCIDENT_COLLECTS || in->begun ||
		      ct_hang_is_crash(in->hangs[0].rule) != ct_hang_is_crash(h->rule)))
		in = in->next;
	if (in) {
		incident_add(in, h);
		return;
	}
	uid = ct_hang_is_crash(h->rule) ? h->uid : incident_uid(h->tgid); /* a crashed process is gone */
	if (incidents_count(is) >= INCIDENTS_OPEN_MAX ||
	    !incident_rate_allows(&is->opt.rate, times, h->comm, uid, now_ns, &next_ns)) {
		incidents_limit(is, h, next_ns, now_ns);
		return;
	}
	in = incident_open(is, h);
	if (!in)
		return;
	in->uid = uid;
	incident_add(in, h);
	incident_times_add(times, h->comm, uid, now_ns);
	is->limited = 0;
	is->said_ns = 0;
	incident_first_note(in);
}

static int incidents_event(sd_event_source *s, int fd, uint32_t events, void *arg)
{
	struct detect_hang noted[INCIDENTS_NOTED_MAX];
	struct incidents *is = arg;
	eventfd_t count;
	unsigned n;

	eventfd_read(fd, &count);
	pthread_mutex_lock(&is->lock);
	n = is->n_noted;
	memcpy(noted, is->noted, n * sizeof(*noted));
	is->n_noted = 0;
	is->stats.refused = is->refused;
	pthread_mutex_unlock(&is->lock);
	for (unsigned i = 0; i < n; i++)
		incidents_take(is, &noted[i]);
	incidents_step(is);
	return 0;
}

static void read_boot_id(char id[INCIDENT_BOOT_LEN + 1])
{
	_cleanup_close_ int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, id, INCIDENT_BOOT_LEN);

	id[n > 0 ? n : 0] = 0;
}

/* The hangs of earlier runs of the daemon count for the limits on snapshots too. Otherwise a hang
 * that makes the daemon restart again and again could fill the disk. */
static void incidents_remember(struct incidents *is, json_t *list)
{
	int64_t now_ns = (int64_t)clock_boot_ns(), offset = clock_offsets_now().boot_to_real_ns;

	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *doc = json_array_get(list, i), *real = json_object_get(doc, "found_real_ns");
		const char *comm = json_string_value(json_object_get(json_object_get(doc, "victim"), "comm"));
		const char *word = json_string_value(json_object_get(doc, "rule")) ?: "";
		enum ct_hang rule = CT_HANG_LOOP;
		int64_t ns = json_integer_value(real) - offset;

		for (unsigned k = 0; k < CT_HANG_RULES; k++)
			if (!strcmp(word, describe_hang(k)))
				rule = (enum ct_hang)k;
		/* Leaves out hangs of an earlier boot, and hangs whose time is in the future
		 * because the clock was set back. */
		if (ns > 0 && ns <= now_ns)
			incident_times_add(incidents_times(is, rule), comm ? comm : "",
					   incident_store_doc_uid(doc), (uint64_t)ns);
	}
}

int incidents_new(sd_event *event, const struct incidents_options *opt, struct incidents **ret)
{
	struct incidents *is = calloc(1, sizeof(*is));
	int r;

	if (!is)
		return -ENOMEM;
	is->opt = *opt;
	is->store = (struct incident_store){ .size_bytes = opt->size_bytes };
	snprintf(is->store.dir, sizeof(is->store.dir), "%s/" INCIDENTS_DIR, opt->state_dir);
	read_boot_id(is->boot_id);
	pthread_mutex_init(&is->lock, NULL);
	is->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = is->fd < 0 ? -errno : incident_store_check(&is->store);
	if (r >= 0)
		r = sd_event_add_io(event, &is->io, is->fd, EPOLLIN, incidents_event, is);
	if (r >= 0)
		r = sd_event_add_time(event, &is->timer, CLOCK_BOOTTIME, 0, 0, incidents_timer, is);
	if (r >= 0)
		r = sd_event_source_set_enabled(is->timer, SD_EVENT_OFF);
	if (r >= 0 && opt->diagnoser)
		r = diagnoser_attach(opt->diagnoser, event);
	if (r < 0) {
		incidents_free(is);
		return r;
	}
	*ret = is;
	return 0;
}

static void incident_lost(struct incident *in)
{
	const struct detect_hang *h = &in->hangs[0];
	const char *trace = in->owner->opt.trace;

	if (ct_hang_is_crash(h->rule))
		snprintf(
			in->why, sizeof(in->why),
			"There is no snapshot: the machine went down before it was taken; try 'ctrace crashes --boot 1 %s'.",
			trace);
	else
		snprintf(
			in->why, sizeof(in->why),
			"There is no snapshot: the machine went down before it was taken; try 'ctrace diagnose --boot 1 --tid %u %s'.",
			h->tid, trace);
}

static void incidents_resume(struct incidents *is, json_t *doc)
{
	struct incident *in = malloc(sizeof(*in)), **end = &is->open;

	if (!in || incident_doc_read(doc, in)) {
		free(in);
		return;
	}
	in->owner = is;
	incident_set_path(in);
	/* the daemon may have ended between the snapshot and its note */
	in->has_snapshot |= !access(in->path, F_OK);
	if (in->diagnosis) {
		in->state = in->has_snapshot && wants_page(in) && is->opt.diagnoser ? INCIDENT_DIAGNOSED
										    : INCIDENT_DRAWN;
	} else if (in->has_snapshot) {
		in->state = INCIDENT_CUT;
	} else if (!strcmp(in->boot_id, is->boot_id)) {
		/* the snapshot gets the records that the circular trace still has */
		in->to_ns = in->hangs[0].found_ns + is->opt.after_ns;
	} else {
		in->state = INCIDENT_ANSWERED;
		incident_lost(in);
	}
	while (*end)
		end = &(*end)->next;
	*end = in;
}

void incidents_begin(struct incidents *is, struct drain *drain)
{
	json_t *list = NULL, *doc;
	size_t left_out, i;

	is->drain = drain;
	if (incidents_read(is->store.dir, 2 * INCIDENT_RATE_MAX, &list, &left_out))
		return; /* usually because there has been no hang yet */
	incidents_remember(is, list);
	json_array_foreach (list, i, doc)
		if (incidents_count(is) < INCIDENTS_OPEN_MAX)
			incidents_resume(is, doc);
	json_decref(list);
	incidents_step(is);
}

void incidents_finish(struct incidents *is)
{
	if (!is || !is->drain)
		return;
	for (struct incident *in = is->open; in; in = in->next) {
		if (in->state == INCIDENT_COLLECTS || in->state == INCIDENT_CUTS) {
			cut_run(in);
		} else if (in->state == INCIDENT_ANSWERED || in->state == INCIDENT_WRITES) {
			write_run(in);
			incident_say(in);
		} else if (in->state == INCIDENT_DRAWN || in->state == INCIDENT_KEEPS) {
			incident_copy_open(in);
			page_run(in);
			incident_say_page(in);
		}
	}
}

void incidents_free(struct incidents *is)
{
	struct incident *next;

	if (!is)
		return;
	for (struct incident *in = is->open; in; in = next) {
		next = in->next;
		incident_free(in);
	}
	sd_event_source_disable_unref(is->io);
	sd_event_source_disable_unref(is->timer);
	if (is->fd >= 0)
		close(is->fd);
	pthread_mutex_destroy(&is->lock);
	free(is);
}

struct incidents_stats incidents_stats(const struct incidents *is)
{
	return is->stats;
}

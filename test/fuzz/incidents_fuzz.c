// SPDX-License-Identifier: GPL-2.0-or-later
/* Gives hostile bytes to the reader of incident notes, or to the reader of answers of ctraced-why,
 * the process that diagnoses incidents. The first byte chooses the reader. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/hangs/hangs_caught.h"
#include "daemon/incident/incident.h"
#include "daemon/incident/incident_private.h"
#include "lib/cleanup.h"
#include "lib/incidents.h"

#define NAME "20260131T140312Z-comm-7"

static char root[] = "/dev/shm/incidents-fuzz-XXXXXX";
static struct incident_store store = { .size_bytes = 1 << 20 };

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void stop(void)
{
	struct incident_store_use use;

	store.size_bytes = 0;
	incident_store_trim(&store, NULL, 0, 0, &use);
	rmdir(store.dir);
	rmdir(root);
}

static void put(const char *suffix, const void *data, size_t n)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;

	must(asprintf(&path, "%s/" NAME "%s", store.dir, suffix) > 0);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	must(fd >= 0 && write(fd, data, n) == (ssize_t)n);
}

static void start(void)
{
	must(mkdtemp(root) != NULL);
	snprintf(store.dir, sizeof(store.dir), "%s/" INCIDENTS_DIR, root);
	must(!mkdir(store.dir, 0700));
	put(".ctr", "x", 1);
	atexit(stop);
}

static void check_text(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; p && *p; p++)
		must((*p >= 0x20 && *p != 0x7f) || *p == '\n');
}

static void check_json(const char *text)
{
	json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	must(o != NULL);
	json_decref(o);
}

static void check_told(const struct incident *in)
{
	_cleanup_free_ char *pending = incident_doc(in, true), *done = incident_doc(in, false);
	_cleanup_free_ char *line = incident_say_text(in);

	must(pending && done && line);
	check_json(pending);
	check_json(done);
	check_text(line);
}

static void show(bool json)
{
	FILE *out = stdout;
	char *text = NULL;
	size_t n;

	stdout = open_memstream(&text, &n);
	must(stdout != NULL);
	hangs_caught(root, "", json);
	fclose(stdout);
	stdout = out;
	if (json)
		check_json(text);
	else
		check_text(text);
	free(text);
}

static void note(const void *data, size_t n)
{
	static const char *const names[] = { NAME };
	struct incident_store_use use;
	struct incident in;
	json_t *list, *o;
	size_t left_out, i;

	put(".json", data, n);
	show(false);
	show(true);
	must(!incident_store_trim(&store, names, 1, 0, &use) && use.kept == 1);
	must(!incidents_read(store.dir, 10, &list, &left_out));
	json_array_foreach (list, i, o)
		if (!incident_doc_read(o, &in)) {
			must(in.n_hangs && in.n_hangs <= INCIDENT_HANGS_MAX);
			check_told(&in);
			json_decref(in.told);
			json_decref(in.diagnosis);
		}
	incidents_fit(list, 100);
	json_decref(list);
}

static void answer(const char *data, size_t n)
{
	struct incident in = { .name = NAME, .n_hangs = 1, .hangs = { { .tid = 7, .comm = "comm" } } };
	json_t *o = json_loadb(data, n, 0, NULL);

	in.diagnosis = incident_doc_diagnosis(o);
	check_told(&in);
	json_decref(in.diagnosis);
	json_decref(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (!n)
		return 0;
	if (!*store.dir)
		start();
	if (data[0] & 1)
		answer((const char *)data + 1, n - 1);
	else
		note(data + 1, n - 1);
	return 0;
}

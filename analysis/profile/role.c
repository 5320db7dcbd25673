// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/profile/role.h"

#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "analysis/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"
#include "trace/words/texts.h"

/* Replaces ids, counters and versions in s by '#', in place. Without `all`, keeps digits like those of
 * "cc1" and "x86". */
static void hide_numbers(char *s, bool all)
{
	const char *start = s;
	char *to = s;
	char before = '\0';

	while (*s) {
		size_t n = strspn(s, "0123456789");

		if (n && (all || n >= PROFILE_NUMBER_DIGITS || s == start || strchr("-_.:/", before))) {
			before = '#';
			*to++ = '#';
			s += n;
			continue;
		}
		n = MAX(n, (size_t)1);
		before = s[n - 1];
		memmove(to, s, n);
		to += n;
		s += n;
	}
	*to = '\0';
}

const char *role_task(const struct graph *g, uint32_t task, uint64_t ts_ns, char buf[ROLE_MAX])
{
	uint32_t leader = graph_task_at(g, g->tasks[task].tgid, ts_ns);
	char program[ROLE_MAX / 2], thread[ROLE_MAX / 2];

	describe_clean(graph_comm(g, leader == GRAPH_NONE ? task : leader, ts_ns), program, sizeof(program));
	describe_clean(graph_comm(g, task, ts_ns), thread, sizeof(thread));
	if (!texts_order(program, thread))
		thread[0] = '\0';
	hide_numbers(program, false);
	hide_numbers(thread, true);
	snprintf(buf, ROLE_MAX, thread[0] ? "%s/%s" : "%s%s", program, thread);
	return buf;
}

/* Returns true if the word of n letters and digits looks random, like the words that mkstemp() and
 * Python's tempfile make. Usual words do not look random: "readme", "README", "Readme2". */
static bool is_random(const char *s, size_t n)
{
	bool lower = false, upper_later = false, digit = false, letter_after_digit = false;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		lower = lower || islower(c);
		upper_later = upper_later || (i && isupper(c));
		letter_after_digit = letter_after_digit || (digit && isalpha(c));
		digit = digit || isdigit(c);
	}
	if (n == strlen("tmpXXXXXXXX") && !strncmp(s, "tmp", strlen("tmp")))
		return true;
	return n >= PROFILE_RANDOM_LETTERS && (letter_after_digit || (lower && upper_later));
}

static bool is_temporary(const char *path)
{
	static const char *const places[] = { "/tmp/", "/var/tmp/", "/dev/shm/", "/run/" };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (!strncmp(path, places[i], strlen(places[i])))
			return true;
	return false;
}

const char *role_path(const char *path, char *buf, size_t size)
{
	bool temporary = is_temporary(path);
	char clean[DESCRIBE_MAX];
	size_t at = 0;

	describe_clean(path, clean, sizeof(clean));
	for (const char *s = clean; *s && at + 1 < size;) {
		size_t n = 0;

		while (isalnum((unsigned char)s[n]))
			n++;
		if (n && temporary && is_random(s, n)) {
			buf[at++] = '*';
			s += n;
			continue;
		}
		n = MAX(n, (size_t)1);
		n = MIN(n, size - at - 1);
		memcpy(buf + at, s, n);
		at += n;
		s += n;
	}
	buf[at] = '\0';
	hide_numbers(buf, false);
	return buf;
}

/* Writes the port of the server. Writes "" if it is not clear which end is the server. A port of
 * PROFILE_CLIENT_PORT or more is that of a client, because the kernel chooses such ports for clients. */
static void put_port(const struct window_object *o, char *buf, size_t size)
{
	bool client = !o->lport || o->lport >= PROFILE_CLIENT_PORT;

	if (client && o->rport && o->rport < PROFILE_CLIENT_PORT)
		snprintf(buf, size, "to port %u", o->rport);
	else if (!client && (!o->rport || o->rport >= PROFILE_CLIENT_PORT))
		snprintf(buf, size, "at port %u", o->lport);
	else
		snprintf(buf, size, "%s", "");
}

static void put_socket(const struct graph *g, const struct window_object *o, char *buf, size_t size)
{
	const struct window_object *peer = o->peer ? graph_object(g, o->peer) : NULL;

	if (o->lport || o->rport)
		put_port(o, buf, size);
	else if (o->name[0] || (peer && peer->name[0]))
		role_path(o->name[0] ? o->name : peer->name, buf, size);
	else
		snprintf(buf, size, "%s", "");
}

const char *role_object(const struct graph *g, uint64_t obj, char *buf, size_t size, bool *ret_late)
{
	const struct window_object *o = obj ? graph_object(g, obj) : NULL;
	char *file;

	buf[0] = '\0';
	*ret_late = false;
	if (!o)
		return buf;
	switch ((unsigned)CT_OBJ_KIND(obj)) {
	case CT_OBJ_FUTEX:
		/* "symbol (file)": the symbol is enough */
		*ret_late = true;
		describe_clean(o->name, buf, size);
		file = strstr(buf, " (");
		if (file)
			*file = '\0';
		return buf;
	case CT_OBJ_DATA:
	case CT_OBJ_QUEUE:
		*ret_late = true;
		describe_clean(o->name, buf, size);
		return buf;
	case CT_OBJ_SOCK:
		put_socket(g, o, buf, size);
		return buf;
	case CT_OBJ_FILE:
	case CT_OBJ_DIR:
	case CT_OBJ_FIFO:
	case CT_OBJ_CHARDEV:
	case CT_OBJ_CGROUP:
		return role_path(o->name, buf, size);
	default:
		return buf;
	}
}

/* Skips "_init": an address in the stubs for calls into libraries (PLT) has this name too. */
const char *role_function(const struct graph *g, uint64_t stack, char buf[ROLE_MAX])
{
	const struct window_stack *s = stack ? window_stack(g->w, stack) : NULL;

	for (size_t i = 0; s && i < s->n_frames; i++) {
		const char *f = s->frames[i];
		size_t n = frame_function_len(f);

		if (frame_is_kernel(f) || frame_is_address(f) || frame_is_rest(f) || frame_is_libc(f) ||
		    strstr(f, "[vdso]") || frame_is_function(f, "_init"))
			continue;
		describe_clean(f, buf, MIN(n + 1, (size_t)ROLE_MAX));
		return buf;
	}
	buf[0] = '\0';
	return buf;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/patterns/name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analysis/profile/role.h"
#include "trace/words/describe.h"
#include "trace/words/resource.h"

/* A name that a person gave: a path, or the name of a queue. */
static bool is_named(const struct window_object *o)
{
	switch (CT_OBJ_KIND(o->id)) {
	case CT_OBJ_SOCK:
		return !o->lport && !o->rport && o->name[0];
	case CT_OBJ_FILE:
	case CT_OBJ_DIR:
	case CT_OBJ_FIFO:
	case CT_OBJ_CHARDEV:
	case CT_OBJ_QUEUE:
		return o->name[0];
	case CT_OBJ_NONE:
	case CT_OBJ_FUTEX:
	case CT_OBJ_PIPE:
	case CT_OBJ_BLOCKDEV:
	case CT_OBJ_EVENTFD:
	case CT_OBJ_EPOLL:
	case CT_OBJ_TIMERFD:
	case CT_OBJ_SIGNALFD:
	case CT_OBJ_INOTIFY:
	case CT_OBJ_PIDFD:
	case CT_OBJ_URING:
	case CT_OBJ_ANON:
	case CT_OBJ_TASK:
	case CT_OBJ_FUSEDEV:
	case CT_OBJ_TTY:
	case CT_OBJ_DATA:
	case CT_OBJ_CGROUP:
	case CT_OBJ_MARK:
	default:
		return false;
	}
}

/* Returns the object itself, or the other end of a unix socket. NULL: neither has a name. */
static const struct window_object *named(const struct graph *g, uint64_t obj)
{
	const struct window_object *o = obj ? graph_object(g, obj) : NULL, *peer;

	if (!o || is_named(o))
		return o;
	if (CT_OBJ_KIND(obj) != CT_OBJ_SOCK || o->lport || o->rport)
		return NULL;
	peer = graph_object(g, graph_peer_object(g, obj));
	return peer && is_named(peer) ? peer : NULL;
}

/* A client's port comes from the kernel and changes, so the name has the server's port. */
static bool put_port(const struct graph *g, uint64_t obj, char buf[NAME_MAX_BYTES])
{
	const struct window_object *o = graph_object(g, obj);

	if (!o || CT_OBJ_KIND(obj) != CT_OBJ_SOCK || (!o->lport && !o->rport))
		return false;
	if (!graph_is_accepted(g, obj) && o->rport)
		snprintf(buf, NAME_MAX_BYTES, "port %u", o->rport);
	else
		snprintf(buf, NAME_MAX_BYTES, "a client of port %u", o->lport);
	return true;
}

static bool is_answering(const struct graph *g, uint64_t obj)
{
	return CT_OBJ_KIND(obj) == CT_OBJ_SOCK && graph_is_accepted(g, obj);
}

void name_object(const struct graph *g, uint64_t obj, char buf[NAME_MAX_BYTES])
{
	const struct window_object *o = named(g, obj);
	enum resource_kind kind = resource_of_object(g->w, obj);
	size_t at;

	if (put_port(g, obj, buf))
		return;
	if (!o || !is_named(o)) {
		snprintf(buf, NAME_MAX_BYTES, "%s", kind == RESOURCE_UNKNOWN ? "" : resource_kind_word(kind));
		return;
	}
	at = (size_t)snprintf(buf, NAME_MAX_BYTES, "%s", is_answering(g, obj) ? "a client of " : "");
	role_path(o->name, buf + at, NAME_MAX_BYTES - at);
}

void name_variant(const struct graph *g, uint64_t obj, char buf[NAME_MAX_BYTES])
{
	const struct window_object *o = named(g, obj);
	char hidden[NAME_MAX_BYTES];

	buf[0] = '\0';
	if (!o || !is_named(o))
		return;
	describe_clean(o->name, buf, NAME_MAX_BYTES);
	name_object(g, obj, hidden);
	if (strstr(hidden, buf))
		buf[0] = '\0';
}

/* s begins with a single quote. Returns the length of the text up to the closing quote, inclusive, or up to
 * the end. Two quotes in a row stand for a quote in the text. */
static size_t quoted_bytes(const char *s)
{
	size_t n = 1;

	while (s[n] && (s[n] != '\'' || s[n + 1] == '\''))
		n += s[n] == '\'' ? 2 : 1;
	return s[n] ? n + 1 : n;
}

static size_t number_bytes(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || (s[n] == '.' && isalnum((unsigned char)s[n + 1])))
		n++;
	return n;
}

/* to has room for the whole of s: nothing becomes longer. */
static void hide_values(const char *s, char *to)
{
	bool in_word = false;

	while (*s) {
		if (!in_word && *s == '\'') {
			*to++ = '*';
			s += quoted_bytes(s);
		} else if (!in_word && isdigit((unsigned char)*s)) {
			*to++ = '#';
			s += number_bytes(s);
		} else {
			in_word = isalnum((unsigned char)*s) || *s == '_';
			*to++ = *s++;
		}
	}
	*to = '\0';
}

void name_call(const struct graph *g, uint64_t obj, char name[NAME_MAX_BYTES], char variant[NAME_MAX_BYTES])
{
	const struct window_object *o = graph_object(g, obj);
	size_t n;

	describe_clean(o ? o->name : "", variant, NAME_MAX_BYTES);
	hide_values(variant, name);
	n = strlen(name);
	if (!strcmp(name, variant))
		variant[0] = '\0';
	if (n >= 2 && n + 1 < NAME_MAX_BYTES && !strcmp(name + n - 2, ": ")) /* the text could not be read */
		strcpy(name + n, "?");
}

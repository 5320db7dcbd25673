// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/incident_rate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/clock.h"

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

static int parse_limit(const char **s, unsigned *ret_n, uint64_t *ret_per_ns)
{
	static const struct {
		const char *unit;
		uint64_t seconds;
	} units[] = { { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "day", 86400 } };
	const char *unit;
	char *end;
	unsigned long n;
	size_t len;

	if (**s < '0' || **s > '9')
		return -EINVAL;
	n = strtoul(*s, &end, 10);
	unit = skip_blanks(end);
	if (n < 1 || n > INCIDENT_RATE_MAX || *unit != '/')
		return -EINVAL;
	unit = skip_blanks(unit + 1);
	len = strcspn(unit, " \t,");
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strlen(units[i].unit) != len || strncmp(unit, units[i].unit, len) != 0)
			continue;
		*ret_n = (unsigned)n;
		*ret_per_ns = units[i].seconds * NSEC_PER_SEC;
		*s = skip_blanks(unit + len);
		return 0;
	}
	return -EINVAL;
}

int incident_rate_parse(const char *s, struct incident_rate *ret)
{
	struct incident_rate r = { .n = 0 };

	s = skip_blanks(s);
	if (!strcmp(s, "no")) {
		*ret = (struct incident_rate){ .never = true };
		return 0;
	}
	for (;;) {
		if (r.n == INCIDENT_RATE_LIMITS || parse_limit(&s, &r.v[r.n].n, &r.v[r.n].per_ns))
			return -EINVAL;
		r.n++;
		if (!*s)
			break;
		if (*s != ',')
			return -EINVAL;
		s = skip_blanks(s + 1);
	}
	*ret = r;
	return 0;
}

/* Returns the time of the nth newest snapshot (nth 1: the newest) of the program comm and the user
 * uid; 0: there is none. comm NULL: any program. uid NULL: any user. */
static uint64_t nth_last(const struct incident_times *t, const char *comm, const uint32_t *uid, unsigned nth)
{
	for (unsigned i = 1; i <= MIN(t->n, INCIDENT_RATE_MAX); i++) {
		unsigned at = (t->n - i) % INCIDENT_RATE_MAX;

		if ((!comm || !strcmp(t->v[at].comm, comm)) && (!uid || t->v[at].uid == *uid) && !--nth)
			return t->v[at].ns;
	}
	return 0;
}

bool incident_rate_allows(const struct incident_rate *r, const struct incident_times *t, const char *comm,
			  uint32_t uid, uint64_t now_ns, uint64_t *ret_next_ns)
{
	uint64_t next_ns = r->never ? UINT64_MAX : 0;

	for (unsigned i = 0; i < r->n; i++) {
		unsigned half = (r->v[i].n + 1) / 2;
		uint64_t last_ns = MAX(nth_last(t, NULL, NULL, r->v[i].n), nth_last(t, comm, NULL, half));

		if (uid)
			last_ns = MAX(last_ns, nth_last(t, NULL, &uid, half));

		if (last_ns)
			next_ns = MAX(next_ns, last_ns + r->v[i].per_ns);
	}
	if (ret_next_ns)
		*ret_next_ns = next_ns;
	return now_ns >= next_ns;
}

void incident_times_add(struct incident_times *t, const char *comm, uint32_t uid, uint64_t ns)
{
	unsigned at = t->n++ % INCIDENT_RATE_MAX;

	t->v[at].ns = ns;
	t->v[at].uid = uid;
	snprintf(t->v[at].comm, sizeof(t->v[at].comm), "%s", comm);
}

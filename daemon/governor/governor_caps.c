// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/governor/governor_caps.h"

#include "daemon/thresholds.h"
#include "lib/clock.h"

void caps_init(struct caps *c, uint32_t per_s, uint64_t now_ns)
{
	*c = (struct caps){ .per_s = per_s, .second_ns = now_ns };
}

static void caps_add(struct caps *c, uint32_t tid)
{
	struct caps_task *t = &c->task[GOVERN_SLOT(tid)];

	if (!tid)
		return;
	c->total++;
	if (t->tid == tid) {
		t->n += CAPS_SAMPLE;
	} else if (t->since_ns || t->n > CAPS_SAMPLE) {
		t->n -= t->since_ns ? 0 : CAPS_SAMPLE;
	} else {
		t->tid = tid;
		t->n = CAPS_SAMPLE;
	}
}

void caps_count(struct caps *c, const struct ct_rec *rec)
{
	switch (rec->kind) {
	case CT_SWITCH:
	case CT_WAKE:
		caps_add(c, rec->tid);
		if (rec->peer != rec->tid)
			caps_add(c, rec->peer);
		break;
	case CT_SEND:
	case CT_RECV:
	case CT_FUTEX:
		caps_add(c, rec->tid);
		break;
	default:
		c->total += rec->tid != 0;
	}
}

uint32_t caps_most(const struct caps *c, double *ret_share)
{
	const struct caps_task *most = c->task;

	*ret_share = 0;
	if (c->total < GROUPS_LEAST)
		return 0;
	for (unsigned i = 1; i < GOVERN_CAPS; i++)
		if (c->task[i].n > most->n)
			most = &c->task[i];
	if (!most->n)
		return 0;
	*ret_share = (double)(most->n / CAPS_SAMPLE) / c->total;
	return most->tid;
}

void caps_end(struct caps *c, const struct caps_ops *ops)
{
	for (unsigned i = 0; i < GOVERN_CAPS && c->n_capped; i++) {
		struct caps_task *t = &c->task[i];

		if (!t->since_ns)
			continue;
		ops->uncap(ops->arg, t->tid, t->since_ns);
		t->since_ns = 0;
		c->n_capped--;
	}
}

bool caps_over(const struct caps *c, uint64_t now_ns)
{
	return now_ns >= c->second_ns + NSEC_PER_SEC;
}

void caps_round(struct caps *c, uint64_t now_ns, const struct caps_ops *ops)
{
	if (caps_over(c, now_ns)) {
		caps_end(c, ops);
		for (unsigned i = 0; c->total && i < GOVERN_CAPS; i++)
			c->task[i] = (struct caps_task){ 0 };
		c->second_ns = now_ns;
		c->total = 0;
		return;
	}
	/* no task can have reached the limit if all together have not */
	if (!c->per_s || (uint64_t)c->total * CAPS_SAMPLE < c->per_s)
		return;
	for (unsigned i = 0; i < GOVERN_CAPS; i++) {
		struct caps_task *t = &c->task[i];

		if (t->since_ns || t->n < c->per_s)
			continue;
		if (c->n_capped >= CAPS_MAX) {
			c->refused++;
			continue;
		}
		ops->cap(ops->arg, t->tid);
		t->since_ns = now_ns;
		c->n_capped++;
	}
}

bool caps_has(const struct caps *c, uint32_t tid)
{
	const struct caps_task *t = &c->task[GOVERN_SLOT(tid)];

	return t->since_ns && t->tid == tid;
}

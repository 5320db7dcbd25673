// SPDX-License-Identifier: GPL-2.0-or-later
/* detect_limits.c - the limits of a task: the general limits, changed by the overrides. */
#include <fnmatch.h>
#include <string.h>

#include "detect/detect_private.h"
#include "lib/cleanup.h"

#define DETECT_CGROUPS_MAX 65536

void detect_defaults(struct detect_settings *ret)
{
	*ret = (struct detect_settings){ .learn_ns = DETECT_LEARN_NS };
	for (unsigned i = 0; i < CT_HANG_RULES; i++)
		ret->limits.after_ns[i] = DETECT_AFTER_NS;
	ret->limits.after_ns[CT_HANG_DISK] = DETECT_AFTER_DISK_NS;
	ret->limits.after_ns[CT_HANG_CRASH] = ret->limits.after_ns[CT_HANG_EXCEPTION] = 1;
}

static uint64_t limits_min(uint64_t min_ns, const struct detect_limits *l)
{
	for (unsigned i = 0; i < CT_HANG_RULES; i++)
		if (l->after_ns[i] && !ct_hang_is_crash((enum ct_hang)i))
			min_ns = MIN(min_ns, l->after_ns[i]);
	return min_ns;
}

void detect_limits_init(struct detect *d)
{
	d->min_ns = limits_min(UINT64_MAX, &d->set.limits);
	d->patient_ns = MIN(PATIENT_MAX_NS, d->min_ns) / PATIENT_SHARE;
	for (unsigned i = 0; i < d->set.n_overrides; i++)
		d->min_ns = limits_min(d->min_ns, &d->set.overrides[i].limits);
}

static void limits_cgroups_purge(struct detect *d)
{
	struct map kept = { 0 };
	uint64_t bits;

	for (uint32_t i = 1; i <= d->tasks.used; i++) {
		const struct detect_task *t = detect_tasks_slot(&d->tasks, i);
		uint64_t id = t ? t->cgroup_id & CT_OBJ_MASK : 0;

		if (t && map_get(&d->cgroups, id, &bits))
			(void)map_set(&kept, id, bits);
	}
	map_done(&d->cgroups);
	d->cgroups = kept;
}

void detect_limits_cgroup(struct detect *d, const struct ct_object_blob *o)
{
	uint64_t bits = 0;
	char path[CT_OBJ_NAME_MAX + 1];
	size_t n = MIN((size_t)o->name_len, sizeof(path) - 1);

	if (CT_OBJ_KIND(o->id) != CT_OBJ_CGROUP || o->id == CT_OBJ_QUOTA_ID(o->h.tid) ||
	    o->id == CT_OBJ_MEMORY_ID(o->h.tid) || o->h.size < sizeof(*o) + n)
		return;
	memcpy(path, o->name, n);
	path[n] = 0;
	for (unsigned i = 0; i < d->set.n_overrides; i++)
		if (d->set.overrides[i].is_cgroup && !fnmatch(d->set.overrides[i].match, path, 0))
			bits |= 1ULL << i;
	if (!bits)
		return;
	if (d->cgroups.n >= DETECT_CGROUPS_MAX)
		limits_cgroups_purge(d);
	if (d->cgroups.n < DETECT_CGROUPS_MAX)
		(void)map_set(&d->cgroups, o->id & CT_OBJ_MASK, bits);
}

void detect_limits_of(const struct detect *d, const struct detect_task *t, struct detect_limits *ret)
{
	uint64_t bits = 0;

	*ret = d->set.limits;
	if (!d->set.n_overrides)
		return;
	map_get(&d->cgroups, t->cgroup_id & CT_OBJ_MASK, &bits);
	for (unsigned i = 0; i < d->set.n_overrides; i++) {
		const struct detect_override *o = &d->set.overrides[i];

		if (o->is_cgroup ? !(bits >> i & 1) : fnmatch(o->match, t->comm, 0))
			continue;
		for (unsigned rule = 0; rule < CT_HANG_RULES; rule++)
			if (o->set >> rule & 1)
				ret->after_ns[rule] = o->limits.after_ns[rule];
	}
}

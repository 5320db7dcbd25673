// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/record/marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/thresholds.h"
#include "lib/clock.h"
#include "trace/words/markname.h"

void marks_done(struct marks *m)
{
	map_done(&m->names);
}

static int admit(struct marks *m, const char *name, uint64_t now_ns)
{
	uint64_t id = markname_id(name);

	if (now_ns - m->second_ns >= NSEC_PER_SEC) {
		m->second_ns = now_ns;
		m->in_second = 0;
	}
	if (m->in_second >= MARKS_PER_SECOND)
		return -EBUSY;
	if (!map_get(&m->names, id, NULL)) {
		if (m->names.n >= MARKS_NAMES_MAX)
			return -ENOSPC;
		if (map_set(&m->names, id, 1))
			return -ENOMEM;
	}
	m->in_second++;
	return 0;
}

#define ID_DIGITS 18 /* a longer number may not fit into 63 bits */

static uint64_t id_of(const char *id, uint8_t *flags)
{
	size_t n = strspn(id, "0123456789");
	uint64_t hash = hash_text(HASH_START, id);

	if (!id[n] && n <= ID_DIGITS && strtoull(id, NULL, 10))
		return strtoull(id, NULL, 10);
	*flags |= CT_MF_HASHED;
	return hash ? hash : 1;
}

static int make_stream(const struct mark *mark, uint64_t now_ns, void **ret, size_t *ret_size)
{
	size_t len = strlen(mark->name), blob_bytes = sizeof(struct ct_object_blob) + ((len + 7) & ~7UL);
	bool plausible = mark->made_ns <= now_ns && now_ns - mark->made_ns <= MARKS_LATE_NS;
	struct ct_object_blob name = {
		.h = { .ts = now_ns, .kind = CT_OBJECT, .size = (ct_u16)blob_bytes, .tid = mark->tid },
		.id = markname_id(mark->name),
		.name_len = (ct_u16)len
	};
	struct {
		struct ct_rec r;
		uint64_t x[2];
	} rec = { .r = { .ts = now_ns,
			 .kind = CT_MARK,
			 .state = (ct_u8)mark->what,
			 .flags = mark->flags,
			 .tid = mark->tid,
			 .nr = CT_NR_NONE,
			 .obj = name.id } };
	char *p = calloc(1, blob_bytes + sizeof(rec));

	if (!p)
		return -ENOMEM;
	rec.x[0] = mark->id ? id_of(mark->id, &rec.r.flags) : 0;
	rec.x[1] = plausible ? mark->made_ns : now_ns;
	memcpy(p, &name, sizeof(name));
	memcpy(p + sizeof(name), mark->name, len);
	memcpy(p + blob_bytes, &rec, sizeof(rec));
	*ret = p;
	*ret_size = blob_bytes + sizeof(rec);
	return 0;
}

int marks_take(struct marks *m, const struct mark *mark, uint64_t now_ns, void **ret, size_t *ret_size)
{
	int r = admit(m, mark->name, now_ns);

	if (!r)
		r = make_stream(mark, now_ns, ret, ret_size);
	if (r)
		m->refused++;
	else
		m->recorded++;
	return r;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_tell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"

int jobs_tell(const struct jobs_spec *spec, enum ct_job state, uint8_t flags, uint64_t now_ns,
	      uint64_t since_ns, void **ret, size_t *ret_size)
{
	size_t len = strlen(spec->name), blob_bytes = sizeof(struct ct_object_blob) + ((len + 7) & ~7UL);
	struct ct_object_blob name = { .h = { .ts = now_ns, .kind = CT_OBJECT, .size = (ct_u16)blob_bytes },
				       .id = CT_OBJ_ID(CT_OBJ_QUEUE, hash_text(HASH_START, spec->name)),
				       .name_len = (ct_u16)len };
	struct {
		struct ct_rec r;
		uint64_t x[2];
	} rec = { .r = { .ts = now_ns,
			 .kind = CT_JOB,
			 .state = (ct_u8)state,
			 .flags = flags,
			 .nr = CT_NR_NONE,
			 .aux = jobs_spec_number(spec),
			 .obj = name.id },
		  .x = { since_ns } };
	char *p = calloc(1, blob_bytes + sizeof(rec));

	if (!p)
		return -ENOMEM;
	memcpy(p, &name, sizeof(name));
	memcpy(p + sizeof(name), spec->name, len);
	memcpy(p + blob_bytes, &rec, sizeof(rec));
	*ret = p;
	*ret_size = blob_bytes + sizeof(rec);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/write/writer.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "trace/format/blob.h"
#include "trace/write/dict.h"
#include "trace/format/encode.h"
#include "trace/format/file_index.h"
#include "trace/write/pull.h"
#include "trace/write/store.h"
#include "trace/thresholds.h"

#define MAX_TASKS    131072u /* as the default in detect/ */
#define MAX_CMDLINES 65536u
#define MAX_OBJECTS  65536u
#define MAX_STACKS   4096u
#define STACK_BYTES  4096u
/* bytes of the open segment, before encoding */
#define PENDING_MAX (32u << 20)

struct stream {
	VEC(uint64_t) raw;
	uint32_t n_records;
	uint64_t min_ns, max_ns;
};

struct writer {
	struct store *store;
	struct ringfile_options ringfile;
	struct encoder *encoder;
	char *path, *meta;
	uint8_t kind_info[FORMAT_KINDS];
	uint64_t raw_bytes;

	struct dict tasks, cmdlines, objects, stacks;
	struct pull pull;
	VEC(uint32_t)
	/* tids of tasks that exited in this segment, or in the previous one */
	forgotten, forgotten_before;

	uint64_t begin_ns;
	VEC(struct format_state) states;
	VEC(struct stream) streams;
	uint32_t n_records;
	uint32_t kinds[FORMAT_KINDS];
	uint64_t lost[FORMAT_CAUSES];
	/* older blobs of tasks whose newest blob is in `tasks`; this segment gets all of them */
	VEC(struct ct_task_blob) replaced;
	VEC(uint32_t) renewed;
	/* replaced.n at the time of the last copy; SIZE_MAX: this segment has no copy yet */
	size_t pulled;
	size_t pending;
	/*
	 * - saved_bytes: the size of the last copy of the open segment
	 * - saved_more: the growth from the last but one copy to the last copy
	 * - sealed_bytes: the size of the previous segment, or 0 if that segment had a copy
	 */
	size_t saved_bytes, saved_more, sealed_bytes;
	bool begun;
};

/* The meta data always has the first META_ALWAYS pairs, even if a value is empty. */
#define META_ALWAYS 4

static int writer_meta(struct writer *w, const struct writer_options *opt)
{
	const char *pairs[][2] = { { "hooks", opt->hooks },   { "host", opt->host },
				   { "kernel", opt->kernel }, { "machine", opt->machine },
				   { "cpu", opt->cpu },       { "governor", opt->governor },
				   { "limits", opt->limits } };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		n += strlen(pairs[i][0]) + 2 + (pairs[i][1] ? strlen(pairs[i][1]) : 0);
	if (n > FORMAT_META_MAX)
		return -EINVAL;
	w->meta = malloc(n);
	if (!w->meta)
		return -ENOMEM;
	w->ringfile.meta = w->meta;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const char *value = pairs[i][1] ? pairs[i][1] : "";
		char *to = w->meta + w->ringfile.meta_bytes;

		if (i >= META_ALWAYS && !value[0])
			continue;
		w->ringfile.meta_bytes += strlen(pairs[i][0]) + strlen(value) + 2;
		strcpy(stpcpy(to, pairs[i][0]) + 1, value);
	}
	return 0;
}

static void read_boot_id(uint8_t id[16])
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	char text[64];
	size_t n = 0;

	memset(id, 0, 16);
	if (!f || !fgets(text, sizeof(text), f))
		return;
	for (const char *p = text; *p && n < 16; p++) {
		unsigned byte;

		if (*p != '-' && sscanf(p, "%2x", &byte) == 1) {
			id[n++] = (uint8_t)byte;
			p++;
		}
	}
}

static int writer_init(struct writer *w, const char *path, const struct writer_options *opt)
{
	uint32_t max_stacks = opt->max_stacks ? opt->max_stacks : MAX_STACKS;

	w->encoder = encoder_new();
	w->path = strdup(path);
	if (!w->encoder || !w->path)
		return -ENOMEM;
	w->ringfile.path = w->path;
	w->ringfile.own_dir = opt->own_dir;
	w->ringfile.size_bytes = opt->size_bytes;
	w->ringfile.n_cpus = opt->n_cpus;
	if (opt->boot_id)
		memcpy(w->ringfile.boot_id, opt->boot_id, sizeof(w->ringfile.boot_id));
	else
		read_boot_id(w->ringfile.boot_id);
	encode_kind_info(w->kind_info);
	dict_init(&w->tasks, opt->max_tasks ? opt->max_tasks : MAX_TASKS, SIZE_MAX);
	dict_init(&w->cmdlines, MAX_CMDLINES, SIZE_MAX);
	dict_init(&w->objects, opt->max_objects ? opt->max_objects : MAX_OBJECTS, SIZE_MAX);
	dict_init(&w->stacks, max_stacks, (size_t)max_stacks * STACK_BYTES);
	pull_init(&w->pull, &w->tasks, &w->cmdlines, &w->objects, &w->stacks);
	w->pulled = SIZE_MAX;
	return writer_meta(w, opt);
}

int writer_open(const char *path, const struct writer_options *opt, struct writer **ret_w, char *err)
{
	struct writer *w = calloc(1, sizeof(*w));
	int ret = w ? writer_init(w, path, opt) : -ENOMEM;

	if (ret)
		snprintf(err, FILE_INDEX_ERR_MAX, "cannot open %.120s: %s", path, strerror(-ret));
	else
		ret = store_open(&w->ringfile, opt->background, &w->store, err);
	if (ret)
		writer_free(w);
	else
		*ret_w = w;
	return ret;
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	store_free(w->store);
	encoder_free(w->encoder);
	free(w->path);
	free(w->meta);
	dict_done(&w->tasks);
	dict_done(&w->cmdlines);
	dict_done(&w->objects);
	dict_done(&w->stacks);
	VEC_FREE(&w->forgotten);
	VEC_FREE(&w->forgotten_before);
	VEC_FREE(&w->states);
	for (size_t i = 0; i < w->streams.n; i++)
		VEC_FREE(&w->streams.v[i].raw);
	VEC_FREE(&w->streams);
	VEC_FREE(&w->replaced);
	VEC_FREE(&w->renewed);
	pull_done(&w->pull);
	free(w);
}

static struct stream *writer_stream(struct writer *w, uint16_t cpu)
{
	while (w->streams.n <= cpu)
		if (VEC_PUSH(&w->streams, (struct stream){ .min_ns = UINT64_MAX }))
			return NULL;
	return &w->streams.v[cpu];
}

int writer_add(struct writer *w, uint16_t cpu, const struct ct_rec *rec, const uint64_t *words)
{
	size_t n_words = CT_KIND_WORDS(rec->kind), n = 4 + n_words;
	struct stream *s;

	if (!rec->kind || rec->kind > CT_KIND_LAST || cpu >= FORMAT_CPUS_MAX || (n_words && !words) ||
	    rec->ts >= FORMAT_TIME_MAX)
		return -EINVAL;
	if (w->n_records >= FORMAT_RECORDS_MAX || w->pending + n * 8 > PENDING_MAX)
		return -ENOMEM;
	s = cpu < w->streams.n ? &w->streams.v[cpu] : writer_stream(w, cpu);
	if (!s || VEC_RESERVE(&s->raw, s->raw.n + n))
		return -ENOMEM;
	memcpy(s->raw.v + s->raw.n, rec, sizeof(*rec));
	for (size_t i = 0; i < n_words; i++)
		s->raw.v[s->raw.n + 4 + i] = words[i];
	s->raw.n += n;
	s->n_records++;
	if (rec->ts < s->min_ns)
		s->min_ns = rec->ts;
	if (rec->ts > s->max_ns)
		s->max_ns = rec->ts;
	w->kinds[rec->kind]++;
	if (rec->kind == CT_GAP)
		w->lost[rec->state < FORMAT_CAUSES ? rec->state : CT_LOSS_DAEMON] += rec->peer;
	w->n_records++;
	w->pending += n * 8;
	return 0;
}

int writer_add_run(struct writer *w, uint16_t cpu, const uint64_t *run, size_t n_words,
		   const struct writer_run *about)
{
	struct stream *s;

	if (cpu >= FORMAT_CPUS_MAX || (about->n && about->max_ns >= FORMAT_TIME_MAX))
		return -EINVAL;
	if (about->n > FORMAT_RECORDS_MAX - w->n_records || w->pending + n_words * 8 > PENDING_MAX)
		return -ENOMEM;
	s = cpu < w->streams.n ? &w->streams.v[cpu] : writer_stream(w, cpu);
	if (!s || VEC_RESERVE(&s->raw, s->raw.n + n_words))
		return -ENOMEM;
	memcpy(s->raw.v + s->raw.n, run, n_words * 8);
	s->raw.n += n_words;
	s->n_records += about->n;
	s->min_ns = MIN(s->min_ns, about->min_ns);
	s->max_ns = MAX(s->max_ns, about->max_ns);
	for (int k = 0; k <= CT_KIND_LAST; k++)
		w->kinds[k] += about->kinds[k];
	w->n_records += about->n;
	w->pending += n_words * 8;
	return 0;
}

/* Returns true if the blobs say the same about the task: they differ in ts and flags at most. */
static bool task_is_same(const struct ct_blob *a, const struct ct_blob *b)
{
	return !memcmp((const char *)a + sizeof(*a), (const char *)b + sizeof(*b),
		       sizeof(struct ct_task_blob) - sizeof(*a));
}

static int writer_task(struct writer *w, const struct ct_blob *blob)
{
	struct dict_entry *e = dict_get(&w->tasks, blob->tid);
	int err;

	if (e && task_is_same(e->blob, blob)) {
		e->used = true;
		e->forgotten = false;
		return 0;
	}
	if (w->pending + sizeof(struct ct_task_blob) > PENDING_MAX ||
	    VEC_RESERVE(&w->renewed, w->renewed.n + 1))
		return -ENOMEM;
	/* a late blob, from the ring of another CPU */
	if (e && blob->ts < e->blob->ts) {
		if (VEC_PUSH(&w->replaced, *(const struct ct_task_blob *)blob))
			return -ENOMEM;
		w->pending += sizeof(struct ct_task_blob);
		return 0;
	}
	if (e && VEC_PUSH(&w->replaced, *(struct ct_task_blob *)e->blob))
		return -ENOMEM;
	err = dict_set(&w->tasks, blob->tid, blob);
	if (err) {
		w->replaced.n -= e != NULL;
		return err;
	}
	w->renewed.v[w->renewed.n++] = blob->tid;
	w->pending += sizeof(struct ct_task_blob);
	return 0;
}

/* If the text is unchanged, the older entry stays: its ts is the time of the first record of this
 * text. */
static int writer_set_cmdline(struct writer *w, const struct ct_cmdline_blob *b)
{
	const struct ct_cmdline_blob *was = writer_cmdline(w, b->h.tid);

	if (was && (b->h.ts < was->h.ts || (b->len == was->len && !memcmp(b->text, was->text, b->len))))
		return 0;
	return dict_set(&w->cmdlines, b->h.tid, &b->h);
}

const struct ct_cmdline_blob *writer_cmdline(const struct writer *w, uint32_t tgid)
{
	const struct dict_entry *e = dict_get(&w->cmdlines, tgid);

	return e ? (const struct ct_cmdline_blob *)e->blob : NULL;
}

int writer_blob(struct writer *w, const struct ct_blob *blob)
{
	int err;

	if (!blob_is_valid(blob))
		return -EINVAL;
	switch (blob->kind) {
	case CT_TASK:
		return writer_task(w, blob);
	case CT_CMDLINE:
		return writer_set_cmdline(w, (const struct ct_cmdline_blob *)blob);
	case CT_OBJECT:
		err = dict_set(&w->objects, ((const struct ct_object_blob *)blob)->id, blob);
		break;
	case CT_STACK:
		err = dict_set(&w->stacks, ((const struct ct_stack_blob *)blob)->id, blob);
		break;
	default:
		return -EINVAL;
	}
	return err;
}

void writer_forget_task(struct writer *w, uint32_t tid)
{
	struct dict_entry *e = dict_get(&w->tasks, tid);

	/* Without memory, the entry stays until it is evicted. */
	if (e && !VEC_RESERVE(&w->forgotten_before, w->forgotten.n + 1) && !VEC_PUSH(&w->forgotten, tid))
		e->forgotten = true;
}

size_t writer_pending(const struct writer *w)
{
	return w->pending;
}

static int writer_set_states(struct writer *w, const struct window_state *states, size_t n)
{
	w->states.n = 0;
	if (VEC_RESERVE(&w->states, n))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		bool capped = states[i].run == WINDOW_RUN_CAPPED, folded = states[i].run == WINDOW_RUN_FOLDED;

		w->states.v[w->states.n++] =
			(struct format_state){ .last = states[i].last,
					       .owner = states[i].owner,
					       .run = capped || folded ? FORMAT_RUN_RUNNABLE : states[i].run,
					       .flags = capped   ? FORMAT_STATE_CAPPED
							: folded ? FORMAT_STATE_FOLDED
								 : 0,
					       .cpu = states[i].cpu };
	}
	return 0;
}

int writer_begin(struct writer *w, uint64_t now_ns, const struct window_state *states, size_t n)
{
	w->begin_ns = now_ns;
	w->begun = true;
	return writer_set_states(w, states, n);
}

/* All copies of a segment have the same states. So the names of the tasks and objects in the states come
 * first. If the records bring no new name, the next copy has the same block of names, and the encoder does
 * not compress this block again (ENCODE_KEEP_BYTES). */
static void seal_pull_first(struct writer *w)
{
	struct pull *p = &w->pull;

	pull_begin(p);
	for (size_t i = 0; i < w->replaced.n; i++)
		pull_blob(&p->out_tasks, &w->replaced.v[i].h);
	for (size_t i = 0; i < w->renewed.n; i++)
		pull_task(p, w->renewed.v[i]);
	for (size_t i = 0; i < w->states.n; i++) {
		const struct format_state *s = &w->states.v[i];

		pull_task(p, s->last.tid);
		pull_task(p, s->owner);
		pull_object(p, s->last.obj);
	}
}

/* Returns 1 if the segment has had a copy, and what seal_pull_first() adds has not changed since then,
 * otherwise 0. Returns -ENOMEM on failure. */
static int seal_pull(struct writer *w)
{
	struct encode_refs refs = encoder_refs(w->encoder);
	struct pull *p = &w->pull;
	bool again = w->pulled == w->replaced.n && pull_again(p);

	w->pulled = SIZE_MAX; /* until the copy has all its blocks */
	if (!again)
		seal_pull_first(w);
	for (size_t i = 0; i < refs.n_tids; i++)
		pull_task(p, refs.tids[i]);
	for (size_t i = 0; i < refs.n_objs; i++)
		pull_object(p, refs.objs[i]);
	for (size_t i = 0; i < refs.n_x_objs; i++)
		pull_object(p, refs.x_objs[i]);
	for (size_t i = 0; i < refs.n_x_stacks; i++)
		pull_stack(p, refs.x_stacks[i]);
	return pull_error(p) ?: again;
}

static int seal_block(struct writer *w, enum format_block_type type, const void *data, size_t n,
		      unsigned width, bool same)
{
	if (same && n && encoder_again(w->encoder, type))
		return 0;
	return encoder_block(w->encoder, type, data, n, width);
}

static int seal_names(struct writer *w)
{
	const struct pull_out *tasks = &w->pull.out_tasks, *objects = &w->pull.out_objects,
			      *stacks = &w->pull.out_stacks;
	int again = seal_pull(w), ret = MIN(again, 0);

	if (!ret)
		ret = seal_block(w, FORMAT_TASKS, tasks->bytes.v, tasks->bytes.n, 1, tasks->same);
	if (!ret)
		ret = seal_block(w, FORMAT_OBJECTS, objects->bytes.v, objects->bytes.n, 1, objects->same);
	if (!ret)
		ret = seal_block(w, FORMAT_STACKS, stacks->bytes.v, stacks->bytes.n, 1, false);
	if (!ret)
		ret = seal_block(w, FORMAT_STATES, w->states.v, w->states.n, sizeof(*w->states.v), again);
	if (!ret)
		w->pulled = w->replaced.n;
	return ret;
}

/* plain_max: see encoder_plain(). */
static int seal_blocks(struct writer *w, struct format_segment *h, size_t plain_max)
{
	struct encode_stream *streams = calloc(w->streams.n + 1, sizeof(*streams));
	struct encoder *e = w->encoder;
	size_t n = 0;
	int ret;

	if (!streams)
		return -ENOMEM;
	h->min_ns = UINT64_MAX;
	for (size_t i = 0; i < w->streams.n; i++) {
		const struct stream *s = &w->streams.v[i];

		if (!s->n_records)
			continue;
		streams[n++] = (struct encode_stream){ .cpu = (uint16_t)i,
						       .n_records = s->n_records,
						       .min_ns = s->min_ns,
						       .max_ns = s->max_ns,
						       .raw = s->raw.v };
		h->min_ns = MIN(h->min_ns, s->min_ns);
		h->max_ns = MAX(h->max_ns, s->max_ns);
	}
	ret = encoder_begin(e, sizeof(*h));
	encoder_plain(e, plain_max);
	if (!ret)
		ret = encoder_block(e, FORMAT_META, w->meta, w->ringfile.meta_bytes, 1);
	if (!ret)
		ret = encoder_records(e, streams, n, h->begin_ns, w->kind_info);
	free(streams);
	return ret ? ret : seal_names(w);
}

static int seal_encode(struct writer *w, uint64_t now_ns, size_t plain_max, struct format_segment *ret_h,
		       uint8_t **ret_bytes, size_t *ret_n)
{
	struct clock_offsets offsets = clock_offsets_now();
	struct format_segment h = {
		.begin_ns = w->begin_ns,
		.end_ns = MAX(now_ns, w->begin_ns),
		.boot_to_mono_ns = offsets.boot_to_mono_ns,
		.boot_to_real_ns = offsets.boot_to_real_ns,
		.n_records = w->n_records,
		.n_cpus = w->ringfile.n_cpus,
		.n_states = (uint32_t)w->states.n,
	};
	int ret = seal_blocks(w, &h, plain_max);

	if (ret)
		return ret;
	if (!h.n_records) {
		h.min_ns = h.begin_ns;
		h.max_ns = h.end_ns;
	}
	h.n_tasks = w->pull.out_tasks.n;
	h.n_objects = w->pull.out_objects.n;
	h.n_stacks = w->pull.out_stacks.n;
	memcpy(h.boot_id, w->ringfile.boot_id, sizeof(h.boot_id));
	memcpy(h.lost, w->lost, sizeof(h.lost));
	memcpy(h.kind_info, w->kind_info, sizeof(h.kind_info));
	memcpy(h.kinds, w->kinds, sizeof(h.kinds));
	*ret_bytes = encoder_bytes(w->encoder, ret_n);
	*ret_h = h;
	return 0;
}

static int seal_write(struct writer *w, uint64_t now_ns)
{
	struct format_segment h;
	uint8_t *bytes;
	size_t n;
	int ret = seal_encode(w, now_ns, 0, &h, &bytes, &n);

	if (ret) {
		store_miss(w->store, w->begin_ns, w->n_records);
		return ret;
	}
	w->raw_bytes += w->pending;
	w->sealed_bytes = w->saved_bytes ? 0 : n;
	return store_put(w->store, &h, bytes, n);
}

/* The entry of an exited task stays for one more segment: records of other CPUs may come late. */
static void writer_reset(struct writer *w)
{
	for (size_t i = 0; i < w->forgotten_before.n; i++) {
		struct dict_entry *e = dict_get(&w->tasks, w->forgotten_before.v[i]);

		if (e && e->forgotten) {
			dict_del(&w->cmdlines, e->key);
			dict_del(&w->tasks, e->key);
		}
	}
	for (size_t i = 0; i < w->forgotten.n; i++)
		w->forgotten_before.v[i] = w->forgotten.v[i];
	w->forgotten_before.n = w->forgotten.n;
	w->forgotten.n = 0;
	for (size_t i = 0; i < w->streams.n; i++) {
		struct stream *s = &w->streams.v[i];

		s->raw.n = 0;
		s->n_records = 0;
		s->min_ns = UINT64_MAX;
		s->max_ns = 0;
	}
	memset(w->kinds, 0, sizeof(w->kinds));
	memset(w->lost, 0, sizeof(w->lost));
	w->n_records = 0;
	w->replaced.n = w->renewed.n = 0;
	w->pulled = SIZE_MAX;
	w->pending = 0;
	w->saved_bytes = w->saved_more = 0;
}

static bool fits_slot(const struct writer *w)
{
	return w->pending <= WRITER_SAVE_BYTES && w->sealed_bytes <= FORMAT_SLOT_BYTES &&
	       w->saved_bytes + w->saved_more <= FORMAT_SLOT_BYTES && store_stats(w->store).has_saves;
}

int writer_save(struct writer *w, uint64_t now_ns)
{
	struct format_segment h;
	uint8_t *bytes;
	size_t n;
	int ret;

	if (!w->begun || now_ns >= w->begin_ns + WRITER_OPEN_NS || !fits_slot(w))
		return -EFBIG;
	ret = seal_encode(w, now_ns, WRITER_PLAIN_BYTES, &h, &bytes, &n);
	/* without compression, it may not fit; with larger columns, it would not fit in either way */
	if (!ret && n > FORMAT_SLOT_BYTES && n <= FORMAT_SLOT_BYTES + WRITER_PLAIN_BYTES)
		ret = seal_encode(w, now_ns, 0, &h, &bytes, &n);
	if (!ret)
		ret = n > FORMAT_SLOT_BYTES ? -EFBIG : store_save(w->store, &h, bytes, n);
	if (ret)
		return ret;
	w->saved_more = w->saved_bytes && n > w->saved_bytes ? n - w->saved_bytes : 0;
	w->saved_bytes = n;
	return 0;
}

int writer_seal(struct writer *w, uint64_t now_ns, const struct window_state *states, size_t n)
{
	uint64_t from_ns;
	int ret, err;

	if (!w->begun) {
		w->begin_ns = now_ns;
		for (size_t i = 0; i < w->streams.n; i++)
			w->begin_ns = MIN(w->begin_ns, w->streams.v[i].min_ns);
	}
	from_ns = w->begin_ns;
	ret = seal_write(w, now_ns);
	writer_reset(w);
	err = writer_begin(w, MAX(now_ns, from_ns), states, n);
	return ret ? ret : err;
}

bool writer_flush(struct writer *w, uint64_t timeout_ns)
{
	return store_flush(w->store, timeout_ns);
}

int writer_sync(struct writer *w)
{
	return store_sync(w->store);
}

struct writer_storage writer_storage(const struct writer *w)
{
	return store_stats(w->store).storage;
}

struct writer_stats writer_stats(const struct writer *w)
{
	struct store_stats s = store_stats(w->store);

	return (struct writer_stats){
		.segments = s.segments,
		.records = s.records,
		.raw_bytes = w->raw_bytes,
		.file_bytes = s.file_bytes,
		.lost_disk = s.storage.lost_records,
		.newest_seq = s.newest_seq,
		.oldest_ns = s.oldest_ns,
		.newest_ns = s.newest_ns,
		.dict_tasks = w->tasks.n,
		.dict_objects = w->objects.n,
		.dict_stacks = w->stacks.n,
		.dict_evicted =
			w->tasks.evicted + w->objects.evicted + w->stacks.evicted + w->cmdlines.evicted,
		.storage = s.storage,
	};
}

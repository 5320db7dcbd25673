// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/snapshot/redact.h"

#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "ctrace/fields.h"
#include "lib/cleanup.h"
#include "trace/format/blob.h"
#include "trace/format/encode.h"
#include "trace/format/file_index.h"
#include "trace/snapshot/redact_names.h"

struct redact {
	struct siphash_key key;
	struct encoder *encoder;
	uint8_t kind_info[FORMAT_KINDS];
	VEC(struct window_event) events;
	VEC(uint16_t) cpus;
	VEC(struct window_words) words;
	VEC(uint64_t) raw;
	VEC(size_t) ends;
	VEC(uint8_t) bytes;
	VEC(struct encode_stream) streams;
	uint64_t blob[8192], out[8192];
};

void redact_free(struct redact *r)
{
	if (!r)
		return;
	encoder_free(r->encoder);
	VEC_FREE(&r->events);
	VEC_FREE(&r->cpus);
	VEC_FREE(&r->words);
	VEC_FREE(&r->raw);
	VEC_FREE(&r->ends);
	VEC_FREE(&r->bytes);
	VEC_FREE(&r->streams);
	free(r);
}

int redact_new(struct redact **ret)
{
	struct redact *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->encoder = encoder_new();
	if (!r->encoder) {
		redact_free(r);
		return -ENOMEM;
	}
	encode_kind_info(r->kind_info);
	if (getrandom(&r->key, sizeof(r->key), 0) != sizeof(r->key)) {
		redact_free(r);
		return -EIO;
	}
	*ret = r;
	return 0;
}

static uint64_t redact_id(const struct redact *r, uint64_t id)
{
	uint64_t hash = siphash(&r->key, &id, sizeof(id));

	if (!id)
		return 0;
	return hash ? hash : 1;
}

/* Returns the id, or a hash of the id in one of these cases:
 * - The id has a kernel address in it, which would show where the kernel lies in memory: the kinds
 *   from EVENTFD to ANON, FUSEDEV, and SOCK without an inode.
 * - The kind is unknown: such an id may be the address of a kernel function.
 * - The id is that of a mark, which is a hash of the mark's name. */
static uint64_t redact_object_id(const struct redact *r, uint64_t id)
{
	enum ct_obj_kind kind = CT_OBJ_KIND(id);
	uint64_t hash = redact_id(r, id);

	if (kind == CT_OBJ_SOCK)
		return id & CT_OBJ_NOT_ACCEPTED ? CT_OBJ_ID(kind, hash | CT_OBJ_NOT_ACCEPTED) : id;
	if ((kind >= CT_OBJ_EVENTFD && kind <= CT_OBJ_ANON) || kind == CT_OBJ_FUSEDEV || kind > CT_OBJ_CGROUP)
		return CT_OBJ_ID(kind, hash);
	return id;
}

static bool is_group(uint32_t address)
{
	return (address & 0xff) >= 224 || address >> 24 == 255;
}

/* Replaces the address of an IPv4 destination as in the descriptions of sockets, so that both still match.
 * The new address of a group would be that of a host, so this destination is removed.
 * The hash of the name of a unix socket would show whether a guessed name is right, so this destination is
 * removed. */
static void redact_destination(const struct redact *r, struct ct_rec *e)
{
	uint32_t address = ct_send_address(e);
	uint8_t bytes[16] = { 0 };

	if (ct_send_dest(e) == CT_DEST_IPV4 && !is_group(address)) {
		memcpy(bytes, &address, sizeof(address));
		redact_address(&r->key, AF_INET, bytes);
		memcpy(&address, bytes, sizeof(address));
		ct_send_to(e, CT_DEST_IPV4, ct_send_port(e), address);
	} else if (ct_send_dest(e) != CT_DEST_IPV6) {
		ct_send_to(e, CT_DEST_NONE, 0, 0);
	}
}

/* Replaces the ids of transactions and stacks by keyed hashes, and those of objects as redact_object_id()
 * does. The old id of a stack is a hash without a key: it would show whether guessed frames are right.
 * Removes the values of variables. Addresses in programs stay. x: the extra words, if the record has some. */
static void redact_event(const struct redact *r, struct ct_rec *rec, uint64_t *x)
{
	rec->obj = redact_object_id(r, rec->obj);
	switch (rec->kind) {
	case CT_SEND:
		redact_destination(r, rec);
		break;
	case CT_EPMEMBER:
		x[0] = redact_object_id(r, x[0]);
		break;
	case CT_ACCESS:
		x[0] = 0;
		x[1] = redact_id(r, x[1]);
		break;
	case CT_JOB_STACK:
		x[1] = redact_id(r, x[1]);
		break;
	case CT_POLLED:
		x[0] = 0;
		break;
	case CT_SAMPLE:
	case CT_VISIT:
		x[0] = redact_id(r, x[0]);
		break;
	case CT_MARK:
		x[0] = redact_id(r, x[0]);
		rec->flags |= CT_MF_HASHED;
		break;
	default:
		break;
	}
}

static int redact_streams(struct redact *r, uint32_t n_cpus, size_t n_events)
{
	const struct window_words *x = r->words.v;
	size_t at = 0, kept = 0;

	r->streams.n = 0;
	for (uint32_t cpu = 0; cpu < n_cpus; cpu++)
		if (VEC_PUSH(&r->streams,
			     (struct encode_stream){ .cpu = (uint16_t)cpu, .min_ns = UINT64_MAX }))
			return -ENOMEM;
	if (VEC_RESERVE(&r->ends, n_cpus + 1))
		return -ENOMEM;
	memset(r->ends.v, 0, (n_cpus + 1) * sizeof(*r->ends.v));
	for (size_t i = 0; i < n_events; i++)
		r->ends.v[r->cpus.v[i]] += 4 + CT_KIND_WORDS(r->events.v[i].r.kind);
	for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
		r->streams.v[cpu].raw = r->raw.v + at;
		at += r->ends.v[cpu];
		r->ends.v[cpu] = at - r->ends.v[cpu];
	}
	for (size_t i = 0; i < n_events; i++) {
		const struct window_event *e = &r->events.v[i];
		struct encode_stream *s = &r->streams.v[r->cpus.v[i]];
		uint64_t *to = r->raw.v + r->ends.v[r->cpus.v[i]];
		size_t words = CT_KIND_WORDS(e->r.kind);

		memcpy(to, &e->r, sizeof(e->r));
		if (words)
			memcpy(to + 4, (x++)->x, words * 8);
		r->ends.v[r->cpus.v[i]] += 4 + words;
		s->n_records++;
		s->min_ns = MIN(s->min_ns, e->r.ts);
		s->max_ns = MAX(s->max_ns, e->r.ts);
	}
	for (uint32_t cpu = 0; cpu < n_cpus; cpu++)
		if (r->streams.v[cpu].n_records)
			r->streams.v[kept++] = r->streams.v[cpu];
	r->streams.n = kept;
	return 0;
}

static int redact_records(struct redact *r, struct decoder *d, struct format_segment *h)
{
	struct decoder_room room = { .kinds = UINT64_MAX };
	struct decoder_got got;
	struct window_words *x;
	int ret;

	decoder_count(h, room.kinds, &room.n_events, &room.n_words);
	if (VEC_RESERVE(&r->events, room.n_events + 1u) || VEC_RESERVE(&r->cpus, room.n_events + 1u) ||
	    VEC_RESERVE(&r->words, room.n_words + 1u) || VEC_RESERVE(&r->raw, (h->n_records + 1u) * 6u))
		return -ENOMEM;
	room.to = (struct window_part){ r->events.v, r->cpus.v, r->words.v };
	ret = decoder_events(d, &room, &got);
	if (ret)
		return ret;
	memset(h->kinds, 0, sizeof(h->kinds));
	x = r->words.v;
	for (size_t i = 0; i < got.n_events; i++) {
		struct ct_rec *rec = &r->events.v[i].r;

		redact_event(r, rec, x->x);
		h->kinds[rec->kind]++;
		x += CT_KIND_WORDS(rec->kind) != 0;
	}
	ret = redact_streams(r, got.n_cpus, got.n_events);
	h->n_records = (uint32_t)got.n_events;
	memcpy(h->kind_info, r->kind_info, sizeof(h->kind_info));
	return ret ? ret : encoder_records(r->encoder, r->streams.v, r->streams.n, h->begin_ns, r->kind_info);
}

static bool name_is_public(const struct ct_object_blob *o)
{
	enum ct_obj_kind k = CT_OBJ_KIND(o->id);
	bool in_dev = o->name_len > 5 && !memcmp(o->name, "/dev/", 5);

	if (k == CT_OBJ_BLOCKDEV) /* people give names to the devices in /dev/mapper */
		return !memchr(o->name + (in_dev ? 5 : 0), '/', o->name_len - (in_dev ? 5 : 0));
	return k == CT_OBJ_ANON ||
	       (in_dev && (k == CT_OBJ_CHARDEV || k == CT_OBJ_TTY || k == CT_OBJ_FUSEDEV));
}

static void redact_object(const struct redact *r, struct ct_object_blob *o)
{
	char name[CT_OBJ_NAME_MAX + 1], old[CT_OBJ_NAME_MAX + 1], frame[REDACT_FRAME_MAX];
	enum ct_obj_kind kind = CT_OBJ_KIND(o->id);

	o->id = redact_object_id(r, o->id);
	o->peer = redact_object_id(r, o->peer);
	if (kind == CT_OBJ_SOCK)
		o->x = 0;
	redact_address(&r->key, o->family, o->laddr);
	redact_address(&r->key, o->family, o->raddr);
	if (name_is_public(o))
		return;
	memcpy(old, o->name, o->name_len);
	old[o->name_len] = 0;
	if (kind == CT_OBJ_DATA || kind == CT_OBJ_QUEUE || kind == CT_OBJ_FUTEX) {
		redact_frame(&r->key, old, frame);
		snprintf(name, sizeof(name), "%s", *old ? frame : "");
	} else {
		redact_path(&r->key, old, o->name_len, name, sizeof(name));
	}
	o->name_len = (uint16_t)strlen(name);
	o->h.size = (uint16_t)(sizeof(*o) + ((o->name_len + 7u) & ~7u));
	memset(o->name, 0, o->h.size - sizeof(*o));
	memcpy(o->name, name, o->name_len);
}

/* A frame may become longer. Outermost frames that no longer fit are dropped. */
static void redact_stack(struct redact *r, const struct ct_stack_blob *s)
{
	struct ct_stack_blob *out = (struct ct_stack_blob *)r->out;
	size_t room = sizeof(r->out) - 8 - sizeof(*out), n = 0;
	const char *p = s->frames;

	*out = *s;
	out->id = redact_id(r, s->id);
	out->n_frames = 0;
	for (unsigned i = 0; i < s->n_frames; i++, p += strlen(p) + 1) {
		char frame[REDACT_FRAME_MAX];
		size_t len;

		redact_frame(&r->key, p, frame);
		len = strlen(frame) + 1;
		if (n + len > room)
			break;
		memcpy(out->frames + n, frame, len);
		n += len;
		out->n_frames++;
	}
	out->h.size = (uint16_t)((sizeof(*out) + n + 7) & ~7ul);
	memset(out->frames + n, 0, out->h.size - sizeof(*out) - n);
}

static void redact_cmdline(const struct redact *r, struct ct_cmdline_blob *c)
{
	char hash[9] = { 0 };

	if (!c->len)
		return;
	redact_word(&r->key, c->text, c->len, hash);
	c->len = (ct_u16)strlen(hash);
	c->h.size = sizeof(*c) + sizeof(hash) - 1;
	memcpy(c->text, hash, sizeof(hash) - 1);
}

static void redact_blob(struct redact *r)
{
	struct ct_blob *blob = (struct ct_blob *)r->out;

	if (((struct ct_blob *)r->blob)->kind == CT_STACK) {
		redact_stack(r, (const struct ct_stack_blob *)r->blob);
		return;
	}
	memcpy(r->out, r->blob, ((struct ct_blob *)r->blob)->size);
	if (blob->kind == CT_CMDLINE)
		redact_cmdline(r, (struct ct_cmdline_blob *)r->out);
	else if (blob->kind == CT_OBJECT)
		redact_object(r, (struct ct_object_blob *)r->out);
	else if (!(blob->flags & CT_TF_KTHREAD) && !redact_is_own(((struct ct_task_blob *)r->out)->comm))
		redact_comm(&r->key, ((struct ct_task_blob *)r->out)->comm);
}

static int redact_dictionary(struct redact *r, struct decoder *d, enum format_block_type type,
			     uint32_t *ret_n)
{
	const struct ct_blob *out = (const struct ct_blob *)r->out;
	const uint8_t *p;
	size_t n;
	int ret = decoder_block(d, type, &p, &n), more;

	r->bytes.n = 0;
	*ret_n = 0;
	if (ret)
		return ret;
	while ((more = blob_next(&p, &n, r->blob)) > 0) {
		redact_blob(r);
		if (VEC_RESERVE(&r->bytes, r->bytes.n + out->size))
			return -ENOMEM;
		memcpy(r->bytes.v + r->bytes.n, out, out->size);
		r->bytes.n += out->size;
		++*ret_n;
	}
	return more ? more : encoder_block(r->encoder, type, r->bytes.v, r->bytes.n, 1);
}

static int redact_meta_text(const struct redact *r, const char *meta, size_t n, char *out, size_t *ret_n)
{
	static const char *const names[] = { "hooks",    "kernel", "machine",      "host",          "cpu",
					     "governor", "limits", "command_cpus", "command_limits" };
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = file_index_meta(meta, n, names[i]);
		char host[9];

		if (!value)
			continue;
		if (!strcmp(names[i], "host")) {
			redact_word(&r->key, value, strlen(value), host);
			value = host;
		}
		if (at + strlen(names[i]) + strlen(value) + 2 > FORMAT_META_MAX)
			return -EFBIG;
		at += (size_t)sprintf(out + at, "%s", names[i]) + 1;
		at += (size_t)sprintf(out + at, "%s", value) + 1;
	}
	*ret_n = at;
	return 0;
}

static int redact_meta(struct redact *r, struct decoder *d)
{
	_cleanup_free_ char *out = malloc(FORMAT_META_MAX), *in = NULL;
	const uint8_t *p;
	size_t n;
	int ret = out ? decoder_block(d, FORMAT_META, &p, &n) : -ENOMEM;

	if (ret)
		return ret;
	in = malloc(n + 1);
	if (!in)
		return -ENOMEM;
	if (n)
		memcpy(in, p, n);
	in[n] = 0;
	ret = redact_meta_text(r, in, n, out, &n);
	return ret ? ret : encoder_block(r->encoder, FORMAT_META, out, n, 1);
}

static int redact_states(struct redact *r, struct decoder *d, uint32_t *ret_n)
{
	const uint8_t *p;
	size_t n;
	int ret = decoder_block(d, FORMAT_STATES, &p, &n);

	if (ret)
		return ret;
	*ret_n = (uint32_t)(n / sizeof(struct format_state));
	n = *ret_n * sizeof(struct format_state);
	if (VEC_RESERVE(&r->bytes, n + 1))
		return -ENOMEM;
	for (size_t at = 0; at < n; at += sizeof(struct format_state)) {
		struct format_state state;

		memcpy(&state, p + at, sizeof(state));
		state.last.obj = redact_object_id(r, state.last.obj);
		memcpy(r->bytes.v + at, &state, sizeof(state));
	}
	return encoder_block(r->encoder, FORMAT_STATES, r->bytes.v, *ret_n, sizeof(struct format_state));
}

static uint64_t redact_file_id(const struct redact *r, uint64_t id)
{
	return siphash(&r->key, &id, sizeof(id));
}

static void redact_boot(const struct redact *r, uint8_t id[16])
{
	uint64_t a = siphash(&r->key, id, 16), b = siphash(&r->key, id, 15);

	memcpy(id, &a, sizeof(a));
	memcpy(id + 8, &b, sizeof(b));
}

int redact_segment(struct redact *r, struct decoder *d, const struct format_segment *old, const uint8_t *body,
		   uint32_t slot_bytes, uint8_t **ret_bytes, size_t *ret_n)
{
	struct format_segment h = *old;
	int ret = decoder_begin(d, old, body, old->body_bytes);

	memset(h.reserved, 0, sizeof(h.reserved));
	if (!ret)
		ret = encoder_begin(r->encoder, sizeof(h));
	if (!ret)
		ret = redact_meta(r, d);
	if (!ret)
		ret = redact_records(r, d, &h);
	if (!ret)
		ret = redact_dictionary(r, d, FORMAT_TASKS, &h.n_tasks);
	if (!ret)
		ret = redact_dictionary(r, d, FORMAT_OBJECTS, &h.n_objects);
	if (!ret)
		ret = redact_dictionary(r, d, FORMAT_STACKS, &h.n_stacks);
	if (!ret)
		ret = redact_states(r, d, &h.n_states);
	if (ret)
		return ret;
	h.file_id = redact_file_id(r, h.file_id);
	redact_boot(r, h.boot_id);
	*ret_bytes = encoder_bytes(r->encoder, ret_n);
	file_index_segment_finish(&h, *ret_bytes, *ret_n, slot_bytes);
	memcpy(*ret_bytes, &h, sizeof(h));
	return 0;
}

int redact_file(struct redact *r, struct format_file *f, char *meta, size_t *meta_bytes)
{
	_cleanup_free_ char *out = malloc(FORMAT_META_MAX);
	int ret = out ? redact_meta_text(r, meta, *meta_bytes, out, meta_bytes) : -ENOMEM;

	if (!ret)
		memcpy(meta, out, *meta_bytes);
	f->file_id = redact_file_id(r, f->file_id);
	return ret;
}

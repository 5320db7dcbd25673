// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes libFuzzer change JSON. One byte that chooses a reader may stand in front of the JSON. */
#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "lib/cleanup.h"

#define JSON_FUZZ_RAW     4 /* LLVMFuzzerMutate() alone makes one of this many changes */
#define JSON_FUZZ_CHANGES 4
#define JSON_FUZZ_LONG    5000
#define JSON_FUZZ_BYTES   16384

size_t LLVMFuzzerMutate(uint8_t *p, size_t n, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t size, unsigned seed);

struct place {
	json_t *in;
	const char *key;
	size_t i;
};

struct pick {
	unsigned rng;
	size_t seen;
	struct place place;
};

static unsigned draw(struct pick *p, unsigned n)
{
	p->rng = p->rng * 1103515245 + 12345;
	return (p->rng >> 8) % n;
}

static void offer(struct pick *p, struct place place)
{
	if (!draw(p, (unsigned)++p->seen))
		p->place = place;
}

static void walk(struct pick *p, json_t *o)
{
	const char *key;
	json_t *v;
	size_t i;

	json_object_foreach (o, key, v) {
		offer(p, (struct place){ .in = o, .key = key });
		walk(p, v);
	}
	json_array_foreach (o, i, v) {
		offer(p, (struct place){ .in = o, .i = i });
		walk(p, v);
	}
}

static json_t *value_at(struct place place)
{
	return place.key ? json_object_get(place.in, place.key) : json_array_get(place.in, place.i);
}

static json_t *odd_string(struct pick *p)
{
	static const char *const strings[] = {
		"",  "\x1b[31mred\x1b[0m", "a\nb", "\xc2\x9b", "../../etc/passwd", "%s%n", "0",
		"x", "\xf0\x9f\x98\x80"
	};
	char text[JSON_FUZZ_LONG];
	size_t n = 1 + draw(p, sizeof(text) - 1);

	if (draw(p, 4))
		return json_string(strings[draw(p, ARRAY_SIZE(strings))]);
	memset(text, draw(p, 2) ? 'x' : '\x1b', n);
	return json_stringn(text, n);
}

static json_t *odd_value(struct pick *p, json_t *old)
{
	static const json_int_t numbers[] = {
		0, 1, -1, INT_MAX, UINT32_MAX, 1LL << 32, LLONG_MAX, LLONG_MIN
	};

	switch (draw(p, 8)) {
	case 0:
		return json_null();
	case 1:
		return json_boolean(draw(p, 2));
	case 2:
		return json_real(1e300);
	case 3:
		return draw(p, 2) ? json_array() : json_object();
	case 4:
		return json_integer((json_int_t)((json_int_t)json_integer_value(old) ^ (1LL << draw(p, 62))));
	case 5:
		return json_integer(numbers[draw(p, ARRAY_SIZE(numbers))]);
	default:
		return odd_string(p);
	}
}

static void change(struct pick *p, json_t *root)
{
	struct place at;
	json_t *value;

	p->seen = 0;
	walk(p, root);
	if (!p->seen)
		return;
	at = p->place;
	if (!draw(p, 6)) {
		if (at.key)
			json_object_del(at.in, at.key);
		else
			json_array_remove(at.in, at.i);
		return;
	}
	p->seen = 0;
	walk(p, root);
	value = draw(p, 3) ? odd_value(p, value_at(at)) : json_deep_copy(value_at(p->place));
	if (!at.key && draw(p, 2))
		json_array_append_new(at.in, value);
	else if (at.key)
		json_object_set_new(at.in, at.key, value);
	else
		json_array_set_new(at.in, at.i, value);
}

/* Returns the new length; 0: no change. */
static size_t mutate(uint8_t *p, size_t n, size_t size, unsigned seed)
{
	size_t front = n && *p != '{' && *p != '[' ? 1 : 0;
	json_t *root = json_loadb((char *)p + front, n - front, 0, NULL);
	struct pick pick = { .rng = seed };
	_cleanup_free_ char *text = NULL;
	size_t len;

	if (!root)
		return 0;
	for (unsigned i = 0; i <= seed % JSON_FUZZ_CHANGES; i++)
		change(&pick, root);
	text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	len = text ? strlen(text) : 0;
	if (!len || len > JSON_FUZZ_BYTES || front + len > size)
		return 0;
	memcpy(p + front, text, len);
	return front + len;
}

size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t size, unsigned seed)
{
	size_t changed = seed % JSON_FUZZ_RAW ? mutate(p, n, size, seed / JSON_FUZZ_RAW) : 0;

	return changed ? changed : LLVMFuzzerMutate(p, n, size);
}

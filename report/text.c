// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/utf8.h"
#include "trace/words/describe.h"

void text_json_release(json_t **j)
{
	json_decref(*j);
}

int text_parse_json(const char *text, size_t size, unsigned max, json_t **ret, char err[TEXT_JSON_ERR_MAX])
{
	json_error_t e;
	char clean[sizeof(e.text)];

	if (size > max) {
		snprintf(err, TEXT_JSON_ERR_MAX, "it has more than %u bytes", max);
		return -EBADMSG;
	}
	*ret = json_loadb(text, size, JSON_REJECT_DUPLICATES, &e);
	if (*ret)
		return 0;
	/* in most places Jansson gives no text if memory runs out */
	if (json_error_code(&e) == json_error_out_of_memory || !e.text[0])
		return -ENOMEM;
	describe_clean(e.text, clean, sizeof(clean));
	snprintf(err, TEXT_JSON_ERR_MAX, "line %d, column %d: %s", e.line, e.column, clean);
	return -EBADMSG;
}

const char *text_bytes(uint64_t bytes, char buf[TEXT_NUMBER_MAX])
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = (double)bytes;
	size_t u = 0;

	for (; v >= 1024 && u + 1 < ARRAY_SIZE(units); u++)
		v /= 1024;
	snprintf(buf, TEXT_NUMBER_MAX, u && v < 100 && v != (double)(uint64_t)v ? "%.1f %s" : "%.0f %s", v,
		 units[u]);
	return buf;
}

const char *text_duration(uint64_t ns, char buf[TEXT_NUMBER_MAX])
{
	uint64_t sec = ns / NSEC_PER_SEC;

	if (ns < NSEC_PER_USEC)
		snprintf(buf, TEXT_NUMBER_MAX, "%" PRIu64 " ns", ns);
	else if (ns < NSEC_PER_MSEC)
		snprintf(buf, TEXT_NUMBER_MAX, "%.4g us", (double)ns / NSEC_PER_USEC);
	else if (ns < NSEC_PER_SEC)
		snprintf(buf, TEXT_NUMBER_MAX, "%.4g ms", (double)ns / NSEC_PER_MSEC);
	else if (sec < 60)
		snprintf(buf, TEXT_NUMBER_MAX, "%.4g s", (double)ns / NSEC_PER_SEC);
	else if (sec < 3600)
		snprintf(buf, TEXT_NUMBER_MAX, "%" PRIu64 " min %" PRIu64 " s", sec / 60, sec % 60);
	else
		snprintf(buf, TEXT_NUMBER_MAX, "%" PRIu64 " h %" PRIu64 " min", sec / 3600, sec / 60 % 60);
	return buf;
}

const char *text_percent(double percent, char buf[TEXT_NUMBER_MAX])
{
	/* "%.2g" alone writes 140 as 1.4e+02, and 0.00002 as 2e-05 */
	if (percent >= 99 || percent == 0)
		snprintf(buf, TEXT_NUMBER_MAX, "%.0f", percent);
	else if (percent >= 0.0001)
		snprintf(buf, TEXT_NUMBER_MAX, "%.2g", percent);
	else
		snprintf(buf, TEXT_NUMBER_MAX, "%.5f", percent);
	return buf;
}

const char *text_count(uint64_t n, char buf[TEXT_NUMBER_MAX])
{
	char digits[TEXT_NUMBER_MAX];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	char *out = buf;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*out++ = ' ';
		*out++ = digits[i];
	}
	*out = 0;
	return buf;
}

const char *text_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

json_t *text_json(const char *s)
{
	_cleanup_free_ char *buf = malloc(strlen(s) * 3 + 1);
	char *out = buf;

	if (!buf)
		return NULL;
	while (*s) {
		size_t n = utf8_len(s);

		memcpy(out, n ? s : "\xef\xbf\xbd", n ? n : 3);
		out += n ? n : 3;
		s += n ? n : 1;
	}
	*out = 0;
	return json_string(buf);
}

static size_t plain_len(const char *s)
{
	size_t n = 0;

	while (s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

static void put_code(FILE *f, uint32_t c)
{
	if (c > 0xffff)
		fprintf(f, "\\u%04X\\u%04X", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
	else
		fprintf(f, "\\u%04X", c);
}

void text_put_json(FILE *f, const char *s)
{
	putc_unlocked('"', f);
	while (*s) {
		size_t plain = plain_len(s), n = plain ? plain : utf8_len(s);

		if (plain)
			fwrite_unlocked(s, 1, plain, f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else
			put_code(f, n ? utf8_code(s, n) : 0xfffd);
		s += n ? n : 1;
	}
	putc_unlocked('"', f);
}

json_t *text_document(const char *schema, json_t *answer)
{
	json_t *doc = json_pack("{s:s}", "schema", schema);

	json_object_del(answer, "ok");
	if (doc)
		json_object_update(doc, answer);
	json_decref(answer);
	return doc;
}

int text_clean(json_t *answer)
{
	const char *key;
	json_t *v;
	size_t i;
	int r = 0;

	if (json_is_string(answer)) {
		_cleanup_free_ char *shown = clean_dup(json_string_value(answer));

		return shown && !json_string_set(answer, shown) ? 0 : -ENOMEM;
	}
	json_array_foreach (answer, i, v)
		r = r ? r : text_clean(v);
	json_object_foreach (answer, key, v)
		r = r ? r : text_clean(v);
	return r;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

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

/* Length of the UTF-8 character at s, 0 when there is none (overlong, surrogate, cut off, stray byte). */
static size_t utf8_len(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 4;

	if (s[0] >= 0x80 && (s[0] < 0xc2 || s[0] > 0xf4))
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

json_t *text_json(const char *s)
{
	const unsigned char *in = (const unsigned char *)s;
	_cleanup_free_ char *buf = malloc(strlen(s) * 3 + 1);
	char *out = buf;

	if (!buf)
		return NULL;
	while (*in) {
		size_t n = utf8_len(in);

		memcpy(out, n ? (const char *)in : "\xef\xbf\xbd", n ? n : 3);
		out += n ? n : 3;
		in += n ? n : 1;
	}
	*out = 0;
	return json_string(buf);
}

void text_put_json(FILE *f, const char *s)
{
	const unsigned char *in = (const unsigned char *)s;

	putc_unlocked('"', f);
	while (*in) {
		size_t n = utf8_len(in);

		if (!n)
			fputs_unlocked("\xef\xbf\xbd", f);
		else if (*in == '"' || *in == '\\')
			fprintf(f, "\\%c", *in);
		else if (*in < 0x20)
			fprintf(f, "\\u%04x", *in);
		else
			fwrite_unlocked(in, 1, n, f);
		in += n ? n : 1;
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

int text_print_json(json_t *doc)
{
	size_t flags = isatty(STDOUT_FILENO) ? JSON_INDENT(2) : JSON_COMPACT;

	if (!doc)
		return cli_error("out of memory");
	json_dumpf(doc, stdout, flags);
	putchar('\n');
	json_decref(doc);
	return CLI_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/input/timearg.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/cleanup.h"

#define TIME_FORMS "write 14:03:12, 2026-01-31T14:03:12, -30s, or mono:, boot: or real: and nanoseconds"

static int fail(int r, char *err, const char *why)
{
	snprintf(err, TIMEARG_ERR_MAX, "%s", why);
	return r;
}

static bool digits(const char **s, int n, int *ret)
{
	int v = 0;

	for (int i = 0; i < n; i++, (*s)++) {
		if (!isdigit((unsigned char)**s))
			return false;
		v = v * 10 + (**s - '0');
	}
	*ret = v;
	return true;
}

static bool take(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

static bool fraction(const char **s, uint64_t *ret_ns)
{
	uint64_t unit = NSEC_PER_SEC / 10, v = 0;

	if (!isdigit((unsigned char)**s))
		return false;
	for (; isdigit((unsigned char)**s); (*s)++, unit /= 10)
		v += (uint64_t)(**s - '0') * unit;
	*ret_ns = v;
	return true;
}

static bool clock_of_day(const char **s, struct tm *tm, uint64_t *ret_frac_ns)
{
	*ret_frac_ns = 0;
	tm->tm_sec = 0;
	if (!digits(s, 2, &tm->tm_hour) || !take(s, ':') || !digits(s, 2, &tm->tm_min))
		return false;
	if (take(s, ':')) {
		if (!digits(s, 2, &tm->tm_sec))
			return false;
		if (take(s, '.') && !fraction(s, ret_frac_ns))
			return false;
	}
	/* The leap second 60 becomes the next minute: the machine's clock has none. */
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec <= 60;
}

/* Reads "Z", "+01:00" or "-0100". The caller has checked the first character. UTC is the local time
 * minus *ret_s. */
static bool zone(const char **s, int64_t *ret_s)
{
	int h, m, sign = **s == '-' ? -1 : 1;

	*ret_s = 0;
	if (take(s, 'Z'))
		return true;
	(*s)++;
	if (!digits(s, 2, &h))
		return false;
	take(s, ':');
	if (!digits(s, 2, &m) || h > 23 || m > 59)
		return false;
	*ret_s = sign * (h * 3600 + m * 60);
	return true;
}

static int to_boot(int64_t sec, uint64_t frac_ns, const struct clock_offsets *o, uint64_t *ret_ns, char *err)
{
	__int128 ns = (__int128)sec * NSEC_PER_SEC + frac_ns - o->boot_to_real_ns;

	if (ns < 0)
		return fail(-ERANGE, err, "the machine had not booted yet at that time");
	if (ns > INT64_MAX)
		return fail(-ERANGE, err, "this time is too far away");
	*ret_ns = (uint64_t)ns;
	return 0;
}

static bool leap_year(int y)
{
	return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

static bool valid_date(const struct tm *tm)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int feb = tm->tm_mon == 1 && leap_year(tm->tm_year + 1900);

	return tm->tm_mon >= 0 && tm->tm_mon < 12 && tm->tm_mday >= 1 &&
	       tm->tm_mday <= days[tm->tm_mon] + feb;
}

static int parse_iso(const char *s, const struct timearg_context *ctx, uint64_t *ret_ns, char *err)
{
	struct tm tm = { .tm_isdst = -1 };
	uint64_t frac = 0;
	int64_t offset, sec;
	bool ok;

	ok = digits(&s, 4, &tm.tm_year) && take(&s, '-') && digits(&s, 2, &tm.tm_mon) && take(&s, '-') &&
	     digits(&s, 2, &tm.tm_mday);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	if (!ok || !valid_date(&tm))
		return fail(-EINVAL, err, "this is not a date; write it as 2026-01-31T14:03:12");
	if (!take(&s, 'T') && !take(&s, ' '))
		return fail(-EINVAL, err, "the time of day is missing; write it as 2026-01-31T14:03:12");
	if (!clock_of_day(&s, &tm, &frac))
		return fail(-EINVAL, err, "this is not a time of day; write it as 2026-01-31T14:03:12");
	if (!*s) {
		sec = mktime(&tm);
	} else {
		if (!strchr("Z+-", *s) || !zone(&s, &offset) || *s)
			return fail(-EINVAL, err,
				    "this is not a time zone; write Z or +01:00 or leave it out");
		sec = timegm(&tm) - offset;
	}
	return to_boot(sec, frac, &ctx->offsets, ret_ns, err);
}

static uint64_t outside_by(uint64_t ns, const struct timearg_context *ctx)
{
	if (ns < ctx->from_ns)
		return ctx->from_ns - ns;
	return ns > ctx->to_ns ? ns - ctx->to_ns : 0;
}

static int parse_wall(const char *s, const struct timearg_context *ctx, uint64_t *ret_ns, char *err)
{
	time_t end = (time_t)(((__int128)ctx->to_ns + ctx->offsets.boot_to_real_ns) / NSEC_PER_SEC);
	uint64_t frac, best = 0, best_by = UINT64_MAX;
	struct tm tod = { 0 }, day;

	if (!clock_of_day(&s, &tod, &frac) || *s)
		return fail(-EINVAL, err, "this is not a time of day; write it as 14:03 or 14:03:12.5");
	localtime_r(&end, &day);
	for (int back = 0; back <= 1; back++) {
		struct tm tm = { .tm_year = day.tm_year,
				 .tm_mon = day.tm_mon,
				 .tm_mday = day.tm_mday - back,
				 .tm_hour = tod.tm_hour,
				 .tm_min = tod.tm_min,
				 .tm_sec = tod.tm_sec,
				 .tm_isdst = -1 };
		uint64_t ns;

		if (to_boot(mktime(&tm), frac, &ctx->offsets, &ns, err) || outside_by(ns, ctx) >= best_by)
			continue;
		best = ns;
		best_by = outside_by(ns, ctx);
	}
	if (best_by == UINT64_MAX)
		return -ERANGE;
	*ret_ns = best;
	return 0;
}

static int scaled(uint64_t whole, uint64_t frac_ns, uint64_t unit_ns, uint64_t *ret_ns)
{
	unsigned __int128 ns =
		(unsigned __int128)whole * unit_ns + (unsigned __int128)frac_ns * unit_ns / NSEC_PER_SEC;

	if (ns > INT64_MAX)
		return -ERANGE;
	*ret_ns = (uint64_t)ns;
	return 0;
}

static bool whole_number(const char **s, uint64_t *ret)
{
	uint64_t v = 0;

	if (!isdigit((unsigned char)**s))
		return false;
	for (; isdigit((unsigned char)**s); (*s)++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(**s - '0'), &v))
			return false;
	*ret = v;
	return true;
}

int timearg_duration(const char *s, uint64_t *ret_ns, char err[TIMEARG_ERR_MAX])
{
	static const struct {
		const char *word;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", NSEC_PER_USEC },
		{ "ms", NSEC_PER_MSEC },
		{ "s", NSEC_PER_SEC },
		{ "m", 60 * NSEC_PER_SEC },
		{ "min", 60 * NSEC_PER_SEC },
		{ "h", 3600 * NSEC_PER_SEC },
		{ "d", 86400 * NSEC_PER_SEC },
	};
	uint64_t whole, frac = 0;

	if (!whole_number(&s, &whole))
		return fail(-EINVAL, err,
			    isdigit((unsigned char)*s)
				    ? "that is too long"
				    : "a duration is a number and a unit; write 500ms, 10s, 2m or 1.5h");
	if (take(&s, '.') && !fraction(&s, &frac))
		return fail(-EINVAL, err, "digits are missing after the point");
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(s, units[i].word))
			continue;
		if (scaled(whole, frac, units[i].ns, ret_ns))
			return fail(-ERANGE, err, "that is too long");
		return 0;
	}
	return fail(-EINVAL, err,
		    *s ? "there is no such unit; use ns, us, ms, s, m, h or d"
		       : "the unit is missing; use ns, us, ms, s, m, h or d");
}

static int parse_relative(const char *s, const struct timearg_context *ctx, uint64_t *ret_ns, char *err)
{
	uint64_t back;
	int r = timearg_duration(s, &back, err);

	if (r)
		return r;
	*ret_ns = back < ctx->to_ns ? ctx->to_ns - back : 0;
	return 0;
}

static int parse_clock(const char *s, int64_t boot_to_it_ns, uint64_t *ret_ns, char *err)
{
	uint64_t v;
	__int128 ns;

	if (!whole_number(&s, &v) || *s)
		return fail(-EINVAL, err,
			    "write a number of nanoseconds after the colon, as in mono:123456789");
	ns = (__int128)v - boot_to_it_ns;
	if (ns < 0)
		return fail(-ERANGE, err, "the machine had not booted yet at that time");
	if (ns > INT64_MAX)
		return fail(-ERANGE, err, "this time is too far away");
	*ret_ns = (uint64_t)ns;
	return 0;
}

int timearg_parse(const char *s, const struct timearg_context *ctx, uint64_t *ret_ns,
		  char err[TIMEARG_ERR_MAX])
{
	size_t n = strspn(s, "0123456789");

	if (!strncmp(s, "mono:", 5))
		return parse_clock(s + 5, ctx->offsets.boot_to_mono_ns, ret_ns, err);
	if (!strncmp(s, "boot:", 5))
		return parse_clock(s + 5, 0, ret_ns, err);
	if (!strncmp(s, "real:", 5))
		return parse_clock(s + 5, ctx->offsets.boot_to_real_ns, ret_ns, err);
	if (*s == '-')
		return parse_relative(s + 1, ctx, ret_ns, err);
	if (n == 2 && s[n] == ':')
		return parse_wall(s, ctx, ret_ns, err);
	if (n == 4 && s[n] == '-')
		return parse_iso(s, ctx, ret_ns, err);
	return fail(-EINVAL, err, TIME_FORMS);
}

uint64_t timearg_length_ns(const char *s)
{
	unsigned colons = 0;

	/* the colon of a time zone ("14:03+01:00") does not count */
	for (const char *p = s; *p && *p != '+' && !(colons && *p == '-'); p++)
		colons += *p == ':';
	if (strchr(s, '.') || !strncmp(s, "mono:", 5) || !strncmp(s, "boot:", 5) || !strncmp(s, "real:", 5))
		return 1;
	return (colons == 1 ? 60 : 1) * NSEC_PER_SEC;
}

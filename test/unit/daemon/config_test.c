/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/config/config.h"
#include "lib/cleanup.h"

static char conf[] = "/tmp/ctraced-conf-XXXXXX";

static int read_with(struct config *c, char *err, const char *file, char *const flags[])
{
	char *argv[16] = { "ctraced", "--config", conf };
	int argc = 3;
	FILE *f = fopen(conf, "w");

	assert_non_null(f);
	fputs(file, f);
	fclose(f);
	while (flags && *flags)
		argv[argc++] = *flags++;
	*err = 0;
	return config_read(argc, argv, c, err);
}

static void file_then_flags(void **state)
{
	char err[CONFIG_ERR_MAX];
	struct config c;

	assert_int_equal(read_with(&c, err, "", NULL), CONFIG_RUN);
	assert_int_equal(c.size_bytes, 2ULL << 30);
	assert_int_equal(c.long_wait_ns, 200000000);
	assert_string_equal(c.socket, "/run/ctrace/ctraced.sock");
	assert_int_equal(read_with(&c, err,
				   "# why\nsize = 64M\nlong-wait = 1.5s\ngroup = adm\ngroup-may = "
				   "snapshot\nframeworks = libuv, /a/b\n",
				   (char *[]){ "--size=1G", "--hooks", "-msg", NULL }),
			 CONFIG_RUN);
	assert_int_equal(c.size_bytes, 1ULL << 30);
	assert_int_equal(c.long_wait_ns, 1500000000);
	assert_string_equal(c.group, "adm");
	assert_int_equal(c.group_may, CONTROL_SNAPSHOT);
	assert_string_equal(c.hooks, "-msg");
	assert_string_equal(c.frameworks, "libuv, /a/b");
	assert_int_equal(read_with(&c, err, "long-wait = 2m\n", NULL), CONFIG_RUN);
	assert_int_equal(c.long_wait_ns, 120000000000);
	assert_int_equal(read_with(&c, err, "", (char *[]){ "--version", NULL }), CONFIG_VERSION);
	assert_int_equal(read_with(&c, err, "", (char *[]){ "--help", "--nonsense", NULL }), CONFIG_HELP);
}

/* Before Linux 6.0, a ring with its header must fit into 4 MiB, so the default is 2 MiB. */
static void ring_of_an_older_kernel(void **state)
{
	char err[CONFIG_ERR_MAX];
	struct config c;

	assert_int_equal(config_ring_default("5.15.0-91-generic"), 2 << 20);
	assert_int_equal(config_ring_default("5.19.17"), 2 << 20);
	assert_int_equal(config_ring_default("6.0.0"), 4 << 20);
	assert_int_equal(config_ring_default("10.1.0-rc1"), 4 << 20);
	assert_int_equal(read_with(&c, err, "ring-size = 8M\n", NULL), CONFIG_RUN);
	assert_int_equal(c.ring_bytes, 8 << 20);
}

static void hangs(void **state)
{
	char err[CONFIG_ERR_MAX];
	const struct detect_override *o;
	struct config c;

	assert_int_equal(read_with(&c, err, "", NULL), CONFIG_RUN);
	assert_true(c.hang.on);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_LOOP], 2000000000);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_DISK], 10000000000);
	assert_int_equal(c.hang.detect.learn_ns, 60000000000);
	/* The setting of one rule overrides hang-after, also if it stands before hang-after.
	 * A time in hang-after does not change hang-disk, hang-crash and hang-exception, but "off" does. */
	assert_int_equal(read_with(&c, err, "hang-busy = off\nhang-after = 5s\nhang-loop = 1s\nhangs = no\n",
				   (char *[]){ "--hang-after=7s", NULL }),
			 CONFIG_RUN);
	assert_false(c.hang.on);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_BUSY], 0);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_LOOP], 1000000000);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_STARVED], 7000000000);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_DISK], 10000000000);
	assert_int_equal(read_with(&c, err, "hang-after = off\n", NULL), CONFIG_RUN);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_DISK], 0);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_CRASH], 0);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_EXCEPTION], 0);
	assert_int_equal(read_with(&c, err, "hang-exception = no\n", NULL), CONFIG_RUN);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_CRASH], 1);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_EXCEPTION], 0);
	assert_int_equal(read_with(&c, err, "[program fuzz*]\nhang-crash = no\n", NULL), CONFIG_RUN);
	assert_int_equal(c.hang.detect.limits.after_ns[CT_HANG_CRASH], 1);
	assert_int_equal(c.hang.detect.overrides[0].set, 1 << CT_HANG_CRASH);
	assert_int_equal(c.hang.detect.overrides[0].limits.after_ns[CT_HANG_CRASH], 0);
	assert_int_equal(read_with(&c, err, "hang-crash = 3s\n", NULL), -EINVAL);
	assert_int_equal(
		read_with(&c, err,
			  "size = 64M\n[program a*]\nhang-after = 3s\n[cgroup /x/*]\nhang-disk = 4s\n"
			  "[program a*]\nhang-disk = 0\n",
			  NULL),
		CONFIG_RUN);
	assert_int_equal(c.hang.detect.n_overrides, 2);
	o = c.hang.detect.overrides;
	assert_false(o[0].is_cgroup);
	assert_string_equal(o[0].match, "a*");
	/* The rules "crash" and "exception" have no time, so hang-after = 3s does not set them. */
	assert_int_equal(o[0].set,
			 ((1 << CT_HANG_RULES) - 1) & ~(1 << CT_HANG_CRASH | 1 << CT_HANG_EXCEPTION));
	assert_int_equal(o[0].limits.after_ns[CT_HANG_LOOP], 3000000000);
	assert_int_equal(o[0].limits.after_ns[CT_HANG_DISK], 0);
	assert_true(o[1].is_cgroup);
	assert_string_equal(o[1].match, "/x/*");
	assert_int_equal(o[1].set, 1 << CT_HANG_DISK);
	assert_int_equal(o[1].limits.after_ns[CT_HANG_DISK], 4000000000);
}

static void what_follows_a_hang(void **state)
{
	char err[CONFIG_ERR_MAX];
	struct config c;

	assert_int_equal(read_with(&c, err, "", NULL), CONFIG_RUN);
	assert_int_equal(c.incident.before_ns, 30000000000);
	assert_int_equal(c.incident.after_ns, 5000000000);
	assert_int_equal(c.incident.size_bytes, 1ULL << 30);
	assert_int_equal(c.incident.rate.n, 2);
	assert_int_equal(c.incident.rate.v[1].n, 10);
	assert_false(c.incident.view);
	assert_int_equal(read_with(&c, err,
				   "snapshot-before = 1min\nsnapshot-after = 0s\nsnapshot-rate = 3/day\n",
				   (char *[]){ "--hangs-size=16M", NULL }),
			 CONFIG_RUN);
	assert_int_equal(c.incident.before_ns, 60000000000);
	assert_int_equal(c.incident.after_ns, 0);
	assert_int_equal(c.incident.size_bytes, 16 << 20);
	assert_int_equal(c.incident.rate.n, 1);
	assert_int_equal(c.incident.rate.v[0].per_ns, 86400000000000);
	assert_int_equal(read_with(&c, err, "view = yes\n", NULL), CONFIG_RUN);
	assert_true(c.incident.view);
	assert_int_equal(read_with(&c, err, "view = yes\n", (char *[]){ "--view", "no", NULL }), CONFIG_RUN);
	assert_false(c.incident.view);
	assert_int_equal(read_with(&c, err, "snapshot-rate = no\n", NULL), CONFIG_RUN);
	assert_true(c.incident.rate.never);
}

static void refusals(void **state)
{
	static char *const flags[][3] = {
		{ "--size", "1", NULL },
		{ "--snapshot-before", "11min", NULL },
		{ "--snapshot-after", "5", NULL },
		{ "--snapshot-rate", "0/h", NULL },
		{ "--hangs-size", "1M", NULL },
		{ "--view", "always", NULL },
		{ "--size", "2Q", NULL },
		{ "--size", "-5G", NULL },
		{ "--size", "0x40000000", NULL },
		{ "--size", "nan", NULL },
		{ "--size", "2T", NULL },
		{ "--size", "1e30", NULL },
		{ "--ring-size", "5M", NULL },
		{ "--ring-size", "1K", NULL },
		{ "--long-wait", "200", NULL },
		{ "--long-wait", "1ms", NULL },
		{ "--long-wait", "5d", NULL },
		{ "--ready-fd", "999", NULL },
		{ "--ready-fd", "x", NULL },
		{ "--nonsense", NULL },
		{ "stray", NULL },
		{ "--size", NULL },
		{ "--state-dir", "", NULL },
		{ "--group-may", "all", NULL },
		{ "--hangs", "maybe", NULL },
		{ "--hang-after", "1ms", NULL },
	};
	static const char *const files[] = {
		"nonsense = 1\n",
		"size = 3\n",
		"junk\n",
		"[x]\nsize = 64M\n",
		"[program a]\nsize = 64M\n",
		"[program a]\nhang-learn = 5s\n",
		"[program]\nhang-after = 5s\n",
		"[cgroup system.slice/*]\nhang-after = 5s\n",
		"[program of-a-very-long-name]\nhang-after = 5s\n",
		"[cgroup /1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18]\nhang-after = 5s\n",
		"hang-loop = soon\n",
	};
	char err[CONFIG_ERR_MAX];
	struct config c;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		assert_int_equal(read_with(&c, err, "", flags[i]), -EINVAL);
		assert_true(strlen(err) > 20 && !strchr(err, '\n'));
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		assert_int_equal(read_with(&c, err, files[i], NULL), -EINVAL);
		assert_non_null(strstr(err, conf));
	}
	assert_int_equal(config_read(3, (char *[]){ "ctraced", "--config", "/nowhere/x" }, &c, err), -EINVAL);
	assert_non_null(strstr(err, "/nowhere/x"));
	assert_int_equal(config_read(3, (char *[]){ "ctraced", "--config", "/tmp" }, &c, err), -EINVAL);
	assert_non_null(strstr(err, "directory"));
}

static void long_values(void **state)
{
	char err[CONFIG_ERR_MAX], value[5000];
	struct config c;

	memset(value, 'a', sizeof(value) - 1);
	value[sizeof(value) - 1] = 0;
	for (size_t i = 0; i < 7; i++) {
		static char *const names[] = { "--state-dir", "--socket",    "--group", "--hooks",
					       "--size",      "--long-wait", "--config" };

		assert_int_equal(read_with(&c, err, "", (char *[]){ names[i], value, NULL }), -EINVAL);
	}
}

static int make_conf(void **state)
{
	int fd = mkstemp(conf);

	return fd < 0 || close(fd);
}

static int remove_conf(void **state)
{
	return unlink(conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_then_flags),
		cmocka_unit_test(what_follows_a_hang),
		cmocka_unit_test(hangs),
		cmocka_unit_test(refusals),
		cmocka_unit_test(ring_of_an_older_kernel),
		cmocka_unit_test(long_values),
	};

	return cmocka_run_group_tests(tests, make_conf, remove_conf);
}

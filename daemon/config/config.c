// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/clock.h"

/* The ranges of settings (ctraced.conf(5)). budget and task-cap may also be 0, which switches
 * them off. */
#define CONFIG_LONG_WAIT_MIN_NS (10 * NSEC_PER_MSEC)
#define CONFIG_BUDGET_MIN       0.05 /* percent */
#define CONFIG_BUDGET_MAX       100
#define CONFIG_TASK_CAP_MIN     1000 /* records a second */
#define CONFIG_TASK_CAP_MAX     1e9
#define CONFIG_FD_MAX           (1 << 20)
/* The first kernel in which a value of an array map may have more than 4 MiB (major version). */
#define CONFIG_RING_KERNEL 6

static int config_set_text(char *dst, size_t cap, const char *what, const char *value, char *err)
{
	if (strlen(value) >= cap) {
		snprintf(err, CONFIG_ERR_MAX, "%s is too long: at most %zu characters.", what, cap - 1);
		return -EINVAL;
	}
	strcpy(dst, value);
	return 0;
}

static int config_set_size(uint64_t *dst, const char *what, const char *value, char *err)
{
	uint64_t v;

	if (config_value_size(value, &v) || v < CONFIG_SIZE_MIN || v > CONFIG_SIZE_MAX) {
		snprintf(err, CONFIG_ERR_MAX,
			 "%s: \"%.40s\" is not a size from 16M to 1T; give for example 512M or 2G.", what,
			 value);
		return -EINVAL;
	}
	*dst = v;
	return 0;
}

static int config_set_ring(uint64_t *dst, const char *what, const char *value, char *err)
{
	uint64_t v;

	if (config_value_size(value, &v) || v < CONFIG_RING_MIN || v > CONFIG_RING_MAX || (v & (v - 1))) {
		snprintf(err, CONFIG_ERR_MAX,
			 "%s: \"%.40s\" is not a power of two from 64K to 256M; give for example 4M.", what,
			 value);
		return -EINVAL;
	}
	*dst = v;
	return 0;
}

static int config_set_long_wait(uint64_t *dst, const char *what, const char *value, char *err)
{
	uint64_t v;

	if (config_value_time(value, &v) || v < CONFIG_LONG_WAIT_MIN_NS || v > CONFIG_TIME_MAX_NS) {
		snprintf(err, CONFIG_ERR_MAX,
			 "%s: \"%.40s\" is not a time from 10ms to 60min; give for example 200ms or 1s.",
			 what, value);
		return -EINVAL;
	}
	*dst = v;
	return 0;
}

int config_budget(uint32_t *ret, const char *what, const char *value, char err[CONFIG_ERR_MAX])
{
	const char *unit;
	double v;

	if (config_value_number(value, &v, &unit) || (strcmp(unit, "%") && (*unit || v != 0)) ||
	    (v != 0 && (v < CONFIG_BUDGET_MIN || v > CONFIG_BUDGET_MAX))) {
		snprintf(err, CONFIG_ERR_MAX,
			 "%s: \"%.40s\" is neither a share from 0.05%% to 100%% nor 0; give for example 1%%.",
			 what, value);
		return -EINVAL;
	}
	*ret = (uint32_t)(v * 1e4);
	return 0;
}

static int config_set_task_cap(uint32_t *dst, const char *what, const char *value, char *err)
{
	const char *unit;
	double v;

	if (config_value_number(value, &v, &unit) || *unit ||
	    (v != 0 && (v < CONFIG_TASK_CAP_MIN || v > CONFIG_TASK_CAP_MAX))) {
		snprintf(
			err, CONFIG_ERR_MAX,
			"%s: \"%.40s\" is neither a number of records a second from 1000 to 1000000000 nor 0; give for example 50000.",
			what, value);
		return -EINVAL;
	}
	*dst = (uint32_t)v;
	return 0;
}

static int config_set_fd(int *dst, const char *what, const char *value, char *err)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(value, &end, 10);
	if (errno || end == value || *end || v < 0 || v > CONFIG_FD_MAX || fcntl((int)v, F_GETFD) < 0) {
		snprintf(err, CONFIG_ERR_MAX, "%s: \"%.40s\" is not the number of an open descriptor.", what,
			 value);
		return -EINVAL;
	}
	*dst = (int)v;
	return 0;
}

static int config_set_right(enum control_right *dst, const char *what, const char *value, char *err)
{
	static const char *const rights[] = {
		[CONTROL_STATUS] = "status", [CONTROL_SNAPSHOT] = "snapshot", [CONTROL_WATCH] = "watch"
	};

	for (size_t i = 0; i < ARRAY_SIZE(rights); i++)
		if (!strcmp(value, rights[i])) {
			*dst = (enum control_right)i;
			return 0;
		}
	snprintf(err, CONFIG_ERR_MAX, "%s: \"%.40s\" is not one of status, snapshot and watch.", what, value);
	return -EINVAL;
}

static int config_set(struct config *c, const char *key, const char *what, const char *value, char *err)
{
	if (!strcmp(key, "state-dir"))
		return config_set_text(c->state_dir, sizeof(c->state_dir) - 32, what, value, err);
	if (!strcmp(key, "socket"))
		return config_set_text(c->socket, sizeof(((struct sockaddr_un *)0)->sun_path), what, value,
				       err);
	if (!strcmp(key, "hooks"))
		return config_set_text(c->hooks, sizeof(c->hooks), what, value, err);
	if (!strcmp(key, "frameworks"))
		return config_set_text(c->frameworks, sizeof(c->frameworks), what, value, err);
	if (!strcmp(key, "group"))
		return config_set_text(c->group, sizeof(c->group), what, value, err);
	if (!strcmp(key, "group-may"))
		return config_set_right(&c->group_may, what, value, err);
	if (!strcmp(key, "size"))
		return config_set_size(&c->size_bytes, what, value, err);
	if (!strcmp(key, "ring-size"))
		return config_set_ring(&c->ring_bytes, what, value, err);
	if (!strcmp(key, "long-wait"))
		return config_set_long_wait(&c->long_wait_ns, what, value, err);
	if (!strcmp(key, "budget"))
		return config_budget(&c->budget_ppm, what, value, err);
	if (!strcmp(key, "task-cap"))
		return config_set_task_cap(&c->task_cap, what, value, err);
	if (!strncmp(key, "snapshot-", 9) || !strcmp(key, "hangs-size") || !strcmp(key, "view"))
		return config_incident_set(&c->incident, key, what, value, err);
	return config_hang_set(&c->hang, 0, key, what, value, err);
}

struct config_ini {
	struct config *config;
	char *err;
	bool failed;
};

static int config_ini_line(void *arg, const char *section, const char *name, const char *value)
{
	struct config_ini *ini = arg;
	char what[CONFIG_PATH_MAX + 64], why[CONFIG_ERR_MAX];
	int r, at;

	if (ini->failed)
		return 0;
	at = *section ? config_hang_section(&ini->config->hang, ini->config->file, section, ini->err) : 0;
	if (at < 0) {
		ini->failed = true;
		return 0;
	}
	snprintf(what, sizeof(what), "%s: %.40s", ini->config->file, name);
	r = at ? config_hang_set(&ini->config->hang, (unsigned)at, name, what, value ?: "", why)
	       : config_set(ini->config, name, what, value ?: "", why);
	if (!r)
		return 1;
	if (r == -ENOENT)
		snprintf(ini->err, CONFIG_ERR_MAX,
			 "%.300s: there is no setting \"%.40s\"%s%.60s; ctraced.conf(5) lists the settings.",
			 ini->config->file, name, at ? " in the section " : "", at ? section : "");
	else
		snprintf(ini->err, CONFIG_ERR_MAX, "%s", why);
	ini->failed = true;
	return 0;
}

static int config_read_file(struct config *c, bool must_exist, char *err)
{
	struct config_ini ini = { .config = c, .err = err };
	_cleanup_fclose_ FILE *f = fopen(c->file, "re");
	struct stat st;
	int r;

	if (!f && errno == ENOENT && !must_exist)
		return 0;
	if (!f) {
		snprintf(err, CONFIG_ERR_MAX, "Cannot read the config file %.300s: %s.", c->file,
			 strerror(errno));
		return -EINVAL;
	}
	if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
		snprintf(err, CONFIG_ERR_MAX, "%.300s is a directory; name the config file in it.", c->file);
		return -EINVAL;
	}
	r = ini_parse_file(f, config_ini_line, &ini);
	if (ini.failed)
		return -EINVAL;
	if (r) {
		snprintf(err, CONFIG_ERR_MAX, "%.300s: line %d is not of the form \"name = value\".", c->file,
			 r);
		return -EINVAL;
	}
	return 0;
}

enum { OPT_CONFIG = 1, OPT_READY_FD, OPT_DIE, OPT_HELP, OPT_VERSION, OPT_SHARED };

static const struct option config_options[] = {
	{ "config", required_argument, NULL, OPT_CONFIG },
	{ "ready-fd", required_argument, NULL, OPT_READY_FD },
	{ "die-with-parent", no_argument, NULL, OPT_DIE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "state-dir", required_argument, NULL, OPT_SHARED },
	{ "socket", required_argument, NULL, OPT_SHARED },
	{ "size", required_argument, NULL, OPT_SHARED },
	{ "ring-size", required_argument, NULL, OPT_SHARED },
	{ "hooks", required_argument, NULL, OPT_SHARED },
	{ "long-wait", required_argument, NULL, OPT_SHARED },
	{ "group", required_argument, NULL, OPT_SHARED },
	{ "group-may", required_argument, NULL, OPT_SHARED },
	{ "budget", required_argument, NULL, OPT_SHARED },
	{ "task-cap", required_argument, NULL, OPT_SHARED },
	{ "frameworks", required_argument, NULL, OPT_SHARED },
	{ "hangs", required_argument, NULL, OPT_SHARED },
	{ "snapshot-before", required_argument, NULL, OPT_SHARED },
	{ "snapshot-after", required_argument, NULL, OPT_SHARED },
	{ "snapshot-rate", required_argument, NULL, OPT_SHARED },
	{ "hangs-size", required_argument, NULL, OPT_SHARED },
	{ "view", required_argument, NULL, OPT_SHARED },
	{ "hang-after", required_argument, NULL, OPT_SHARED },
	{ 0 },
};

/* The first pass obeys only --config, --help and --version. The caller reads the config file before
 * the second pass, so flags override the file. *ret_named: --config is given. Returns an enum
 * config_verdict, or -EINVAL with a sentence in err. */
static int config_read_flags(int argc, char *const argv[], struct config *c, bool first, bool *ret_named,
			     char *err)
{
	int opt, idx = 0, r = 0;

	optind = 0; /* 0 makes getopt_long() of glibc start anew */
	opterr = 0;
	while (r == 0 && (opt = getopt_long(argc, argv, ":h", config_options, &idx)) >= 0) {
		char what[64];

		snprintf(what, sizeof(what), "--%s", opt == 'h' ? "help" : config_options[idx].name);
		if (opt == '?' || opt == ':') {
			snprintf(err, CONFIG_ERR_MAX, "%s %.80s; see ctraced --help.",
				 opt == ':' ? "A value is missing after"
					    : "Unknown flag, or a flag that takes no value:",
				 argv[optind - 1]);
			return -EINVAL;
		}
		if (opt == OPT_HELP || opt == 'h')
			return CONFIG_HELP;
		if (opt == OPT_VERSION)
			return CONFIG_VERSION;
		if (opt == OPT_CONFIG && first) {
			r = config_set_text(c->file, sizeof(c->file) - 512, what, optarg, err);
			*ret_named = true;
		} else if (opt == OPT_READY_FD && !first) {
			r = config_set_fd(&c->ready_fd, what, optarg, err);
		} else if (opt == OPT_DIE && !first) {
			c->die_with_parent = true;
		} else if (opt == OPT_SHARED && !first) {
			r = config_set(c, config_options[idx].name, what, optarg, err);
		}
	}
	if (r == 0 && optind < argc) {
		snprintf(err, CONFIG_ERR_MAX,
			 "\"%.80s\" is not understood: ctraced takes flags only; see ctraced --help.",
			 argv[optind]);
		return -EINVAL;
	}
	return r;
}

uint64_t config_ring_default(const char *release)
{
	return atoi(release) < CONFIG_RING_KERNEL ? 2ULL << 20 : 4ULL << 20;
}

int config_read(int argc, char *const argv[], struct config *ret, char err[CONFIG_ERR_MAX])
{
	struct utsname kernel = { 0 };
	struct config c = {
		.state_dir = "/var/lib/ctrace",
		.socket = "/run/ctrace/ctraced.sock",
		.file = CONFIG_DEFAULT_FILE,
		.size_bytes = 2ULL << 30,
		.long_wait_ns = 200 * NSEC_PER_MSEC,
		.budget_ppm = 10000,
		.task_cap = 50000,
		.ready_fd = -1,
	};
	bool named = false;
	int r;

	uname(&kernel);
	c.ring_bytes = config_ring_default(kernel.release);
	config_hang_defaults(&c.hang);
	config_incident_defaults(&c.incident);
	r = config_read_flags(argc, argv, &c, true, &named, err);
	if (r == 0)
		r = config_read_file(&c, named, err);
	if (r == 0)
		r = config_read_flags(argc, argv, &c, false, &named, err);
	if (r == 0 && (!*c.state_dir || !*c.socket)) {
		snprintf(err, CONFIG_ERR_MAX, "%s must not be empty.", *c.state_dir ? "socket" : "state-dir");
		r = -EINVAL;
	}
	if (r >= 0)
		*ret = c;
	return r;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/config_hang.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ctrace/fields.h"

#define HANG_AFTER_MIN_NS 100000000ULL
/* libinih cuts long names, so names of sections with this many or more characters are refused. */
#define HANG_SECTION_MAX 48

static const char *const hang_rules[CT_HANG_RULES] = {
	[CT_HANG_LOOP] = "hang-loop",         [CT_HANG_BUSY] = "hang-busy",
	[CT_HANG_STARVED] = "hang-starved",   [CT_HANG_DISK] = "hang-disk",
	[CT_HANG_DEADLOCK] = "hang-deadlock", [CT_HANG_SERVICE] = "hang-service",
	[CT_HANG_CRASH] = "hang-crash",       [CT_HANG_EXCEPTION] = "hang-exception",
};

static bool hang_is_off(const char *value)
{
	return !strcmp(value, "0") || !strcmp(value, "off") || !strcmp(value, "no");
}

static int hang_time(const char *what, const char *value, bool may_be_off, uint64_t *ret_ns, char *err)
{
	uint64_t v = 0;

	if (may_be_off && hang_is_off(value)) {
		*ret_ns = 0;
		return 0;
	}
	if (config_value_time(value, &v) || v < HANG_AFTER_MIN_NS || v > CONFIG_TIME_MAX_NS) {
		snprintf(err, CONFIG_ERR_MAX,
			 "%s: \"%.40s\" is not a time from 100ms to 60min%s; give for example 2s.", what,
			 value, may_be_off ? ", or off" : "");
		return -EINVAL;
	}
	*ret_ns = v;
	return 0;
}

/* A crash takes no time, so the rules crash and exception are only on or off. */
static int hang_crash(const char *what, const char *value, uint64_t *ret_ns, char *err)
{
	if (hang_is_off(value)) {
		*ret_ns = 0;
		return 0;
	}
	if (strcmp(value, "yes") != 0 && strcmp(value, "on") != 0) {
		snprintf(err, CONFIG_ERR_MAX, "%s: \"%.40s\" is neither yes nor no.", what, value);
		return -EINVAL;
	}
	*ret_ns = 1;
	return 0;
}

/* Sets hang-after, which is a time or "off", for all rules without a setting of their own. A time
 * does not change the rules disk, crash and exception, but "off" does. */
static int hang_set_after(struct config_hang *c, unsigned section, struct detect_limits *limits,
			  const char *what, const char *value, char *err)
{
	uint64_t ns;
	int r = hang_time(what, value, true, &ns, err);

	for (unsigned i = 0; !r && i < CT_HANG_RULES; i++) {
		if (c->given[section] >> i & 1 ||
		    ((i == CT_HANG_DISK || ct_hang_is_crash((enum ct_hang)i)) && ns))
			continue;
		limits->after_ns[i] = ns;
		if (section)
			c->detect.overrides[section - 1].set |= 1u << i;
	}
	return r;
}

void config_hang_defaults(struct config_hang *c)
{
	c->on = true;
	detect_defaults(&c->detect);
}

int config_hang_set(struct config_hang *c, unsigned section, const char *name, const char *what,
		    const char *value, char err[CONFIG_ERR_MAX])
{
	struct detect_override *o = section ? &c->detect.overrides[section - 1] : NULL;
	struct detect_limits *limits = o ? &o->limits : &c->detect.limits;
	int r;

	if (!strcmp(name, "hangs") && !section)
		return config_value_yes_no(what, value, &c->on, err);
	if (!strcmp(name, "hang-learn") && !section)
		return hang_time(what, value, false, &c->detect.learn_ns, err);
	if (!strcmp(name, "hang-after"))
		return hang_set_after(c, section, limits, what, value, err);
	for (unsigned i = 0; i < CT_HANG_RULES; i++) {
		if (strcmp(name, hang_rules[i]))
			continue;
		r = ct_hang_is_crash((enum ct_hang)i)
			    ? hang_crash(what, value, &limits->after_ns[i], err)
			    : hang_time(what, value, true, &limits->after_ns[i], err);
		c->given[section] |= 1u << i;
		if (o)
			o->set |= 1u << i;
		return r;
	}
	return -ENOENT;
}

int config_hang_section(struct config_hang *c, const char *file, const char *section,
			char err[CONFIG_ERR_MAX])
{
	const char *name = strchr(section, ' ');
	bool program = !strncmp(section, "program ", 8), cgroup = !strncmp(section, "cgroup ", 7);
	struct detect_override *o;
	unsigned i;

	while (name && *name == ' ')
		name++;
	if ((!program && !cgroup) || !*name || strlen(section) >= HANG_SECTION_MAX) {
		snprintf(
			err, CONFIG_ERR_MAX,
			"%.300s: the section \"[%.60s]\" is neither [program NAME] nor [cgroup GLOB], or it is longer than %d characters.",
			file, section, HANG_SECTION_MAX - 1);
		return -EINVAL;
	}
	if (program && strlen(name) >= CT_COMM_LEN) {
		snprintf(
			err, CONFIG_ERR_MAX,
			"%.300s: \"%.60s\" is too long for the name of a program: the kernel keeps only the first %d characters of a name; write only these.",
			file, name, CT_COMM_LEN - 1);
		return -EINVAL;
	}
	if (cgroup && !strchr("/*?[", *name)) {
		snprintf(
			err, CONFIG_ERR_MAX,
			"%.300s: [cgroup %.60s] would match no control group: a path begins with /, for example /system.slice/cron.service.",
			file, name);
		return -EINVAL;
	}
	for (i = 0; i < c->detect.n_overrides; i++)
		if (c->detect.overrides[i].is_cgroup == cgroup && !strcmp(c->detect.overrides[i].match, name))
			return (int)i + 1;
	if (i == DETECT_OVERRIDES_MAX) {
		snprintf(err, CONFIG_ERR_MAX, "%.300s: there are more than %d sections.", file,
			 DETECT_OVERRIDES_MAX);
		return -EINVAL;
	}
	o = &c->detect.overrides[c->detect.n_overrides++];
	*o = (struct detect_override){ .is_cgroup = cgroup };
	snprintf(o->match, sizeof(o->match), "%s", name);
	return (int)i + 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/cgroup.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"

/* Digits of the shortest id. A shorter row of digits belongs to a name that a person chose. */
#define ID_MIN 12

struct part {
	const char *s;
	size_t n;
};

static const char *part_before(const char *path, const char *end, struct part *ret)
{
	while (end > path && end[-1] == '/')
		end--;
	ret->s = end;
	while (ret->s > path && ret->s[-1] != '/')
		ret->s--;
	ret->n = (size_t)(end - ret->s);
	return ret->n ? ret->s : NULL;
}

static bool strip_prefix(struct part *p, const char *prefix)
{
	size_t n = strlen(prefix);

	if (p->n <= n || strncmp(p->s, prefix, n) != 0)
		return false;
	p->s += n;
	p->n -= n;
	return true;
}

static bool strip_suffix(struct part *p, const char *suffix)
{
	size_t n = strlen(suffix);

	if (p->n <= n || strncmp(p->s + p->n - n, suffix, n) != 0)
		return false;
	p->n -= n;
	return true;
}

static bool part_is(const struct part *p, const char *s)
{
	return p->n == strlen(s) && !strncmp(p->s, s, p->n);
}

static bool all_hex(const struct part *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!isxdigit((unsigned char)p->s[i]))
			return false;
	return p->n > 0;
}

/* Undoes the escapes of systemd: "\x2d" becomes "-". */
static void take_name(const struct part *p, char name[CGROUP_NAME_MAX])
{
	size_t out = 0;

	for (size_t i = 0; i < p->n && out + 1 < CGROUP_NAME_MAX; i++) {
		unsigned byte;

		if (p->s[i] == '\\' && i + 3 < p->n && p->s[i + 1] == 'x' &&
		    isxdigit((unsigned char)p->s[i + 2]) && sscanf(p->s + i + 2, "%2x", &byte) == 1 && byte) {
			name[out++] = (char)byte;
			i += 3;
		} else {
			name[out++] = p->s[i];
		}
	}
	name[out] = 0;
}

/* *p: "docker-ID.scope", "libpod-ID", "system.slice:cri-containerd:ID" or "ID". May change *p even
 * if it returns false. */
static bool strip_to_id(struct part *p)
{
	static const char *const runtimes[] = { "docker-", "libpod-", "cri-containerd-", "crio-",
						"nerdctl-" };

	for (size_t i = p->n; i > 0; i--)
		if (p->s[i - 1] == ':') {
			p->s += i;
			p->n -= i;
			return p->n == CGROUP_ID_LEN && all_hex(p);
		}
	strip_suffix(p, ".scope");
	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++)
		if (strip_prefix(p, runtimes[i]))
			return p->n >= ID_MIN && all_hex(p);
	return p->n == CGROUP_ID_LEN && all_hex(p);
}

/* *p: "podUID", or "kubepods-burstable-podUID.slice" with underscores in the UID. May change *p
 * even if it returns false. */
static bool strip_to_pod(struct part *p)
{
	size_t dashes = 0;

	if (strip_suffix(p, ".slice")) {
		if (!strip_prefix(p, "kubepods-"))
			return false;
		(void)(strip_prefix(p, "burstable-") || strip_prefix(p, "besteffort-"));
	}
	if (!strip_prefix(p, "pod") || p->n < 32)
		return false;
	for (size_t i = 0; i < p->n; i++)
		if (p->s[i] == '-' || p->s[i] == '_')
			dashes++;
		else if (!isxdigit((unsigned char)p->s[i]))
			return false;
	return p->n - dashes == 32;
}

static bool strip_to_machine(struct part *p, const struct part *parent)
{
	if (strip_prefix(p, "lxc.payload."))
		return true;
	if (part_is(parent, "lxc.payload") || part_is(parent, "lxc"))
		return true;
	if (strip_prefix(p, "systemd-nspawn@"))
		return strip_suffix(p, ".service");
	return strip_prefix(p, "machine-") && strip_suffix(p, ".scope");
}

bool cgroup_container(const char *path, char name[CGROUP_NAME_MAX])
{
	const char *end = path + strlen(path);
	struct part at, parent, p;

	name[0] = 0;
	while ((end = part_before(path, end, &at))) {
		part_before(path, at.s, &parent);
		p = at;
		if (strip_to_id(&p)) {
			p.n = CGROUP_ID_SHORT;
			take_name(&p, name);
			return true;
		}
		p = at;
		if (strip_to_pod(&p)) {
			snprintf(name, CGROUP_NAME_MAX, "pod-%.8s", p.s);
			return true;
		}
		p = at;
		if (strip_to_machine(&p, &parent)) {
			take_name(&p, name);
			return true;
		}
	}
	return false;
}

bool cgroup_container_id(const char *path, char id[CGROUP_ID_LEN + 1])
{
	const char *end = path + strlen(path);
	struct part p;

	id[0] = 0;
	while ((end = part_before(path, end, &p)))
		if (strip_to_id(&p) && p.n == CGROUP_ID_LEN) {
			memcpy(id, p.s, CGROUP_ID_LEN);
			id[CGROUP_ID_LEN] = 0;
			return true;
		}
	return false;
}

bool cgroup_unit(const char *path, char name[CGROUP_NAME_MAX])
{
	static const char *const kinds[] = { ".service", ".scope", ".socket", ".mount", ".swap" };
	const char *end = path + strlen(path);
	struct part at, p;

	name[0] = 0;
	while ((end = part_before(path, end, &at)))
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
			p = at;
			if (strip_suffix(&p, kinds[i])) {
				take_name(&at, name);
				return true;
			}
		}
	return false;
}

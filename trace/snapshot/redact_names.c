// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/snapshot/redact_names.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "trace/words/frame.h"

/* Most programs use these libraries, so their functions reveal no program. */
static const char *const public_modules[] = {
	"libc",      "libpthread",      "libm",
	"libstdc++", "libgcc_s",        "ld",
	"ld-linux",  "ld-linux-x86-64", "ld-linux-aarch64",
};

static const char *const own_comms[] = {
	"ctrace",         "ctraced",         "ctraced-drain",  "ctraced-store", "ctraced-sync",
	"ctraced-worker", "ctraced-jobs",    "ctraced-stats",  "ctraced-why",   "ctraced-answer",
	"ctrace-visit",   "ctraced-clients", "ctraced-closer", "ctraced-names",
};

void redact_word(const struct siphash_key *key, const char *word, size_t len, char buf[9])
{
	snprintf(buf, 9, "%08x", (unsigned)siphash(key, word, len));
}

void redact_comm(const struct siphash_key *key, char comm[CT_COMM_LEN])
{
	char word[9];

	redact_word(key, comm, strnlen(comm, CT_COMM_LEN), word);
	memset(comm, 0, CT_COMM_LEN);
	snprintf(comm, CT_COMM_LEN, "p-%s", word);
}

bool redact_is_own(const char comm[CT_COMM_LEN])
{
	for (size_t i = 0; i < sizeof(own_comms) / sizeof(*own_comms); i++)
		if (!strncmp(comm, own_comms[i], CT_COMM_LEN))
			return true;
	return false;
}

/* Returns true for a part of the usual path of a display server's socket: .X11-unix, X0, wayland-0. Only such
 * paths tell which sockets belong to a display server. */
static bool is_of_display(const char *part, size_t n)
{
	size_t digits = 0;

	while (digits < n && part[n - 1 - digits] >= '0' && part[n - 1 - digits] <= '9')
		digits++;
	if (!digits)
		return n == 9 && !memcmp(part, ".X11-unix", 9);
	return (n - digits == 1 && *part == 'X') || (n - digits == 8 && !memcmp(part, "wayland-", 8));
}

size_t redact_path(const struct siphash_key *key, const char *path, size_t len, char *buf, size_t size)
{
	char whole[9 * (CT_OBJ_NAME_MAX + 1)];
	size_t n = 0, i = 0;
	const char *from;

	len = len < CT_OBJ_NAME_MAX ? len : CT_OBJ_NAME_MAX;
	while (i < len) {
		const char *slash = memchr(path + i, '/', len - i);
		size_t m = slash ? (size_t)(slash - (path + i)) : len - i;

		if (path[i] == '/' || path[i] == '@') {
			whole[n++] = path[i++];
		} else if ((m == 3 && !memcmp(path + i, "...", 3)) || is_of_display(path + i, m)) {
			memcpy(whole + n, path + i, m);
			n += m;
			i += m;
		} else {
			redact_word(key, path + i, m, whole + n);
			n += 8;
			i += m;
		}
	}
	whole[n] = 0;
	if (n < size) {
		memcpy(buf, whole, n + 1);
		return n;
	}
	from = strchr(whole + n - (size - 4), '/');
	return (size_t)snprintf(buf, size, "...%s", from ? from : "");
}

static bool all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

static void redact_ipv4(const struct siphash_key *key, uint8_t addr[4])
{
	uint64_t hash = siphash(key, addr, 4);

	if (addr[0] == 127 || all_zero(addr, 4))
		return;
	memcpy(addr, &hash, 4);
	addr[0] |= 0xf0;
}

static void redact_ipv6(const struct siphash_key *key, uint8_t addr[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	uint64_t hash = siphash(key, addr, 16);

	if (!memcmp(addr, mapped, sizeof(mapped))) {
		redact_ipv4(key, addr + 12);
		return;
	}
	if (all_zero(addr, 15) && addr[15] <= 1)
		return;
	memset(addr, 0, 16);
	addr[0] = 1;
	memcpy(addr + 8, &hash, 8);
}

void redact_address(const struct siphash_key *key, uint16_t family, uint8_t addr[16])
{
	if (family == AF_INET)
		redact_ipv4(key, addr);
	else if (family == AF_INET6)
		redact_ipv6(key, addr);
	else
		memset(addr, 0, 16);
}

static bool only(const char *p, const char *end, const char *these)
{
	while (p < end && strchr(these, *p))
		p++;
	return p >= end;
}

/* `rest`, the text after the name of a library, may be ".so", "-2.36.so" or ".so.6". */
static bool is_version(const char *rest, size_t len)
{
	const char *so = memmem(rest, len, ".so", 3);

	return so && (so == rest || *rest == '-') && only(rest, so, "-.0123456789") &&
	       only(so + 3, rest + len, ".0123456789");
}

static bool is_public(const char *module, size_t len)
{
	for (size_t i = 0; i < sizeof(public_modules) / sizeof(*public_modules); i++) {
		size_t n = strlen(public_modules[i]);

		if (len > n && !memcmp(module, public_modules[i], n) && is_version(module + n, len - n))
			return true;
	}
	return len == 6 && !memcmp(module, "[vdso]", 6);
}

void redact_frame(const struct siphash_key *key, const char *frame, char buf[REDACT_FRAME_MAX])
{
	const char *open = strrchr(frame, '('), *plus = strrchr(frame, '+');
	size_t len = strlen(frame), name, module;
	char word[9], in[9];

	if (frame_is_kernel(frame) || frame_is_rest(frame)) {
		snprintf(buf, REDACT_FRAME_MAX, "%s", frame);
		return;
	}
	if (!open || open == frame || frame[len - 1] != ')') {
		redact_word(key, frame, len, buf);
		return;
	}
	module = (size_t)(frame + len - 1 - (open + 1));
	if (is_public(open + 1, module)) {
		snprintf(buf, REDACT_FRAME_MAX, "%s", frame);
		return;
	}
	redact_word(key, open + 1, module, in);
	name = (size_t)(open - frame);
	while (name && frame[name - 1] == ' ')
		name--;
	if (frame_is_address(frame)) {
		snprintf(buf, REDACT_FRAME_MAX, "%.*s (%s)", (int)(name < 40 ? name : 40), frame, in);
		return;
	}
	if (plus && plus < open && plus > frame) {
		redact_word(key, frame, (size_t)(plus - frame), word);
		snprintf(buf, REDACT_FRAME_MAX, "%s%.*s (%s)", word, (int)strspn(plus, "+x0123456789abcdef"),
			 plus, in);
		return;
	}
	redact_word(key, frame, name, word);
	snprintf(buf, REDACT_FRAME_MAX, "%s (%s)", word, in);
}

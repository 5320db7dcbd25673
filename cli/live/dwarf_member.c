// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/live/dwarf_member.h"

#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

#define DEPTH_MAX 16

static const char *symbol_of(const char *var)
{
	const char *colon = strrchr(var, ':');

	return colon ? colon + 1 : var;
}

bool dwarf_member_is(const char *var)
{
	const char *dot = strchr(symbol_of(var), '.');

	return !isdigit((unsigned char)var[0]) && dot && dot > symbol_of(var) &&
	       (isalpha((unsigned char)dot[1]) || dot[1] == '_');
}

static int open_module(uint32_t pid, const char *module, size_t n)
{
	_cleanup_fclose_ FILE *maps = NULL;
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	char path[4352];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", pid);
	if (!n)
		return open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	maps = fopen(path, "re");
	while (maps && getline(&line, &cap, maps) > 0) {
		const char *file = strchr(line, '/'), *name = file ? strrchr(file, '/') + 1 : NULL;

		if (!name || strncmp(name, module, n) != 0)
			continue;
		line[strcspn(line, "\n")] = 0;
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root%s", pid, file);
		return open(path, O_RDONLY | O_CLOEXEC);
	}
	if (maps)
		errno = ENOENT;
	return -1;
}

/* Sets *ret to the type of a DIE (an entry of DWARF), without typedefs and qualifiers. */
static bool plain_type(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), ret))
		return false;
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		Dwarf_Die from = *ret;

		switch (dwarf_tag(ret)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_atomic_type:
			if (!dwarf_formref_die(dwarf_attr_integrate(&from, DW_AT_type, &attr), ret))
				return false;
			break;
		default:
			return true;
		}
	}
	return false;
}

static bool child_named(Dwarf_Die *of, int tag, const char *name, size_t n, Dwarf_Die *ret)
{
	for (int r = dwarf_child(of, ret); r == 0; r = dwarf_siblingof(ret, ret)) {
		const char *s = dwarf_tag(ret) == tag ? dwarf_diename(ret) : NULL;

		if (s && !strncmp(s, name, n) && !s[n] && dwarf_hasattr_integrate(ret, DW_AT_type))
			return true;
	}
	return false;
}

static bool find_variable(Dwarf *dw, const char *name, size_t n, Dwarf_Die *ret)
{
	Dwarf_Off off = 0, next;
	size_t header;

	while (!dwarf_nextcu(dw, off, &next, &header, NULL, NULL, NULL)) {
		Dwarf_Die cu;

		if (dwarf_offdie(dw, off + header, &cu) && child_named(&cu, DW_TAG_variable, name, n, ret))
			return true;
		off = next;
	}
	return false;
}

/* Follows the members ".a.b" of a variable to the last one. Offset and size are in bytes. */
static int walk(Dwarf_Die *from, const char *path, uint64_t *ret_off, uint64_t *ret_size)
{
	Dwarf_Die at = *from, type, member;
	Dwarf_Attribute attr;
	Dwarf_Word word;

	*ret_off = 0;
	while (*path == '.') {
		size_t n = strcspn(++path, ".");

		if (!plain_type(&at, &type) || !child_named(&type, DW_TAG_member, path, n, &member))
			return -ENOENT;
		if (dwarf_hasattr(&member, DW_AT_bit_size))
			return -EINVAL;
		/* A member of a union may lack this attribute: then its offset is 0. */
		if (dwarf_attr(&member, DW_AT_data_member_location, &attr)) {
			if (dwarf_formudata(&attr, &word))
				return -EINVAL;
			*ret_off += word;
		}
		at = member;
		path += n;
	}
	if (!plain_type(&at, &type) || dwarf_aggregate_size(&type, &word))
		return -EINVAL;
	*ret_size = word;
	return 0;
}

int dwarf_member_find(uint32_t pid, const char *var, char ret_spec[DWARF_MEMBER_SPEC_MAX], uint64_t *ret_size,
		      char err[DWARF_MEMBER_ERR_MAX])
{
	const char *symbol = symbol_of(var), *dot = strchr(symbol, '.');
	size_t n = (size_t)(dot - symbol);
	_cleanup_close_ int fd = open_module(pid, var, symbol > var ? (size_t)(symbol - var - 1) : 0);
	Dwarf *dw;
	Dwarf_Die die;
	uint64_t off;
	int r = -ENOENT;

	if (fd < 0) {
		r = -errno;
		snprintf(err, DWARF_MEMBER_ERR_MAX,
			 "the file of %.100s cannot be opened: %s; give SYMBOL+OFFSET and --len", var,
			 strerror(errno));
		return r;
	}
	dw = dwarf_begin(fd, DWARF_C_READ);
	if (dw && find_variable(dw, symbol, n, &die))
		r = walk(&die, dot, &off, ret_size);
	dwarf_end(dw);
	if (r)
		snprintf(
			err, DWARF_MEMBER_ERR_MAX, "%.100s: %s; give SYMBOL+OFFSET and --len", var,
			r == -EINVAL
				? "that member cannot be watched"
				: "the debugging information does not have it (was the program built with -g?)");
	else
		snprintf(ret_spec, DWARF_MEMBER_SPEC_MAX, "%.*s+%" PRIu64, (int)MIN(dot - var, 400L), var,
			 off);
	return r;
}

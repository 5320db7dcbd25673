/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variable.h - global variables of a process by name, and names of its addresses:
 * from the symbol tables of what it has mapped (the program, position-independent or
 * not, and shared libraries).
 *
 * The files are the process's own and may lie: they are read within limits
 * (elf/elf_file.h), and not at all where the answer may depend on a server.  No state; any
 * thread that may wait for a disk.
 */
#ifndef CTRACE_DAEMON_INSPECT_VARIABLE_H
#define CTRACE_DAEMON_INSPECT_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/stack/unwind_maps.h"
#include "lib/vec.h"

#define VARIABLE_ERR_MAX    512
#define VARIABLE_NAME_MAX   128
#define VARIABLE_MODULE_MAX 64

struct variable {
	uint64_t addr;
	uint64_t size;                    /* of the symbol, 0: not known */
	uint64_t off;                     /* of addr in the symbol */
	char name[VARIABLE_NAME_MAX];     /* of the symbol; "" none */
	char module[VARIABLE_MODULE_MAX]; /* last part of the file's path, "heap", "anonymous", ... */
};

/* What a process has mapped, and how. */
struct variable_maps {
	uint32_t pid;
	uint64_t file_max;        /* larger files are not looked into; 0: no limit.  For the caller to set. */
	VEC(struct unwind_map) v; /* by address */
	VEC(char) names;          /* path_off is in them */
};

/* 0, -ESRCH, -ENOMEM, -errno. */
int variable_maps_read(struct variable_maps *m, uint32_t pid);
void variable_maps_done(struct variable_maps *m);
/* The mapping of addr, or NULL. */
const struct unwind_map *variable_maps_find(const struct variable_maps *m, uint64_t addr);

/*
 * spec: [MODULE:]SYMBOL[+OFFSET] or a number.  MODULE: the beginning of a file's name ("libfoo.so") or a
 * source file ("flag.c").  A global symbol of the program wins over those of libraries, as for the dynamic
 * linker. 0; -errno and a sentence in err: -ENOENT (with names like it), -EEXIST (ambiguous: with the
 * choices), -EINVAL (a function, a thread's own), -ESRCH, -ENOMEM.
 */
int variable_find(const struct variable_maps *m, const char *spec, struct variable *ret,
		  char err[VARIABLE_ERR_MAX]);
/* What is at an address.  0 (with an empty name when no symbol covers it), or -ENOENT: nothing is mapped. */
int variable_at(const struct variable_maps *m, uint64_t addr, struct variable *ret);
/* As the object of a record is called: "flag (prog)", "state+0x8 (libfoo.so.1)", "0x7f.. (heap)".  Text that
 * can be printed, whatever the program called it. */
void variable_text(const struct variable *v, char *buf, size_t size);
/* The blob that gives a variable (an id of CT_OBJ_DATA) its name in the trace, malloc'd.  NULL: out of
 * memory. */
struct ct_object_blob *variable_object(uint64_t id, uint32_t tgid, const char *name, uint64_t ts_ns);

#endif

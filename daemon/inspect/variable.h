/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variable.h - finds the address of a global or static variable of a process by its name, and finds
 * the variable at an address. Uses the symbol tables of the files that the process has mapped: the
 * program (position-independent or not) and its shared libraries.
 *
 * The files belong to the process and may lie. Each file is read within limits (elf/elf_file.h). A
 * file is not read at all if its file system may have to ask a server. The functions have no state.
 * Any thread that may wait for a disk may call them.
 */
#ifndef CTRACE_DAEMON_INSPECT_VARIABLE_H
#define CTRACE_DAEMON_INSPECT_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/stack/unwind_maps.h"
#include "lib/vec.h"

#define VARIABLE_ERR_MAX 512
/* bytes; the daemon searches a larger file only if a client asks for the search */
#define VARIABLE_FILE_MAX   (32u << 20)
#define VARIABLE_NAME_MAX   128
#define VARIABLE_MODULE_MAX 64

struct variable {
	uint64_t addr;
	uint64_t size;                    /* size of the symbol; 0: not known */
	uint64_t off;                     /* offset of addr in the symbol */
	char name[VARIABLE_NAME_MAX];     /* name of the symbol; "": there is none */
	char module[VARIABLE_MODULE_MAX]; /* last part of the file's path, "heap", "anonymous", ... */
};

/* The mappings of a process. */
struct variable_maps {
	uint32_t pid;
	uint64_t file_max;        /* set by the caller: larger files are not searched; 0: no limit */
	VEC(struct unwind_map) v; /* sorted by address */
	VEC(char) names;          /* the paths; path_off of a mapping is an offset in this array */
};

/* Reads the mappings of a process. Returns 0. Returns -ESRCH if there is no such process, or if it
 * is a kernel thread. Returns -ENOMEM or another -errno for other errors. On success the caller
 * calls variable_maps_done(). */
int variable_maps_read(struct variable_maps *m, uint32_t pid);
void variable_maps_done(struct variable_maps *m);
/* Returns the mapping that holds addr, or NULL if there is none. The mapping is valid until
 * variable_maps_done(). */
const struct unwind_map *variable_maps_find(const struct variable_maps *m, uint64_t addr);

/*
 * Finds a variable by name. spec: [MODULE:]SYMBOL[+OFFSET] or an address. MODULE: the beginning of
 * a file's name ("libfoo.so") or a source file ("flag.c"). If the program and libraries have global
 * symbols of this name, the symbol of the program wins, as for the dynamic linker.
 *
 * Returns 0, or an error with a sentence in err:
 * - -ENOENT: there is no such variable; err has similar names
 * - -EEXIST: there are several such variables; err has the choices
 * - -EINVAL: spec is malformed, or names a function or a thread-local variable
 * - -EFAULT: nothing is mapped at the address
 * - -EREMOTE: the file at the address must not be read
 * - -ENOMEM
 */
int variable_find(const struct variable_maps *m, const char *spec, struct variable *ret,
		  char err[VARIABLE_ERR_MAX]);
/* Finds the name for an address. If no symbol covers the address, the name is empty. Returns 0, or
 * -ENOENT if nothing is mapped at the address. */
int variable_at(const struct variable_maps *m, uint64_t addr, struct variable *ret);
/* Writes the name that the variable has as an object of records: "flag (prog)", "state+0x8 (libfoo.so.1)",
 * "0x7f.. (heap)". The text is printable, whatever bytes the program uses. */
void variable_text(const struct variable *v, char *buf, size_t size);
/* Makes the blob that gives a variable (an id of CT_OBJ_DATA or CT_OBJ_FUTEX) its name in the trace. The
 * caller frees it. NULL: out of memory. */
struct ct_object_blob *variable_object(uint64_t id, uint32_t tgid, const char *name, uint64_t ts_ns);

#endif

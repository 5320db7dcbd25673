/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variable.h - finds a global or static variable of a process by its name or its address, in the
 * symbol tables of the program and its shared libraries.
 *
 * The files may be hostile, so each is read within limits (elf/elf_file.h). A file that may be on a
 * server is not read. Any thread that may wait for a disk may call the functions.
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
/* bytes; larger files are searched only for a client of the control socket (`ctrace watch`) */
#define VARIABLE_FILE_MAX   (32u << 20)
#define VARIABLE_NAME_MAX   128
#define VARIABLE_MODULE_MAX 64

struct variable {
	uint64_t addr;
	uint64_t size;
	uint64_t off;
	char name[VARIABLE_NAME_MAX];
	/* last part of the file's path, "heap", "anonymous", ... */
	char module[VARIABLE_MODULE_MAX];
};

struct variable_maps {
	uint32_t pid;
	uint64_t file_max; /* set by the caller; larger files are not searched; 0: no limit */
	VEC(struct unwind_map) v;
	VEC(char) names;
};

/* Returns 0, -ESRCH if there is no such process or it is a kernel thread, or another -errno. After
 * success, the caller calls variable_maps_done(). */
int variable_maps_read(struct variable_maps *m, uint32_t pid);
void variable_maps_done(struct variable_maps *m);
/* Returns NULL if nothing is mapped at addr. Valid until variable_maps_done(). */
const struct unwind_map *variable_maps_find(const struct variable_maps *m, uint64_t addr);

/*
 * Finds a variable by name. spec: [MODULE:]SYMBOL[+OFFSET] or an address. MODULE: the beginning of
 * a file's name ("libfoo.so") or a source file ("flag.c"). A global symbol of the program takes
 * precedence over the symbols of libraries.
 *
 * Returns 0, or an error with a sentence in err:
 * - -ENOENT: there is no such variable; err has similar names, if there are any
 * - -EEXIST: there are several such variables; err has the choices
 * - -EINVAL: spec is malformed, or names a function or a thread-local variable
 * - -EFAULT: nothing is mapped at the address
 * - -EREMOTE: the file at the address must not be read
 * - -ENOMEM
 */
int variable_find(const struct variable_maps *m, const char *spec, struct variable *ret,
		  char err[VARIABLE_ERR_MAX]);
/* If no symbol covers addr, the name is empty. Returns 0, or -ENOENT if nothing is mapped there. */
int variable_at(const struct variable_maps *m, uint64_t addr, struct variable *ret);
/* Writes the printable name that records give to the variable: "flag (prog)", "state+0x8
 * (libfoo.so.1)", "0x7f.. (heap)". */
void variable_text(const struct variable *v, char *buf, size_t size);
/* Makes the blob that names a variable in the trace. id: an object of the kind CT_OBJ_DATA or
 * CT_OBJ_FUTEX. The caller frees the blob. NULL: out of memory. */
struct ct_object_blob *variable_object(uint64_t id, uint32_t tgid, const char *name, uint64_t ts_ns);

#endif

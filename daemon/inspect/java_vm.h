/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_vm.h - private to inspect/: reads the structures of HotSpot, the usual Java virtual machine, in the
 * memory of a running program. The program goes on meanwhile, and it may be hostile. So all values may be
 * old or wrong. The number of reads is limited. For the facts about HotSpot, see ctrace/jvm.h.
 */
#ifndef CTRACE_DAEMON_INSPECT_JAVA_VM_H
#define CTRACE_DAEMON_INSPECT_JAVA_VM_H

#include "daemon/stack/unwind.h"
#include "lib/map.h"

/* Global variables of HotSpot, and members of its structures. */
enum java_member {
	/* global variables */
	JAVA_LIST, /* the address of the ThreadsList */
	JAVA_OOP_BASE,
	JAVA_OOP_SHIFT,
	JAVA_KLASS_BASE,
	JAVA_KLASS_SHIFT,
	JAVA_GLOBALS,
	/* members: of the threads, and of a monitor */
	JAVA_LIST_LENGTH = JAVA_GLOBALS,
	JAVA_LIST_THREADS,
	JAVA_OSTHREAD,
	JAVA_THREAD_ID,
	JAVA_PENDING, /* the monitor for which the thread waits */
	JAVA_STACK_BASE,
	JAVA_STACK_SIZE,
	JAVA_OWNER,
	JAVA_OBJECT,
	/* of a thread; older versions do not have them */
	JAVA_OWNER_ID,
	JAVA_LOCK_STACK,
	JAVA_LOCK_STACK_TOP,
	JAVA_LOCK_STACK_BASE,
	JAVA_WAITING, /* of a thread in Object.wait(): the monitor of the object */
	/* of objects and their classes */
	JAVA_THREAD_OBJECT,
	JAVA_KLASS,
	JAVA_KLASS_NAME,
	JAVA_KLASS_LAYOUT,
	JAVA_KLASS_SUPER,
	JAVA_SYMBOL_LENGTH,
	JAVA_SYMBOL_BODY,
	JAVA_MEMBERS,
};

/* What is remembered of files with HotSpot, and of programs that run them. All zero at the start; `threads`
 * needs map_done() at the end. */
#define JAVA_FILES        8
#define JAVA_VARIABLES    7
#define JAVA_LAYOUTS      32
#define JAVA_THREADS_KEPT 16384 /* with so many entries, `threads` is emptied */
struct java_layouts {
	struct java_file {
		uint64_t serial; /* unwind_elf.serial; 0: the entry is free */
		/* the virtual addresses of the variables that ctrace/jvm.h lists; 0: missing */
		uint64_t vaddr[JAVA_VARIABLES];
	} files[JAVA_FILES];
	unsigned next_file; /* the entry that is replaced next */
	struct java_layout {
		uint64_t serial, bias; /* the program is known by these and by tgid; serial 0: free */
		uint32_t tgid;
		uint64_t used; /* java_layouts.used at the last use */
		bool has[JAVA_MEMBERS];
		/* of a member: its offset; of a global variable: its address */
		uint64_t at[JAVA_MEMBERS];
		uint32_t blocker; /* offset of Thread.parkBlocker; 0: not known yet */
		bool wide; /* a reference has 8 bytes, see inspect_java.c; valid if `blocker` is known */
	} v[JAVA_LAYOUTS];
	uint64_t used;
	struct map threads; /* tgid << 32 | tid (in the namespace of the program) -> JavaThread */
};

struct java_vm {
	struct unwind *u;
	uint64_t bias; /* address of a symbol in memory, minus its virtual address in the file */
	uint32_t tgid;
	uint32_t left; /* further reads of memory that are allowed */
	struct java_layout *l;
	struct map *threads;
	/* Short references and classes have 4 bytes: address = base + (value << shift). Set by
	 * java_vm_read_bases(). */
	uint64_t oop_base, klass_base;
	unsigned oop_shift, klass_shift;
};

/* f: a frame of process tgid in HotSpot. *vm is valid until unwind_end(). If the table of HotSpot cannot be
 * read, java_vm_has() is false for all members. */
void java_vm_begin(struct java_vm *vm, struct unwind *u, uint32_t tgid, const struct unwind_frame *f,
		   struct java_layouts *layouts);
/* Returns true if the version of HotSpot has all of [from, to]. */
bool java_vm_has(const struct java_vm *vm, enum java_member from, enum java_member to);
/* Returns false if not all n bytes can be read, or if no reads are left. */
bool java_vm_get(struct java_vm *vm, uint64_t addr, void *buf, size_t n);
/* The next three return 0 if the value cannot be read, or if `base` is 0. `base` is the address of the
 * structure. */
uint64_t java_vm_global(struct java_vm *vm, enum java_member global);
uint64_t java_vm_word(struct java_vm *vm, uint64_t base, enum java_member member);
uint32_t java_vm_half(struct java_vm *vm, uint64_t base, enum java_member member); /* 4 bytes */

void java_vm_read_bases(struct java_vm *vm);

typedef bool (*java_thread_fn)(struct java_vm *vm, uint64_t thread, const void *key);
/* Returns the address of the first JavaThread for which fn is true, or 0. */
uint64_t java_vm_find(struct java_vm *vm, java_thread_fn fn, const void *key);
/* Returns the JavaThread with this tid (in its innermost pid namespace), or 0. */
uint64_t java_vm_thread(struct java_vm *vm, uint32_t id);
/* Returns the tid of a JavaThread in its innermost pid namespace, or 0. */
uint32_t java_vm_thread_id(struct java_vm *vm, uint64_t thread);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/java_vm.h"

#include <stdlib.h>
#include <string.h>

#include "ctrace/jvm.h"
#include "lib/cleanup.h"

#define ENTRIES_MAX 8192
#define ENTRY_BYTES 128
#define NAME_BYTES  64
#define THREADS_MAX 4096
/* reads of memory: for the table, and for each inspection */
#define TABLE_READS 30000
#define READS_MAX   20000
#define BLOCK       512 /* pointers to threads that are read at once */

/* Some versions have a member in JavaThread that others have in Thread, which is the start of JavaThread. */
static const struct {
	enum java_member member;
	const char *type, *name;
} members[] = {
	{ JAVA_LIST, "ThreadsSMRSupport", "_java_thread_list" },
	{ JAVA_LIST_LENGTH, "ThreadsList", "_length" },
	{ JAVA_LIST_THREADS, "ThreadsList", "_threads" },
	{ JAVA_OSTHREAD, "JavaThread", "_osthread" },
	{ JAVA_OSTHREAD, "Thread", "_osthread" },
	{ JAVA_THREAD_ID, "OSThread", "_thread_id" },
	{ JAVA_PENDING, "JavaThread", "_current_pending_monitor" },
	{ JAVA_PENDING, "Thread", "_current_pending_monitor" },
	{ JAVA_WAITING, "JavaThread", "_current_waiting_monitor" },
	{ JAVA_WAITING, "Thread", "_current_waiting_monitor" },
	{ JAVA_STACK_BASE, "JavaThread", "_stack_base" },
	{ JAVA_STACK_BASE, "Thread", "_stack_base" },
	{ JAVA_STACK_SIZE, "JavaThread", "_stack_size" },
	{ JAVA_STACK_SIZE, "Thread", "_stack_size" },
	{ JAVA_OWNER, "ObjectMonitor", "_owner" },
	{ JAVA_OBJECT, "ObjectMonitor", "_object" },
	{ JAVA_OWNER_ID, "JavaThread", "_monitor_owner_id" },
	{ JAVA_LOCK_STACK, "JavaThread", "_lock_stack" },
	{ JAVA_LOCK_STACK_TOP, "LockStack", "_top" },
	{ JAVA_LOCK_STACK_BASE, "LockStack", "_base[0]" },
	{ JAVA_THREAD_OBJECT, "JavaThread", "_threadObj" },
	{ JAVA_KLASS, "oopDesc", "_metadata._compressed_klass" },
	{ JAVA_KLASS_NAME, "Klass", "_name" },
	{ JAVA_KLASS_LAYOUT, "Klass", "_layout_helper" },
	{ JAVA_KLASS_SUPER, "Klass", "_super" },
	{ JAVA_SYMBOL_LENGTH, "Symbol", "_length" },
	{ JAVA_SYMBOL_BODY, "Symbol", "_body[0]" },
	{ JAVA_OOP_BASE, "CompressedOops", "_base" },
	{ JAVA_OOP_BASE, "CompressedOops", "_narrow_oop._base" },
	{ JAVA_OOP_SHIFT, "CompressedOops", "_shift" },
	{ JAVA_OOP_SHIFT, "CompressedOops", "_narrow_oop._shift" },
	{ JAVA_KLASS_BASE, "CompressedKlassPointers", "_base" },
	{ JAVA_KLASS_BASE, "CompressedKlassPointers", "_narrow_klass._base" },
	{ JAVA_KLASS_SHIFT, "CompressedKlassPointers", "_shift" },
	{ JAVA_KLASS_SHIFT, "CompressedKlassPointers", "_narrow_klass._shift" },
};

enum { TABLE, ENTRY_SIZE, ENTRY_TYPE, ENTRY_NAME, ENTRY_STATIC, ENTRY_OFFSET, ENTRY_ADDRESS, VARIABLES };
_Static_assert(VARIABLES == JAVA_VARIABLES, "java_file.vaddr has them all");
static const char *const variables[VARIABLES] = {
	[TABLE] = JVM_TABLE,
	[ENTRY_SIZE] = JVM_ENTRY_SIZE,
	[ENTRY_TYPE] = JVM_ENTRY_TYPE,
	[ENTRY_NAME] = JVM_ENTRY_NAME,
	[ENTRY_STATIC] = JVM_ENTRY_STATIC,
	[ENTRY_OFFSET] = JVM_ENTRY_OFFSET,
	[ENTRY_ADDRESS] = JVM_ENTRY_ADDRESS,
};

bool java_vm_get(struct java_vm *vm, uint64_t addr, void *buf, size_t n)
{
	if (!addr || !vm->left)
		return false;
	vm->left--;
	return unwind_memory(vm->u, addr, buf, n) == (long)n;
}

static bool get_name(struct java_vm *vm, uint64_t addr, char name[NAME_BYTES])
{
	long got = 0;

	if (addr && vm->left) {
		vm->left--;
		got = unwind_memory(vm->u, addr, name, NAME_BYTES);
	}
	return got > 0 && memchr(name, 0, (size_t)got);
}

static int note_variable(void *arg, const struct elf_symbol *sym)
{
	uint64_t *vaddr = arg;

	for (unsigned i = 0; i < VARIABLES; i++)
		if (!strcmp(sym->name, variables[i]))
			vaddr[i] = sym->vaddr;
	return 0;
}

/* Returns the virtual addresses of `variables` in the file of f. An address is 0 if the file does not have
 * the variable. */
static const uint64_t *file_variables(struct java_layouts *all, const struct unwind_frame *f)
{
	struct java_file *file;

	for (unsigned i = 0; i < JAVA_FILES; i++)
		if (all->files[i].serial == f->elf->serial)
			return all->files[i].vaddr;
	file = &all->files[all->next_file++ % JAVA_FILES];
	*file = (struct java_file){ .serial = f->elf->serial };
	if (elf_symbols_each(&f->elf->file, note_variable, file->vaddr) < 0)
		memset(file->vaddr, 0, sizeof(file->vaddr));
	return file->vaddr;
}

static bool read_variables(struct java_vm *vm, const uint64_t *vaddr, uint64_t v[VARIABLES])
{
	for (unsigned i = 0; i < VARIABLES; i++)
		if (!vaddr[i] || !java_vm_get(vm, vm->bias + vaddr[i], &v[i], sizeof(v[i])))
			return false;
	if (v[ENTRY_SIZE] < sizeof(uint64_t) || v[ENTRY_SIZE] > ENTRY_BYTES)
		return false;
	for (unsigned i = ENTRY_TYPE; i < VARIABLES; i++)
		if (v[i] > v[ENTRY_SIZE] - sizeof(uint64_t))
			return false;
	return true;
}

static bool is_wanted_type(const char *type)
{
	for (unsigned i = 0; i < ARRAY_SIZE(members); i++)
		if (!strcmp(members[i].type, type))
			return true;
	return false;
}

static void note_member(struct java_layout *l, const char *type, const char *name,
			const uint64_t v[VARIABLES], const char *entry)
{
	uint64_t offset, address;
	int32_t is_static;

	memcpy(&offset, entry + v[ENTRY_OFFSET], sizeof(offset));
	memcpy(&address, entry + v[ENTRY_ADDRESS], sizeof(address));
	memcpy(&is_static, entry + v[ENTRY_STATIC], sizeof(is_static));
	for (unsigned i = 0; i < ARRAY_SIZE(members); i++) {
		enum java_member m = members[i].member;

		if (strcmp(members[i].type, type) || strcmp(members[i].name, name) ||
		    (is_static != 0) != (m < JAVA_GLOBALS))
			continue;
		l->has[m] = true;
		l->at[m] = is_static ? address : offset;
	}
}

/* Returns false if the end of the table cannot be read. */
static bool read_table(struct java_vm *vm, struct java_layout *l, const uint64_t v[VARIABLES])
{
	char entry[ENTRY_BYTES], type[NAME_BYTES] = "", name[NAME_BYTES];
	uint64_t at = v[TABLE], type_at, name_at, last_type_at = 0;
	bool wanted = false;

	for (unsigned i = 0; i < ENTRIES_MAX; i++, at += v[ENTRY_SIZE]) {
		if (!java_vm_get(vm, at, entry, v[ENTRY_SIZE]))
			return false;
		memcpy(&type_at, entry + v[ENTRY_TYPE], sizeof(type_at));
		memcpy(&name_at, entry + v[ENTRY_NAME], sizeof(name_at));
		if (!type_at)
			return true;
		if (type_at != last_type_at)
			wanted = get_name(vm, type_at, type) && is_wanted_type(type);
		last_type_at = type_at;
		if (wanted && get_name(vm, name_at, name))
			note_member(l, type, name, v, entry);
	}
	return false;
}

/* The table is in memory that its program can change. So a layout is only for this program. If the table
 * cannot be read to its end, the layout has no members. */
static struct java_layout *layout_get(struct java_layouts *all, struct java_vm *vm,
				      const struct unwind_frame *f)
{
	struct java_layout *l = &all->v[0];
	uint64_t v[VARIABLES];
	bool read;

	all->used++;
	for (unsigned i = 0; i < JAVA_LAYOUTS; i++) {
		struct java_layout *x = &all->v[i];

		if (x->serial == f->elf->serial && x->tgid == vm->tgid && x->bias == vm->bias) {
			x->used = all->used;
			return x;
		}
		if (x->used < l->used)
			l = x;
	}
	*l = (struct java_layout){ 0 };
	read = read_variables(vm, file_variables(all, f), v) && read_table(vm, l, v);
	if (!read)
		*l = (struct java_layout){ 0 };
	l->serial = f->elf->serial;
	l->tgid = vm->tgid;
	l->bias = vm->bias;
	l->used = all->used;
	return l;
}

bool java_vm_has(const struct java_vm *vm, enum java_member from, enum java_member to)
{
	for (unsigned i = from; i <= to; i++)
		if (!vm->l->has[i])
			return false;
	return true;
}

void java_vm_begin(struct java_vm *vm, struct unwind *u, uint32_t tgid, const struct unwind_frame *f,
		   struct java_layouts *layouts)
{
	*vm = (struct java_vm){ .u = u,
				.bias = f->ip - f->vaddr,
				.tgid = tgid,
				.left = TABLE_READS,
				.threads = &layouts->threads };
	vm->l = layout_get(layouts, vm, f);
	vm->left = READS_MAX;
}

uint64_t java_vm_global(struct java_vm *vm, enum java_member global)
{
	uint64_t v;

	return java_vm_get(vm, vm->l->at[global], &v, sizeof(v)) ? v : 0;
}

void java_vm_read_bases(struct java_vm *vm)
{
	vm->oop_base = java_vm_global(vm, JAVA_OOP_BASE);
	vm->oop_shift = java_vm_global(vm, JAVA_OOP_SHIFT) & 31;
	vm->klass_base = java_vm_global(vm, JAVA_KLASS_BASE);
	vm->klass_shift = java_vm_global(vm, JAVA_KLASS_SHIFT) & 31;
}

uint64_t java_vm_word(struct java_vm *vm, uint64_t base, enum java_member member)
{
	uint64_t v;

	return base && java_vm_get(vm, base + vm->l->at[member], &v, sizeof(v)) ? v : 0;
}

uint32_t java_vm_half(struct java_vm *vm, uint64_t base, enum java_member member)
{
	uint32_t v;

	return base && java_vm_get(vm, base + vm->l->at[member], &v, sizeof(v)) ? v : 0;
}

uint32_t java_vm_thread_id(struct java_vm *vm, uint64_t thread)
{
	return java_vm_half(vm, java_vm_word(vm, thread, JAVA_OSTHREAD), JAVA_THREAD_ID);
}

uint64_t java_vm_find(struct java_vm *vm, java_thread_fn fn, const void *key)
{
	uint64_t list = java_vm_global(vm, JAVA_LIST), from, block[BLOCK];
	uint32_t n;

	n = java_vm_half(vm, list, JAVA_LIST_LENGTH);
	n = MIN(n, (uint32_t)THREADS_MAX);
	from = java_vm_word(vm, list, JAVA_LIST_THREADS);
	for (uint32_t i = 0; i < n; i++) {
		if (i % BLOCK == 0 && !java_vm_get(vm, from + i * sizeof(block[0]), block,
						   MIN(n - i, (uint32_t)BLOCK) * sizeof(block[0])))
			return 0;
		if (fn(vm, block[i % BLOCK], key))
			return block[i % BLOCK];
	}
	return 0;
}

static bool has_id(struct java_vm *vm, uint64_t thread, const void *id)
{
	uint32_t tid = java_vm_thread_id(vm, thread);

	if (vm->threads->n >= JAVA_THREADS_KEPT)
		map_done(vm->threads);
	if (tid)
		map_set(vm->threads, (uint64_t)vm->tgid << 32 | tid, thread);
	return tid == *(const uint32_t *)id;
}

uint64_t java_vm_thread(struct java_vm *vm, uint32_t id)
{
	uint64_t thread;

	if (map_get(vm->threads, (uint64_t)vm->tgid << 32 | id, &thread) &&
	    java_vm_thread_id(vm, thread) == id)
		return thread;
	return java_vm_find(vm, has_id, &id);
}

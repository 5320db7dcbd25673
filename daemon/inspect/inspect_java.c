// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/inspect_java.h"

#include <linux/futex.h>
#include <string.h>

#include "ctrace/jvm.h"
#include "daemon/inspect/inspect_args.h"
#include "lib/cleanup.h"

#define LOCKS_MAX    64  /* entries of a LockStack */
#define OBJECT_BYTES 512 /* of an object, at most this many bytes are read */
#define FIELDS_FROM  12  /* bytes: the mark word and the class are in front of the members */

static bool has_owner_id(struct java_vm *vm, uint64_t thread, const void *owner)
{
	return java_vm_word(vm, thread, JAVA_OWNER_ID) == *(const uint64_t *)owner;
}

static bool is_owner(struct java_vm *vm, uint64_t thread, const void *key)
{
	uint64_t owner = *(const uint64_t *)key, base = java_vm_word(vm, thread, JAVA_STACK_BASE);

	return thread == owner || (owner < base && owner >= base - java_vm_word(vm, thread, JAVA_STACK_SIZE));
}

static bool has_locked(struct java_vm *vm, uint64_t thread, const void *object)
{
	uint64_t stack = thread + vm->l->at[JAVA_LOCK_STACK], first = stack + vm->l->at[JAVA_LOCK_STACK_BASE];
	uint64_t end = thread + java_vm_half(vm, stack, JAVA_LOCK_STACK_TOP), locks[LOCKS_MAX];
	size_t n = end > first ? (end - first) / sizeof(locks[0]) : 0;

	if (!n || n > LOCKS_MAX || !java_vm_get(vm, first, locks, n * sizeof(locks[0])))
		return false;
	for (size_t i = 0; i < n; i++)
		if (locks[i] == *(const uint64_t *)object)
			return true;
	return false;
}

/* owner: ObjectMonitor::_owner, see JVM_ANONYMOUS. Returns the JavaThread that owns the monitor, or 0. */
static uint64_t monitor_owner(struct java_vm *vm, uint64_t monitor, uint64_t owner)
{
	uint64_t object, again, thread;

	if (!owner)
		return 0;
	if (owner != JVM_ANONYMOUS)
		return java_vm_find(vm, vm->l->has[JAVA_OWNER_ID] ? has_owner_id : is_owner, &owner);
	if (!java_vm_has(vm, JAVA_LOCK_STACK, JAVA_LOCK_STACK_BASE) ||
	    !java_vm_get(vm, java_vm_word(vm, monitor, JAVA_OBJECT), &object, sizeof(object)) || !object)
		return 0;
	thread = java_vm_find(vm, has_locked, &object);
	/* The object may have been moved meanwhile, and another object may have its place. */
	return java_vm_get(vm, java_vm_word(vm, monitor, JAVA_OBJECT), &again, sizeof(again)) &&
			       again == object
		       ? thread
		       : 0;
}

/* An object in the heap. */
struct object {
	uint64_t at;
	size_t n; /* bytes of `bytes` */
	char bytes[OBJECT_BYTES];
};

static uint64_t klass_of(struct java_vm *vm, uint64_t object)
{
	uint32_t narrow = java_vm_half(vm, object, JAVA_KLASS);

	return narrow ? vm->klass_base + ((uint64_t)narrow << vm->klass_shift) : 0;
}

/* Klass::_layout_helper has the size of an object in bytes; bit 0 has another meaning. It is negative
 * for an array. Returns false for an object that was moved (JVM_FORWARDED), because its members are old. */
static bool object_read(struct java_vm *vm, uint64_t at, struct object *ret)
{
	int32_t size = (int32_t)java_vm_half(vm, klass_of(vm, at), JAVA_KLASS_LAYOUT) & ~1;

	*ret = (struct object){ .at = at };
	if (size <= 0)
		return false;
	ret->n = MIN((size_t)size, sizeof(ret->bytes));
	if (ret->n < FIELDS_FROM || !java_vm_get(vm, at, ret->bytes, ret->n))
		return false;
	return (ret->bytes[0] & JVM_FORWARDED) != JVM_FORWARDED;
}

/* Returns the reference at `at` of the object. wide: a reference is an address, and has 8 bytes. */
static uint64_t reference(struct java_vm *vm, const struct object *o, size_t at, bool wide)
{
	uint64_t address;
	uint32_t narrow;

	if (wide) {
		memcpy(&address, o->bytes + at, sizeof(address));
		return address;
	}
	memcpy(&narrow, o->bytes + at, sizeof(narrow));
	return narrow ? vm->oop_base + ((uint64_t)narrow << vm->oop_shift) : 0;
}

static bool is_lock(struct java_vm *vm, uint64_t object)
{
	static const char *const names[] = JVM_LOCK_CLASSES;
	uint64_t symbol = java_vm_word(vm, klass_of(vm, object), JAVA_KLASS_NAME);
	size_t n = java_vm_half(vm, symbol, JAVA_SYMBOL_LENGTH) & UINT16_MAX;
	char name[64];

	if (n > sizeof(name) || !java_vm_get(vm, symbol + vm->l->at[JAVA_SYMBOL_BODY], name, n))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return true;
	return false;
}

static size_t step_of(bool wide)
{
	return wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

static size_t first_field(bool wide)
{
	return wide ? 2 * sizeof(uint64_t) : FIELDS_FROM;
}

static uint64_t lock_at(struct java_vm *vm, const struct object *thread, size_t at, bool wide)
{
	uint64_t to = at + step_of(wide) <= thread->n ? reference(vm, thread, at, wide) : 0;

	return to && to % sizeof(uint64_t) == 0 && to != thread->at && is_lock(vm, to) ? to : 0;
}

/* Where an object has a reference to a lock. */
struct place {
	uint32_t at; /* offset; 0: none */
	bool wide;
};

/*
 * Returns the lock for which the thread waits: Thread.parkBlocker is a lock then. Returns 0 if it is none.
 * The table of members does not have the members of Java classes. But no other reference of a Thread is a
 * lock. So if the place of parkBlocker is not known, tries all words of the Thread. *ret has the place.
 */
static uint64_t lock_find(struct java_vm *vm, const struct object *thread, struct place *ret)
{
	*ret = (struct place){ vm->l->blocker, vm->l->wide };
	if (ret->at)
		return lock_at(vm, thread, ret->at, ret->wide);
	for (unsigned wide = 0; wide < 2; wide++)
		for (size_t at = first_field(wide); at + step_of(wide) <= thread->n; at += step_of(wide)) {
			uint64_t lock = lock_at(vm, thread, at, wide);

			*ret = (struct place){ (uint32_t)at, wide };
			if (lock)
				return lock;
		}
	return 0;
}

static uint64_t object_of(struct java_vm *vm, uint64_t thread)
{
	uint64_t object;

	return java_vm_get(vm, java_vm_word(vm, thread, JAVA_THREAD_OBJECT), &object, sizeof(object)) ? object
												      : 0;
}

struct references {
	uint64_t except; /* the JavaThread that waits */
	uint64_t v[OBJECT_BYTES / sizeof(uint32_t)];
	size_t n;
};

static bool is_among(struct java_vm *vm, uint64_t thread, const void *key)
{
	const struct references *r = key;
	uint64_t object = thread == r->except ? 0 : object_of(vm, thread);

	for (size_t i = 0; object && i < r->n; i++)
		if (r->v[i] == object)
			return true;
	return false;
}

static bool references_read(struct java_vm *vm, uint64_t lock, uint64_t me, bool wide, struct references *ret)
{
	struct object o;

	*ret = (struct references){ .except = me };
	if (!object_read(vm, lock, &o))
		return false;
	for (size_t at = first_field(wide); at + step_of(wide) <= o.n; at += step_of(wide))
		ret->v[ret->n++] = reference(vm, &o, at, wide);
	return true;
}

bool inspect_java_wants(const struct unwind_frame *f)
{
	const char *name = strrchr(f->path, '/');
	size_t n = strlen(JVM_FILE);

	/* After an upgrade of the package, " (deleted)" follows. */
	return f->elf && name && !strncmp(name + 1, JVM_FILE, n) && (!name[1 + n] || name[1 + n] == ' ');
}

/* Returns true if `me` waits for a monitor. *ret_id: the tid of its owner; 0: not known. */
static bool monitor_wait(struct java_vm *vm, uint64_t me, uint32_t *ret_id)
{
	uint64_t monitor = java_vm_word(vm, me, JAVA_PENDING), owner, thread;

	if (!monitor)
		return false;
	owner = java_vm_word(vm, monitor, JAVA_OWNER);
	thread = monitor_owner(vm, monitor, owner);
	*ret_id = thread && thread != me ? java_vm_thread_id(vm, thread) : 0;
	/* the threads went on meanwhile */
	if (java_vm_word(vm, monitor, JAVA_OWNER) != owner)
		*ret_id = 0;
	return java_vm_word(vm, me, JAVA_PENDING) == monitor;
}

/* As monitor_wait(), for a lock of java.util.concurrent. The only reference of a lock to a Thread is
 * exclusiveOwnerThread. */
static bool lock_wait(struct java_vm *vm, uint64_t me, uint32_t *ret_id)
{
	uint64_t lock, owner, object = object_of(vm, me);
	struct references r;
	struct object thread;
	struct place p;

	java_vm_read_bases(vm);
	if (!object || !object_read(vm, object, &thread))
		return false;
	lock = lock_find(vm, &thread, &p);
	if (!lock)
		return false;
	owner = references_read(vm, lock, me, p.wide, &r) ? java_vm_find(vm, is_among, &r) : 0;
	*ret_id = owner ? java_vm_thread_id(vm, owner) : 0;
	/* the threads went on meanwhile, or objects were moved */
	if (!owner || !references_read(vm, lock, me, p.wide, &r) || !is_among(vm, owner, &r) ||
	    object_of(vm, me) != object)
		*ret_id = 0;
	if (!object_read(vm, object_of(vm, me), &thread) || lock_at(vm, &thread, p.at, p.wide) != lock)
		return false;
	vm->l->blocker = p.at;
	vm->l->wide = p.wide;
	return true;
}

/* Threads wait for a lock on a condition variable (JVM_FUTEX_VALUE). But at the end of this wait, a thread
 * may have to wait until the virtual machine lets it go on, and parkBlocker is still set then. */
static bool is_condition(const struct ct_iter_task *t)
{
	uint32_t op = (uint32_t)t->args[1] & FUTEX_CMD_MASK;

	return op == FUTEX_WAIT_BITSET || (op == FUTEX_WAIT && (uint32_t)t->args[2] == JVM_FUTEX_VALUE);
}

void inspect_java(struct unwind *u, const struct ct_iter_task *t, const struct unwind_frame *f,
		  uint32_t own_pidns, struct java_layouts *layouts, struct inspect_result *r)
{
	struct java_vm vm;
	uint32_t id = 0;
	uint64_t me;

	java_vm_begin(&vm, u, t->task.tgid, f, layouts);
	if (!vm.l->has[JAVA_LIST] || !java_vm_has(&vm, JAVA_LIST_LENGTH, JAVA_OBJECT))
		return;
	me = java_vm_thread(&vm, inspect_args_inner(t, own_pidns));
	if (!me)
		return;
	if (monitor_wait(&vm, me, &id))
		r->rec.aux = CT_VL_JAVA | CT_VL_MONITOR;
	else if (is_condition(t) && java_vm_has(&vm, JAVA_OOP_BASE, JAVA_KLASS_SHIFT) &&
		 java_vm_has(&vm, JAVA_THREAD_OBJECT, JAVA_SYMBOL_BODY) && lock_wait(&vm, me, &id))
		r->rec.aux = CT_VL_JAVA;
	else
		return;
	r->rec.peer = inspect_args_thread(t, id, own_pidns);
}

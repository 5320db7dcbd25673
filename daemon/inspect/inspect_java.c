// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/inspect_java.h"

#include <linux/futex.h>
#include <string.h>

#include "ctrace/jvm.h"
#include "daemon/inspect/inspect_args.h"
#include "lib/cleanup.h"

#define LOCKS_MAX    64  /* entries of a LockStack */
#define OBJECT_BYTES 512 /* of an object, at most this many bytes are read */
#define SUPERS_MAX   16  /* classes above each other */
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

/* Returns true if the class has this name. */
static bool has_name(struct java_vm *vm, uint64_t klass, const char *want)
{
	uint64_t symbol = java_vm_word(vm, klass, JAVA_KLASS_NAME);
	size_t n = java_vm_half(vm, symbol, JAVA_SYMBOL_LENGTH) & UINT16_MAX;
	char name[64];

	return n == strlen(want) && n <= sizeof(name) &&
	       java_vm_get(vm, symbol + vm->l->at[JAVA_SYMBOL_BODY], name, n) && !memcmp(name, want, n);
}

/* Returns the class above, or 0. */
static uint64_t super_of(struct java_vm *vm, uint64_t klass)
{
	return java_vm_word(vm, klass, JAVA_KLASS_SUPER);
}

/* Returns how many bytes of the object are members of the class with this name and of the classes above it.
 * The rest are those of a class below, such as one of the program. */
static size_t bytes_of(struct java_vm *vm, const struct object *o, const char *name)
{
	uint64_t klass = klass_of(vm, o->at);

	for (unsigned depth = 0; klass && depth < SUPERS_MAX; depth++, klass = super_of(vm, klass))
		if (has_name(vm, klass, name))
			return MIN(o->n, (size_t)java_vm_half(vm, klass, JAVA_KLASS_LAYOUT));
	return 0;
}

/* What a thread waits for, by the class of its blocker. */
enum blocker {
	NO_BLOCKER,
	LOCK,
	WRITE_LOCK,
	FUTURE,
};

static enum blocker blocker_kind(struct java_vm *vm, uint64_t object)
{
	static const char *const names[] = {
		[LOCK] = JVM_LOCK, [WRITE_LOCK] = JVM_WRITE_LOCK, [FUTURE] = JVM_FUTURE
	};
	uint64_t klass = klass_of(vm, object);

	for (unsigned depth = 0; klass && depth < SUPERS_MAX; depth++, klass = super_of(vm, klass))
		for (unsigned i = LOCK; i < ARRAY_SIZE(names); i++)
			if (has_name(vm, klass, names[i]))
				return i;
	return NO_BLOCKER;
}

static size_t step_of(bool wide)
{
	return wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

static size_t first_field(bool wide)
{
	return wide ? 2 * sizeof(uint64_t) : FIELDS_FROM;
}

/* Where an object has a reference. */
struct place {
	uint32_t at; /* offset; 0: none */
	bool wide;
};

/* A thread's blocker: Thread.parkBlocker. */
struct wanted {
	uint64_t at; /* its address */
	enum blocker kind;
	struct place place; /* in the Thread */
};

/* Returns false if there is no blocker at this place. */
static bool blocker_at(struct java_vm *vm, const struct object *thread, struct place p, struct wanted *ret)
{
	uint64_t to = p.at + step_of(p.wide) <= thread->n ? reference(vm, thread, p.at, p.wide) : 0;

	*ret = (struct wanted){ .at = to, .place = p };
	if (to && to % sizeof(uint64_t) == 0 && to != thread->at)
		ret->kind = blocker_kind(vm, to);
	return ret->kind;
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

/* Reads the references of the blocker that may be its owner. me: as references.except */
static bool references_read(struct java_vm *vm, const struct wanted *w, uint64_t me, struct references *ret)
{
	bool wide = w->place.wide;
	struct object o;

	*ret = (struct references){ .except = me };
	if (!object_read(vm, w->at, &o))
		return false;
	if (w->kind == FUTURE)
		o.n = bytes_of(vm, &o, JVM_FUTURE);
	if (w->kind == WRITE_LOCK)
		o.n = MIN(o.n, first_field(wide) + step_of(wide));
	for (size_t at = first_field(wide); at + step_of(wide) <= o.n; at += step_of(wide))
		ret->v[ret->n++] = reference(vm, &o, at, wide);
	return true;
}

/* Returns true if `me` waits for a lock to write, and is the firstReader of this lock: it waits for itself.
 */
static bool is_own_reader(struct java_vm *vm, const struct wanted *w, uint64_t me)
{
	uint64_t thread = object_of(vm, me);
	size_t step = step_of(w->place.wide);
	struct object o;

	if (w->kind != WRITE_LOCK || !thread || !object_read(vm, w->at, &o))
		return false;
	o.n = bytes_of(vm, &o, JVM_WRITE_LOCK);
	for (size_t at = first_field(w->place.wide) + step; at + step <= o.n; at += step)
		if (reference(vm, &o, at, w->place.wide) == thread)
			return true;
	return false;
}

/* Returns the JavaThread that owns the blocker, or 0. */
static uint64_t blocker_owner(struct java_vm *vm, const struct wanted *w, uint64_t me)
{
	struct references r;
	uint64_t owner = references_read(vm, w, me, &r) ? java_vm_find(vm, is_among, &r) : 0;

	return owner || !is_own_reader(vm, w, me) ? owner : me;
}

/* The table of members does not have the members of Java classes. So if the place of parkBlocker is not
 * known, tries all words of the Thread (JVM_THREAD). *ret_owner: see blocker_owner(). */
static bool blocker_find(struct java_vm *vm, const struct object *thread, uint64_t me, struct wanted *ret,
			 uint64_t *ret_owner)
{
	size_t bytes = bytes_of(vm, thread, JVM_THREAD);

	for (unsigned wide = 0; wide < 2; wide++)
		for (size_t at = first_field(wide); at + step_of(wide) <= bytes; at += step_of(wide)) {
			if (vm->l->blocker && (at != vm->l->blocker || wide != vm->l->wide))
				continue;
			if (!blocker_at(vm, thread, (struct place){ (uint32_t)at, wide }, ret))
				continue;
			*ret_owner = blocker_owner(vm, ret, me);
			if (ret->kind != FUTURE || *ret_owner)
				return true;
		}
	return false;
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

/* As monitor_wait(), for the blockers of java.util.concurrent. *ret_kind: what the thread waits for. */
static bool park_wait(struct java_vm *vm, uint64_t me, uint32_t *ret_id, enum blocker *ret_kind)
{
	uint64_t owner = 0, object = object_of(vm, me);
	struct object thread;
	struct wanted w, again;

	java_vm_read_bases(vm);
	if (!object || !object_read(vm, object, &thread) || !blocker_find(vm, &thread, me, &w, &owner))
		return false;
	*ret_kind = w.kind;
	*ret_id = owner ? java_vm_thread_id(vm, owner) : 0;
	/* the threads went on meanwhile, or objects were moved */
	if (!owner || blocker_owner(vm, &w, me) != owner || object_of(vm, me) != object)
		*ret_id = 0;
	if (!object_read(vm, object_of(vm, me), &thread) || !blocker_at(vm, &thread, w.place, &again) ||
	    again.at != w.at)
		return false;
	if (w.kind != FUTURE) {
		vm->l->blocker = w.place.at;
		vm->l->wide = w.place.wide;
	}
	return true;
}

static bool is_object(struct java_vm *vm, uint64_t thread, const void *object)
{
	return object_of(vm, thread) == *(const uint64_t *)object;
}

/* Returns true if `me` is in Object.wait() for the object of another thread, as in Thread.join(). *ret_id:
 * the tid of this thread. */
static bool join_wait(struct java_vm *vm, uint64_t me, uint32_t *ret_id)
{
	uint64_t monitor = java_vm_word(vm, me, JAVA_WAITING), object, again, thread;

	if (!java_vm_get(vm, java_vm_word(vm, monitor, JAVA_OBJECT), &object, sizeof(object)) || !object)
		return false;
	thread = java_vm_find(vm, is_object, &object);
	if (!thread || thread == me)
		return false;
	*ret_id = java_vm_thread_id(vm, thread);
	/* the threads went on meanwhile, or objects were moved */
	return *ret_id && java_vm_word(vm, me, JAVA_WAITING) == monitor &&
	       java_vm_get(vm, java_vm_word(vm, monitor, JAVA_OBJECT), &again, sizeof(again)) &&
	       again == object && object_of(vm, thread) == object;
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
	enum blocker kind;
	uint32_t id = 0;
	uint64_t me;
	bool objects;

	java_vm_begin(&vm, u, t->task.tgid, f, layouts);
	if (!vm.l->has[JAVA_LIST] || !java_vm_has(&vm, JAVA_LIST_LENGTH, JAVA_OBJECT))
		return;
	me = java_vm_thread(&vm, inspect_args_inner(t, own_pidns));
	if (!me)
		return;
	objects = java_vm_has(&vm, JAVA_THREAD_OBJECT, JAVA_THREAD_OBJECT) && is_condition(t);
	if (monitor_wait(&vm, me, &id))
		r->rec.aux = CT_VL_JAVA | CT_VL_MONITOR;
	else if (objects && java_vm_has(&vm, JAVA_WAITING, JAVA_WAITING) && join_wait(&vm, me, &id))
		r->rec.aux = CT_VL_JAVA | CT_VL_MONITOR | CT_VL_TASK;
	else if (objects && java_vm_has(&vm, JAVA_OOP_BASE, JAVA_KLASS_SHIFT) &&
		 java_vm_has(&vm, JAVA_KLASS, JAVA_SYMBOL_BODY) && park_wait(&vm, me, &id, &kind))
		r->rec.aux = kind == FUTURE ? CT_VL_JAVA | CT_VL_TASK : CT_VL_JAVA;
	if (r->rec.aux & CT_VL_TASK && !id)
		r->rec.aux = 0;
	if (!r->rec.aux)
		return;
	r->rec.peer = inspect_args_thread(t, id, own_pidns);
}

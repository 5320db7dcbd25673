// SPDX-License-Identifier: GPL-2.0-or-later
/* A child of the test is the Java virtual machine. Its memory has a table of members, and threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctrace/jvm.h"
#include "daemon/inspect/inspect_java.h"
#include "lib/cleanup.h"

struct fake_osthread {
	uint32_t state, id;
};

struct fake_lock_stack {
	uint32_t top, more;
	uint64_t base[2];
};

struct fake_thread {
	uint64_t other, osthread, pending, waiting, stack_base, stack_size, owner_id, object;
	struct fake_lock_stack locks;
};

struct fake_monitor {
	uint64_t header, object, owner;
};

struct fake_list {
	uint32_t other, length;
	uint64_t more, threads;
};

struct fake_symbol {
	uint32_t hash;
	uint16_t length;
	char body[60];
};

struct fake_klass {
	uint64_t name; /* of a struct fake_symbol */
	uint64_t super;
	int32_t layout;
};

/* An object with narrow or wide references. */
struct fake_object {
	uint64_t mark;
	uint32_t klass;
	uint32_t narrow;
	union {
		uint32_t n[6];
		uint64_t w[3];
	};
};

struct entry {
	const char *type, *name, *words;
	int32_t is_static;
	uint64_t offset;
	const void *address;
};

enum { WAITER, OTHER, OWNER, THREADS };
enum { MONITOR = CT_VL_JAVA | CT_VL_MONITOR };
enum { THREAD_KLASS, LOCK_KLASS, THREAD_BASE, LOCK_BASE, KLASSES };
enum { FUTURE = CT_VL_JAVA | CT_VL_TASK, JOIN = CT_VL_JAVA | CT_VL_MONITOR | CT_VL_TASK };

/* Threads of the child fill in their numbers, so the test and the child share this memory. */
static struct fake_vm {
	struct fake_osthread osthreads[THREADS];
	struct fake_thread threads[THREADS];
	uint64_t pointers[THREADS];
	struct fake_list list;
	struct fake_monitor monitor;
	uint64_t object, other_object;
	struct fake_symbol symbols[KLASSES];
	struct fake_klass klasses[KLASSES];
	struct fake_object objects[THREADS], lock, later; /* `later`: behind the lock in the heap */
	uint64_t handles[THREADS];
	uint64_t ready;
} * vm;

static uint64_t the_list, oop_base, klass_base;
static uint32_t oop_shift, klass_shift;
static uint64_t futex_op, futex_value; /* of the waiter */
static struct entry table[32];
static size_t n_table;

/* inspect_java() looks for variables with these names. */
extern uint64_t gHotSpotVMStructs, gHotSpotVMStructEntryArrayStride, gHotSpotVMStructEntryTypeNameOffset,
	gHotSpotVMStructEntryFieldNameOffset, gHotSpotVMStructEntryIsStaticOffset,
	gHotSpotVMStructEntryOffsetOffset, gHotSpotVMStructEntryAddressOffset;
uint64_t gHotSpotVMStructs;
uint64_t gHotSpotVMStructEntryArrayStride = sizeof(struct entry);
uint64_t gHotSpotVMStructEntryTypeNameOffset = offsetof(struct entry, type);
uint64_t gHotSpotVMStructEntryFieldNameOffset = offsetof(struct entry, name);
uint64_t gHotSpotVMStructEntryIsStaticOffset = offsetof(struct entry, is_static);
uint64_t gHotSpotVMStructEntryOffsetOffset = offsetof(struct entry, offset);
uint64_t gHotSpotVMStructEntryAddressOffset = offsetof(struct entry, address);

static uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

static void member(const char *type, const char *name, uint64_t offset)
{
	table[n_table++] = (struct entry){ .type = type, .name = name, .offset = offset };
}

static void global(const char *type, const char *name, const void *at)
{
	table[n_table++] = (struct entry){ .type = type, .name = name, .is_static = 1, .address = at };
}

/* The threads are in the list, and the waiter waits for the monitor. It has no owner yet. */
static void start(void)
{
	memset(vm, 0, sizeof(*vm));
	for (unsigned i = 0; i < THREADS; i++) {
		vm->pointers[i] = address(&vm->threads[i]);
		vm->threads[i].osthread = address(&vm->osthreads[i]);
		vm->threads[i].stack_base = 0x10000000 + i * 0x100000;
		vm->threads[i].stack_size = 0x10000;
		vm->threads[i].owner_id = 100 + i;
		vm->threads[i].locks.top = offsetof(struct fake_thread, locks.base);
	}
	vm->list = (struct fake_list){ .length = THREADS, .threads = address(vm->pointers) };
	the_list = address(&vm->list);
	vm->monitor.object = address(&vm->object);
	vm->object = 0x7000;
	vm->other_object = 0x8000;
	vm->threads[WAITER].pending = address(&vm->monitor);
	futex_op = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG;
	futex_value = 3;
	memset(table, 0, sizeof(table));
	n_table = 0;
	gHotSpotVMStructs = address(table);
	member("ConstantPool", "_length", 60);
	global("ThreadsSMRSupport", "_java_thread_list", &the_list);
	member("ThreadsList", "_length", offsetof(struct fake_list, length));
	member("ThreadsList", "_threads", offsetof(struct fake_list, threads));
	member("Thread", "_osthread", offsetof(struct fake_thread, osthread));
	member("OSThread", "_thread_id", offsetof(struct fake_osthread, id));
	member("JavaThread", "_current_pending_monitor", offsetof(struct fake_thread, pending));
	member("JavaThread", "_stack_base", offsetof(struct fake_thread, stack_base));
	member("JavaThread", "_stack_size", offsetof(struct fake_thread, stack_size));
	member("ObjectMonitor", "_object", offsetof(struct fake_monitor, object));
	member("ObjectMonitor", "_owner", offsetof(struct fake_monitor, owner));
}

static void newer_jdk(void)
{
	member("JavaThread", "_lock_stack", offsetof(struct fake_thread, locks));
	member("JavaThread", "_monitor_owner_id", offsetof(struct fake_thread, owner_id));
	member("LockStack", "_top", offsetof(struct fake_lock_stack, top));
	member("LockStack", "_base[0]", offsetof(struct fake_lock_stack, base));
}

static uint32_t narrow(const struct fake_object *o)
{
	return (uint32_t)((address(o) - oop_base) >> oop_shift);
}

static void klass(unsigned i, const char *name, size_t size, unsigned super)
{
	vm->symbols[i].length = (uint16_t)strlen(name);
	memcpy(vm->symbols[i].body, name, strlen(name));
	vm->klasses[i] = (struct fake_klass){
		.name = address(&vm->symbols[i]),
		.super = super == KLASSES ? 0 : address(&vm->klasses[super]),
		.layout = (int32_t)size | 1,
	};
}

static uint32_t narrow_klass(unsigned i)
{
	return (uint32_t)((address(&vm->klasses[i]) - klass_base) >> klass_shift);
}

/* The waiter waits for no monitor. Each thread has an object. The waiter's object refers to the lock, whose
 * class is below the class `base`. */
static void start_lock(const char *base)
{
	start();
	vm->threads[WAITER].pending = 0;
	member("JavaThread", "_threadObj", offsetof(struct fake_thread, object));
	member("oopDesc", "_metadata._compressed_klass", offsetof(struct fake_object, klass));
	member("Klass", "_name", offsetof(struct fake_klass, name));
	member("Klass", "_super", offsetof(struct fake_klass, super));
	member("Klass", "_layout_helper", offsetof(struct fake_klass, layout));
	member("Symbol", "_length", offsetof(struct fake_symbol, length));
	member("Symbol", "_body[0]", offsetof(struct fake_symbol, body));
	global("CompressedOops", "_base", &oop_base);
	global("CompressedOops", "_shift", &oop_shift);
	global("CompressedKlassPointers", "_narrow_klass._base", &klass_base);
	global("CompressedKlassPointers", "_narrow_klass._shift", &klass_shift);
	oop_base = address(vm) - 64;
	oop_shift = 3;
	klass_base = address(vm) - 4096;
	klass_shift = 3;
	klass(THREAD_KLASS, "Worker", sizeof(struct fake_object), THREAD_BASE);
	klass(LOCK_KLASS, "Lock", sizeof(struct fake_object), LOCK_BASE);
	klass(THREAD_BASE, JVM_THREAD, sizeof(struct fake_object), KLASSES);
	klass(LOCK_BASE, base, sizeof(struct fake_object), KLASSES);
	for (unsigned i = 0; i < THREADS; i++) {
		vm->objects[i].klass = narrow_klass(THREAD_KLASS);
		vm->handles[i] = address(&vm->objects[i]);
		vm->threads[i].object = address(&vm->handles[i]);
	}
	vm->lock.klass = narrow_klass(LOCK_KLASS);
	vm->objects[WAITER].n[1] = narrow(&vm->lock);
}

static void *run_thread(void *arg)
{
	*(uint32_t *)arg = (uint32_t)syscall(SYS_gettid);
	__atomic_fetch_add(&vm->ready, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return NULL;
}

static pid_t run_vm(void)
{
	pid_t pid = fork();
	pthread_t t;

	if (pid) {
		while (__atomic_load_n(&vm->ready, __ATOMIC_ACQUIRE) < THREADS - 1)
			usleep(1000);
		return pid;
	}
	vm->osthreads[WAITER].id = (uint32_t)getpid();
	for (unsigned i = WAITER + 1; i < THREADS; i++)
		if (pthread_create(&t, NULL, run_thread, &vm->osthreads[i].id))
			_exit(1);
	for (;;)
		pause();
}

/* Runs the virtual machine, and inspects its waiter. */
static struct ct_rec inspect(void)
{
	struct inspect_result r = { 0 }, again = { 0 };
	struct java_layouts layouts = { 0 };
	struct ct_iter_task t = { 0 };
	struct unwind_frame f;
	struct unwind *u;
	pid_t pid = run_vm();

	t.task.h.tid = t.task.tgid = (uint32_t)pid;
	t.args[1] = futex_op;
	t.args[2] = futex_value;
	assert_int_equal(unwind_new(&u), 0);
	assert_int_equal(unwind_begin(u, (uint32_t)pid), 0);
	f = unwind_locate(u, (uintptr_t)inspect, true);
	assert_non_null(f.elf);
	assert_false(inspect_java_wants(&f));
	inspect_java(u, &t, &f, 0, &layouts, &r);
	inspect_java(u, &t, &f, 0, &layouts, &again); /* uses layouts */
	assert_int_equal(r.rec.peer, again.rec.peer);
	assert_int_equal(r.rec.aux, again.rec.aux);
	unwind_end(u);
	unwind_free(u);
	map_done(&layouts.threads);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return r.rec;
}

static void check_owner(unsigned lock)
{
	struct ct_rec r = inspect();

	assert_int_equal(r.aux, lock);
	assert_int_not_equal(vm->osthreads[OWNER].id, 0);
	assert_int_equal(r.peer, vm->osthreads[OWNER].id);
}

static void check_no_owner(unsigned lock)
{
	struct ct_rec r = inspect();

	assert_int_equal(r.aux, lock);
	assert_int_equal(r.peer, 0);
}

static void by_thread(void **state)
{
	(void)state;
	start();
	vm->monitor.owner = address(&vm->threads[OWNER]);
	check_owner(MONITOR);
}

static void by_stack(void **state)
{
	(void)state;
	start();
	vm->monitor.owner = vm->threads[OWNER].stack_base - vm->threads[OWNER].stack_size;
	check_owner(MONITOR);
	vm->ready = 0;
	vm->monitor.owner--;
	check_no_owner(MONITOR);
	vm->ready = 0;
	vm->monitor.owner = vm->threads[OWNER].stack_base;
	check_no_owner(MONITOR);
}

static void by_id(void **state)
{
	(void)state;
	start();
	newer_jdk();
	vm->monitor.owner = vm->threads[OWNER].owner_id;
	check_owner(MONITOR);
	vm->ready = 0;
	vm->monitor.owner = 2; /* of no thread */
	check_no_owner(MONITOR);
}

static void anonymous(void **state)
{
	struct fake_thread *owner, *other;

	(void)state;
	start();
	newer_jdk();
	owner = &vm->threads[OWNER];
	other = &vm->threads[OTHER];
	vm->monitor.owner = JVM_ANONYMOUS;
	other->locks.base[0] = vm->other_object;
	other->locks.base[1] = vm->object; /* above the top: not locked any more */
	other->locks.top += sizeof(uint64_t);
	owner->locks.base[0] = vm->other_object;
	owner->locks.base[1] = vm->object;
	owner->locks.top += 2 * sizeof(uint64_t);
	check_owner(MONITOR);
	vm->ready = 0;
	owner->locks.top = UINT32_MAX;
	check_no_owner(MONITOR);
}

static void anonymous_in_older_jdk(void **state)
{
	(void)state;
	start();
	vm->monitor.owner = JVM_ANONYMOUS;
	check_no_owner(MONITOR);
}

static void no_monitor(void **state)
{
	(void)state;
	start();
	vm->monitor.owner = address(&vm->threads[OWNER]);
	vm->threads[WAITER].pending = 0;
	check_no_owner(0);
}

static void not_owned(void **state)
{
	(void)state;
	start();
	check_no_owner(MONITOR);
	vm->ready = 0;
	vm->monitor.owner = address(&vm->threads[WAITER]);
	check_no_owner(MONITOR);
}

static void lock(void **state)
{
	(void)state;
	start_lock(JVM_LOCK);
	vm->objects[WAITER].n[0] = narrow(&vm->objects[OTHER]);
	vm->lock.narrow = narrow(&vm->objects[OWNER]);
	check_owner(CT_VL_JAVA);
}

static void wide_references(void **state)
{
	(void)state;
	start_lock(JVM_LOCK);
	vm->objects[WAITER].n[1] = 0;
	vm->objects[WAITER].w[1] = address(&vm->lock);
	vm->lock.w[2] = address(&vm->objects[OWNER]);
	check_owner(CT_VL_JAVA);
}

/* Only the first member is a thread that owns the lock to write. */
static void write_lock(void **state)
{
	(void)state;
	start_lock(JVM_WRITE_LOCK);
	vm->lock.n[1] = narrow(&vm->objects[OTHER]);
	check_no_owner(CT_VL_JAVA);
	vm->ready = 0;
	vm->lock.narrow = narrow(&vm->objects[OWNER]);
	check_owner(CT_VL_JAVA);
}

/* A thread that owns the lock to read waits to own it to write. */
static void own_reader(void **state)
{
	struct ct_rec r;

	(void)state;
	start_lock(JVM_WRITE_LOCK);
	vm->lock.n[2] = narrow(&vm->objects[WAITER]);
	r = inspect();
	assert_int_equal(r.aux, CT_VL_JAVA);
	assert_int_equal(r.peer, vm->osthreads[WAITER].id);
	vm->ready = 0;
	vm->lock.narrow = narrow(&vm->objects[OWNER]);
	check_owner(CT_VL_JAVA);
	vm->ready = 0;
	vm->lock.narrow = 0;
	vm->klasses[LOCK_BASE].layout =
		offsetof(struct fake_object, n[2]); /* a member of the program's class */
	check_no_owner(CT_VL_JAVA);
}

/* The waiter runs a FutureTask itself, its `target`, and waits for another one. */
static void future(void **state)
{
	(void)state;
	start_lock(JVM_FUTURE);
	vm->objects[WAITER].n[0] = narrow(&vm->later);
	vm->later.klass = narrow_klass(LOCK_KLASS);
	vm->later.n[1] = narrow(&vm->objects[WAITER]);
	check_no_owner(0); /* no thread runs it yet */
	vm->ready = 0;
	vm->lock.n[2] = narrow(&vm->objects[OWNER]);
	check_owner(FUTURE);
}

/* A class of the program, below FutureTask, has a member that refers to a thread. */
static void future_with_a_thread(void **state)
{
	(void)state;
	start_lock(JVM_FUTURE);
	vm->klasses[LOCK_BASE].layout = offsetof(struct fake_object, n[2]);
	vm->lock.n[2] = narrow(&vm->objects[OWNER]);
	check_no_owner(0);
	vm->ready = 0;
	vm->lock.n[1] = narrow(&vm->objects[OWNER]);
	check_owner(FUTURE);
}

/* A class of the program, below Thread, has a member that refers to a FutureTask. */
static void future_of_the_program(void **state)
{
	(void)state;
	start_lock(JVM_FUTURE);
	vm->lock.n[2] = narrow(&vm->objects[OWNER]);
	vm->klasses[THREAD_BASE].layout = offsetof(struct fake_object, n[1]);
	check_no_owner(0);
	vm->ready = 0;
	vm->symbols[THREAD_BASE].length--; /* not a thread at all */
	vm->klasses[THREAD_BASE].layout = sizeof(struct fake_object);
	check_no_owner(0);
}

static void join(void **state)
{
	(void)state;
	start_lock(JVM_LOCK);
	vm->objects[WAITER].n[1] = 0;
	member("JavaThread", "_current_waiting_monitor", offsetof(struct fake_thread, waiting));
	vm->threads[WAITER].waiting = address(&vm->monitor);
	vm->monitor.object = address(&vm->object);
	vm->object = address(&vm->lock); /* no thread */
	check_no_owner(0);
	vm->ready = 0;
	vm->object = address(&vm->objects[WAITER]);
	check_no_owner(0);
	vm->ready = 0;
	vm->object = address(&vm->objects[OWNER]);
	check_owner(JOIN);
}

static void another_blocker(void **state)
{
	(void)state;
	start_lock("java/util/concurrent/locks/AQS$ConditionObject");
	vm->lock.n[0] = narrow(&vm->objects[OWNER]);
	check_no_owner(0);
}

/* The thread has the lock, but waits for the virtual machine. */
static void another_wait(void **state)
{
	(void)state;
	start_lock(JVM_LOCK);
	vm->lock.n[0] = narrow(&vm->objects[OWNER]);
	futex_op = FUTEX_WAIT;
	check_no_owner(0);
	vm->ready = 0;
	futex_value = JVM_FUTEX_VALUE;
	check_owner(CT_VL_JAVA);
}

static void moved(void **state)
{
	(void)state;
	start_lock(JVM_LOCK);
	vm->lock.n[0] = narrow(&vm->objects[OWNER]);
	vm->lock.mark = 0x7003;
	check_no_owner(CT_VL_JAVA);
	vm->ready = 0;
	vm->lock.mark = 0x7001;
	check_owner(CT_VL_JAVA);
	vm->ready = 0;
	vm->objects[WAITER].mark = 0x7003;
	check_no_owner(0);
}

static void lock_not_owned(void **state)
{
	(void)state;
	start_lock(JVM_LOCK);
	vm->later.n[0] = narrow(&vm->objects[OWNER]); /* not a part of the lock */
	check_no_owner(CT_VL_JAVA);
	vm->ready = 0;
	vm->lock.n[0] = narrow(&vm->objects[WAITER]);
	check_no_owner(CT_VL_JAVA);
}

static void damaged_objects(void **state)
{
	(void)state;
	start_lock(JVM_LOCK);
	vm->lock.n[0] = narrow(&vm->objects[OWNER]);
	vm->objects[WAITER].n[0] = UINT32_MAX;
	vm->objects[OTHER].klass = UINT32_MAX;
	vm->handles[OTHER] = 1ULL << 62;
	check_owner(CT_VL_JAVA);
	vm->ready = 0;
	vm->klasses[LOCK_KLASS].layout = INT32_MAX; /* only a part is read */
	check_owner(CT_VL_JAVA);
	vm->ready = 0;
	vm->klasses[LOCK_KLASS].layout = -8; /* an array */
	check_no_owner(CT_VL_JAVA);
	vm->ready = 0;
	vm->symbols[LOCK_BASE].length = UINT16_MAX;
	check_no_owner(0);
	vm->ready = 0;
	vm->klasses[THREAD_KLASS].layout = 0;
	check_no_owner(0);
}

static void missing_member(void **state)
{
	(void)state;
	start();
	vm->monitor.owner = address(&vm->threads[OWNER]);
	table[--n_table] = (struct entry){ 0 };
	check_no_owner(0);
}

static void damaged(void **state)
{
	(void)state;
	start();
	vm->monitor.owner = address(&vm->threads[OWNER]);
	vm->list.length = UINT32_MAX;
	vm->list.threads = 1ULL << 62;
	check_no_owner(0);
	vm->ready = 0;
	vm->list.length = THREADS;
	vm->list.threads = address(vm->pointers);
	vm->pointers[OTHER] = 1ULL << 62;
	check_owner(MONITOR);
	vm->ready = 0;
	vm->threads[OWNER].osthread = address(&vm->object); /* 0 as a thread's number */
	check_no_owner(MONITOR);
	vm->ready = 0;
	vm->threads[WAITER].pending = 1ULL << 62;
	check_no_owner(MONITOR);
	vm->ready = 0;
	gHotSpotVMStructEntryArrayStride = 1 << 20;
	check_no_owner(0);
	vm->ready = 0;
	gHotSpotVMStructEntryArrayStride = 0;
	check_no_owner(0);
	vm->ready = 0;
	gHotSpotVMStructEntryArrayStride = sizeof(struct entry);
	gHotSpotVMStructEntryOffsetOffset = UINT64_MAX - 7;
	check_no_owner(0);
	vm->ready = 0;
	gHotSpotVMStructEntryOffsetOffset = offsetof(struct entry, offset);
	gHotSpotVMStructs = 1ULL << 62;
	vm->ready = 0;
	check_no_owner(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_thread),
		cmocka_unit_test(by_stack),
		cmocka_unit_test(by_id),
		cmocka_unit_test(anonymous),
		cmocka_unit_test(no_monitor),
		cmocka_unit_test(anonymous_in_older_jdk),
		cmocka_unit_test(not_owned),
		cmocka_unit_test(missing_member),
		cmocka_unit_test(damaged),
		cmocka_unit_test(lock),
		cmocka_unit_test(another_wait),
		cmocka_unit_test(moved),
		cmocka_unit_test(wide_references),
		cmocka_unit_test(another_blocker),
		cmocka_unit_test(lock_not_owned),
		cmocka_unit_test(damaged_objects),
		cmocka_unit_test(write_lock),
		cmocka_unit_test(own_reader),
		cmocka_unit_test(future),
		cmocka_unit_test(join),
		cmocka_unit_test(future_of_the_program),
		cmocka_unit_test(future_with_a_thread),
	};

	vm = mmap(NULL, sizeof(*vm), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (vm == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

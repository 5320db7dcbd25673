/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks that the BPF programs and the daemon agree on the layout of records. Also checks the
 * tables of hooks and of system calls. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/btf.h>

#include "ctrace/cpu.h"
#include "ctrace.skel.h"
#include "ctrace/glibc.h"
#include "daemon/kernel/hooks.h"
#include "daemon/kernel/wait_calls.h"
#include "lib/cleanup.h"

#define SAME(type, of, ours, theirs)                                                                         \
	_Static_assert(offsetof(struct of, ours) == offsetof(type, __data.theirs) &&                         \
			       sizeof(((struct of *)0)->ours) == sizeof(((type *)0)->__data.theirs),         \
		       #of "." #ours)

SAME(pthread_mutex_t, glibc_mutex, lock, __lock);
SAME(pthread_mutex_t, glibc_mutex, owner, __owner);
SAME(pthread_mutex_t, glibc_mutex, nusers, __nusers);
SAME(pthread_mutex_t, glibc_mutex, kind, __kind);
SAME(pthread_rwlock_t, glibc_rwlock, readers, __readers);
SAME(pthread_rwlock_t, glibc_rwlock, wrphase_futex, __wrphase_futex);
SAME(pthread_rwlock_t, glibc_rwlock, writers_futex, __writers_futex);
SAME(pthread_rwlock_t, glibc_rwlock, cur_writer, __cur_writer);
SAME(pthread_rwlock_t, glibc_rwlock, shared, __shared);
SAME(pthread_cond_t, glibc_cond, g_signals, __g_signals);
#if !__GLIBC_PREREQ(2, 41)
SAME(pthread_cond_t, glibc_cond, g_refs, __g_refs);
#endif
_Static_assert(sizeof(struct glibc_cond) == sizeof(pthread_cond_t), "glibc_cond");

struct member {
	const char *type, *name;
	size_t type_size, offset;
};
#define M(t, m)                                                                                              \
	{                                                                                                    \
#t, #m, sizeof(struct t), offsetof(struct t, m)                                              \
	}

static const struct member members[] = {
	M(ct_rec, ts),
	M(ct_rec, kind),
	M(ct_rec, state),
	M(ct_rec, wait),
	M(ct_rec, flags),
	M(ct_rec, tid),
	M(ct_rec, peer),
	M(ct_rec, nr),
	M(ct_rec, aux),
	M(ct_rec, obj),
	M(ct_blob, ts),
	M(ct_blob, kind),
	M(ct_blob, flags),
	M(ct_blob, size),
	M(ct_blob, tid),
	M(ct_task_blob, tgid),
	M(ct_task_blob, ppid),
	M(ct_task_blob, cgroup_id),
	M(ct_task_blob, start_ns),
	M(ct_task_blob, uid),
	M(ct_task_blob, pidns),
	M(ct_task_blob, comm),
	M(ct_rawcmdline_blob, bytes),
	M(ct_rawcmdline_blob, exec_id),
	M(ct_rawcmdline_blob, args),
	M(ct_object_blob, id),
	M(ct_object_blob, ino),
	M(ct_object_blob, peer),
	M(ct_object_blob, dev),
	M(ct_object_blob, fs_magic),
	M(ct_object_blob, family),
	M(ct_object_blob, type),
	M(ct_object_blob, protocol),
	M(ct_object_blob, state),
	M(ct_object_blob, lport),
	M(ct_object_blob, rport),
	M(ct_object_blob, name_len),
	M(ct_object_blob, netns),
	M(ct_object_blob, laddr),
	M(ct_object_blob, raddr),
	M(ct_object_blob, x),
	M(ct_object_blob, name),
	M(ct_rawstack_blob, ran_ns),
	M(ct_rawstack_blob, nr),
	M(ct_rawstack_blob, n_kernel),
	M(ct_rawstack_blob, n_user),
	M(ct_rawstack_blob, tgid),
	M(ct_rawstack_blob, ip),
	M(ct_rawjob_blob, tgid),
	M(ct_rawjob_blob, framework),
	M(ct_rawjob_blob, n_stack),
	M(ct_rawjob_blob, queue),
	M(ct_rawjob_blob, job),
	M(ct_rawjob_blob, regs),
	M(ct_rawjob_blob, stack),
	M(ct_cpu_stats, lost),
	M(ct_cpu_stats, lost_first_ns),
	M(ct_cpu_stats, lost_last_ns),
	M(ct_stack_blob, id),
	M(ct_stack_blob, n_frames),
	M(ct_stack_blob, frames),
	M(ct_iter_task, task),
	M(ct_iter_task, wait),
	M(ct_iter_task, exec_id),
	M(ct_iter_task, n_kstack),
	M(ct_iter_task, sched_since),
	M(ct_iter_task, args),
	M(ct_iter_task, regs),
	M(ct_iter_task, kstack),
	M(cpu, stats),
	M(cpu, id),
	M(cpu, named),
};

static const struct btf_member *find_member(const struct btf *btf, const struct btf_type *t, const char *name)
{
	const struct btf_member *m = btf_members(t);

	for (int i = 0; i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, m[i].name_off), name))
			return &m[i];
	return NULL;
}

static void structs_agree(void **state)
{
	struct btf *btf = btf__parse(TYPES_OBJECT, NULL);

	assert_non_null(btf);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		int id = btf__find_by_name_kind(btf, members[i].type, BTF_KIND_STRUCT);
		const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;
		const struct btf_member *m = t ? find_member(btf, t, members[i].name) : NULL;

		if (!m)
			fail_msg("no struct %s or no member %s in the programs", members[i].type,
				 members[i].name);
		if (t->size != members[i].type_size || m->offset != members[i].offset * 8)
			fail_msg(
				"struct %s is %u bytes there, %zu here; %s is at bit %u there, byte %zu here",
				members[i].type, t->size, members[i].type_size, members[i].name, m->offset,
				members[i].offset);
	}
}

static void hooks_name_every_program(void **state)
{
	struct ctrace_bpf *s = *state;
	struct bpf_program *p;
	size_t n = 0;

	bpf_object__for_each_program(p, s->obj)
	{
		size_t i;

		if (!strcmp(bpf_program__name(p), "ct_empty"))
			continue;
		for (i = 0; i < hooks_n_progs; i++)
			if (!strcmp(hooks_progs[i].prog, bpf_program__name(p)))
				break;
		if (i == hooks_n_progs)
			fail_msg("program %s belongs to no hook", bpf_program__name(p));
		n++;
	}
	assert_int_equal(n, hooks_n_progs);
}

static void hooks_are_all_defined(void **state)
{
	for (size_t i = 0; i < hooks_n_progs; i++) {
		size_t d;

		for (d = 0; d < hooks_n_defs; d++)
			if (!strcmp(hooks_defs[d].name, hooks_progs[i].hook))
				break;
		if (d == hooks_n_defs)
			fail_msg("hook %s of program %s is not in the table", hooks_progs[i].hook,
				 hooks_progs[i].prog);
		assert_memory_equal(hooks_defs[d].name, hooks_defs[d].family, strlen(hooks_defs[d].family));
	}
}

/* Returns the place of the first or last program of the hook. */
static size_t place_of(const char *hook, bool last)
{
	size_t at = hooks_n_progs;

	for (size_t i = 0; i < hooks_n_progs; i++)
		if (!strcmp(hooks_progs[i].hook, hook) && (last || at == hooks_n_progs))
			at = i;
	assert_true(at < hooks_n_progs);
	return at;
}

static void receives_are_attached_before_sends(void **state)
{
	assert_true(place_of("msg/recv", true) < place_of("msg/send", false));
}

static void section_says_what_the_hook_says(void **state)
{
	struct ctrace_bpf *s = *state;

	for (size_t i = 0; i < hooks_n_progs; i++) {
		const struct bpf_program *p = bpf_object__find_program_by_name(s->obj, hooks_progs[i].prog);
		char want[128];

		assert_non_null(p);
		if (!*hooks_progs[i].target)
			continue;
		snprintf(want, sizeof(want), "%s/%s", hooks_progs[i].how, hooks_progs[i].target);
		assert_string_equal(bpf_program__section_name(p), want);
	}
}

static void syscall_classes_are_whole(void **state)
{
	uint16_t table[SYSCLASS_N];
	size_t known = 0;

	wait_calls_fill(table);
	for (size_t i = 0; i < SYSCLASS_N; i++) {
		assert_in_range(SYSCLASS_WAIT(table[i]), CT_W_FUTEX, CT_W_YIELD);
		assert_true(SYSCLASS_FD(table[i]) <= 6);
		assert_true(SYSCLASS_LIMIT(table[i]) <= 6);
		assert_true(SYSCLASS_HOW(table[i]) <= SYSCLASS_SENDMMSG);
		known += SYSCLASS_WAIT(table[i]) != CT_W_OTHER;
	}
	assert_true(known > 80);
}

static int open_skeleton(void **state)
{
	*state = ctrace_bpf__open();
	return *state ? 0 : -1;
}

static int close_skeleton(void **state)
{
	ctrace_bpf__destroy(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(structs_agree),
		cmocka_unit_test(hooks_name_every_program),
		cmocka_unit_test(hooks_are_all_defined),
		cmocka_unit_test(receives_are_attached_before_sends),
		cmocka_unit_test(section_says_what_the_hook_says),
		cmocka_unit_test(syscall_classes_are_whole),
	};

	return cmocka_run_group_tests(tests, open_skeleton, close_skeleton);
}

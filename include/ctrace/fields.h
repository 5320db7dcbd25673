/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields.h - names the fields of struct ct_rec whose meaning depends on the kind of record. A
 * function's name begins with the kind, or its comment names the kinds. abi.h says what the fields
 * hold. Any thread.
 */
#ifndef CTRACE_FIELDS_H
#define CTRACE_FIELDS_H

#include <stdbool.h>

#include "ctrace/abi.h"
#include "ctrace/softirq.h"

/* dev is in the encoding of the kernel: major << 20 | minor (include/linux/kdev_t.h). */
static inline ct_u32 ct_dev_major(ct_u64 dev)
{
	return (ct_u32)(dev >> 20);
}

static inline ct_u32 ct_dev_minor(ct_u64 dev)
{
	return dev & 0xfffff;
}

/* wait: CT_W_*. Returns true for a poll, and for a wait in an epoll. */
static inline bool ct_wait_is_poll(ct_u8 wait)
{
	return wait == CT_W_POLL || wait == CT_W_EPOLL;
}

/* Returns the user address in the id of a FUTEX, DATA or QUEUE. */
static inline ct_u64 ct_obj_uaddr(ct_u64 id)
{
	return id & ((1ULL << 47) - 1);
}

static inline ct_u32 ct_switch_next(const struct ct_rec *r)
{
	return r->peer;
}

static inline ct_u8 ct_switch_state(const struct ct_rec *r)
{
	return r->state;
}

static inline enum ct_wait ct_switch_wait(const struct ct_rec *r)
{
	return (enum ct_wait)r->wait;
}

/* kernel priority of the previous task, 0..139 */
static inline ct_u8 ct_switch_prio(const struct ct_rec *r)
{
	return r->aux & 0xff;
}

static inline ct_u8 ct_switch_next_prio(const struct ct_rec *r)
{
	return (ct_u8)(r->aux >> 8);
}

/* Returns the task on the CPU. This task is the waker only if ct_wake_by_task() is true. */
static inline ct_u32 ct_wake_waker(const struct ct_rec *r)
{
	return r->peer;
}

static inline enum ct_ctx ct_wake_context(const struct ct_rec *r)
{
	return (enum ct_ctx)r->state;
}

/* The result is valid only if the context is CT_CTX_SOFTIRQ. */
static inline enum softirq ct_wake_softirq(const struct ct_rec *r)
{
	return (enum softirq)r->wait;
}

/* CT_W_* of the system call of the task on the CPU, if this call may be the cause of the wake-up;
 * else CT_W_NONE. */
static inline enum ct_wait ct_wake_call(const struct ct_rec *r)
{
	return (enum ct_wait)(r->aux & 0xff);
}

static inline bool ct_wake_by_task(const struct ct_rec *r)
{
	return ct_wake_context(r) == CT_CTX_TASK && r->peer && !(r->flags & CT_WF_IDLE);
}

static inline bool ct_wake_by_timer(const struct ct_rec *r)
{
	return ct_wake_context(r) == CT_CTX_TIMER ||
	       (ct_wake_context(r) == CT_CTX_SOFTIRQ &&
		(ct_wake_softirq(r) == TIMER_SOFTIRQ || ct_wake_softirq(r) == HRTIMER_SOFTIRQ));
}

static inline ct_u32 ct_futex_owner(const struct ct_rec *r)
{
	return r->peer;
}

static inline ct_u32 ct_wake_new_creator(const struct ct_rec *r)
{
	return r->peer;
}

/* For CT_WAITFD, CT_FD and CT_EPMEMBER. */
static inline ct_u32 ct_fd_number(const struct ct_rec *r)
{
	return r->peer;
}

static inline ct_u8 ct_waitfd_index(const struct ct_rec *r)
{
	return r->state;
}

static inline ct_u8 ct_waitfd_count(const struct ct_rec *r)
{
	return r->wait;
}

static inline ct_u16 ct_waitfd_events(const struct ct_rec *r)
{
	return r->aux;
}

static inline ct_u32 ct_fork_child(const struct ct_rec *r)
{
	return r->peer;
}

static inline ct_u32 ct_fork_child_tgid(const struct ct_rec *r)
{
	return (ct_u32)r->obj;
}

static inline ct_u32 ct_exec_tid_before(const struct ct_rec *r)
{
	return r->peer;
}

/* Returns the exit status as wait(2) does. */
static inline ct_u32 ct_exit_code(const struct ct_rec *r)
{
	return r->peer;
}

/* For CT_SIGNAL and CT_SIGDELIVER. */
static inline ct_u8 ct_signal_number(const struct ct_rec *r)
{
	return r->state;
}

static inline bool ct_signal_dumps_core(ct_u32 signal)
{
	return signal - 1 < 64 && CT_CORE_SIGNALS & CT_SIGNAL_BIT(signal);
}

static inline ct_u32 ct_signal_target(const struct ct_rec *r)
{
	return r->peer;
}

/* Returns the low 16 bits of si_code. */
static inline ct_s32 ct_signal_code(const struct ct_rec *r)
{
	return (short)r->aux;
}

/* For CT_SEND and CT_RECV. */
static inline ct_u32 ct_message_bytes(const struct ct_rec *r)
{
	return r->peer;
}

/* The next functions are for the destination of a CT_SEND. */
/* A kind of destination that this version does not know counts as CT_DEST_NONE. */
static inline enum ct_dest ct_send_dest(const struct ct_rec *r)
{
	return r->state <= CT_DEST_UNIX ? (enum ct_dest)r->state : CT_DEST_NONE;
}

static inline ct_u16 ct_send_port(const struct ct_rec *r)
{
	return r->nr;
}

/* See CT_SEND. */
static inline ct_u32 ct_send_address(const struct ct_rec *r)
{
	return (ct_u32)r->flags << 24 | (ct_u32)r->wait << 16 | r->aux;
}

static inline ct_u64 ct_send_name(const struct ct_rec *r)
{
	return (ct_u64)r->nr << 32 | ct_send_address(r);
}

/* The opposite of ct_send_port() and ct_send_address(), or of ct_send_name() with port << 32 | address. */
static inline void ct_send_to(struct ct_rec *r, enum ct_dest dest, ct_u16 port, ct_u32 address)
{
	r->state = (ct_u8)dest;
	r->nr = port;
	r->flags = (ct_u8)(address >> 24);
	r->wait = (ct_u8)(address >> 16);
	r->aux = (ct_u16)address;
}

/* Returns the ct_send_name() of a send to the unix socket `name`. */
static inline ct_u64 ct_dest_name(const char *name)
{
	ct_u64 word[CT_DEST_NAME_WORDS] = { 0 }, hash = 0;

	for (unsigned i = 0; i < sizeof(word) && name[i]; i++)
		((char *)word)[i] = name[i];
	for (unsigned i = 0; i < CT_DEST_NAME_WORDS; i++)
		hash = CT_DEST_NAME_ADD(hash, word[i]);
	return hash >> 16;
}

/* For CT_BLK_ISSUE and CT_BLK_DONE. Returns 0: read, 1: write, 2: flush, 3: discard, 4: other. */
static inline ct_u8 ct_block_op(const struct ct_rec *r)
{
	return r->state;
}

/* For CT_BLK_ISSUE and CT_BLK_DONE. */
static inline ct_u32 ct_block_bytes(const struct ct_rec *r)
{
	return r->peer;
}

static inline enum ct_ctx ct_ready_context(const struct ct_rec *r)
{
	return (enum ct_ctx)r->state;
}

/* For CT_FLOCK and CT_HELD. */
enum ct_lock_op { CT_LOCK_READ = 0, CT_LOCK_WRITE = 1, CT_LOCK_UNLOCK = 2 };
enum ct_lock_type { CT_LOCK_POSIX = 0, CT_LOCK_FLOCK = 1, CT_LOCK_OFD = 2 };

static inline enum ct_lock_op ct_lock_op(const struct ct_rec *r)
{
	return (enum ct_lock_op)r->state;
}

static inline enum ct_lock_type ct_lock_type(const struct ct_rec *r)
{
	return (enum ct_lock_type)r->wait;
}

/* For CT_FLOCK. Returns 0: done; -errno: the call failed; 1: the task waits for the lock. */
static inline ct_s32 ct_lock_result(const struct ct_rec *r)
{
	return (ct_s32)r->peer;
}

static inline bool ct_held_is_waiter(const struct ct_rec *r)
{
	return r->flags & 1;
}

static inline ct_u8 ct_visit_state(const struct ct_rec *r)
{
	return r->state;
}

static inline enum ct_wait ct_visit_wait(const struct ct_rec *r)
{
	return (enum ct_wait)r->wait;
}

/* CT_VL_* */
static inline ct_u16 ct_visit_lock(const struct ct_rec *r)
{
	return r->aux;
}

static inline ct_u32 ct_visit_owner(const struct ct_rec *r)
{
	return r->peer;
}

static inline enum ct_loss ct_gap_cause(const struct ct_rec *r)
{
	return (enum ct_loss)r->state;
}

/* r: a CT_GAP. Returns false if only names of objects are lost, or only what CT_GF_SIDE says. */
static inline bool ct_gap_has_events(const struct ct_rec *r)
{
	return ct_gap_cause(r) != CT_LOSS_OBJECTS && !(r->flags & CT_GF_SIDE);
}

/* 0: not known */
static inline ct_u32 ct_gap_records(const struct ct_rec *r)
{
	return r->peer;
}

static inline bool ct_access_is_write(const struct ct_rec *r)
{
	return r->state == 0;
}

static inline ct_u16 ct_access_bytes(const struct ct_rec *r)
{
	return r->aux;
}

static inline enum ct_job ct_job_state(const struct ct_rec *r)
{
	return (enum ct_job)r->state;
}

static inline ct_u16 ct_job_framework(const struct ct_rec *r)
{
	return r->aux;
}

static inline enum ct_lock ct_lock_what(const struct ct_rec *r)
{
	return (enum ct_lock)r->state;
}

/* Returns the strand that receives; 0: none, or not known. */
static inline ct_u64 ct_recv_strand(const struct ct_rec *r)
{
	return r->state == CT_RECV_STRAND
		       ? (ct_u64)r->nr << 32 | (ct_u64)r->flags << 24 | (ct_u64)r->wait << 16 | r->aux
		       : 0;
}

/* The opposite of ct_recv_strand(). */
static inline void ct_recv_by(struct ct_rec *r, ct_u64 strand)
{
	r->state = CT_RECV_STRAND;
	r->nr = (ct_u16)(strand >> 32);
	r->flags = (ct_u8)(strand >> 24);
	r->wait = (ct_u8)(strand >> 16);
	r->aux = (ct_u16)strand;
}

static inline enum ct_mark ct_mark_what(const struct ct_rec *r)
{
	return (enum ct_mark)r->state;
}

/* Only with CT_MF_STREAM. */
static inline ct_u16 ct_mark_framework(const struct ct_rec *r)
{
	return r->aux;
}

static inline ct_u64 ct_mark_ns(const struct ct_rec *r, const ct_u64 words[2])
{
	return words[1] < r->ts ? words[1] : r->ts;
}

static inline enum ct_input ct_input_what(const struct ct_rec *r)
{
	return (enum ct_input)r->state;
}

/* Returns when the display server says that the input happened; 0: not known. */
static inline ct_u64 ct_input_ns(const struct ct_rec *r, const ct_u64 words[2])
{
	return words[0] < r->ts ? words[0] : r->ts;
}

static inline enum ct_hang ct_hang_rule(const struct ct_rec *r)
{
	return (enum ct_hang)r->state;
}

/* Returns true if the rule is about the end of a process or thread, not about a hang. */
static inline bool ct_hang_is_crash(enum ct_hang rule)
{
	return rule == CT_HANG_CRASH || rule == CT_HANG_EXCEPTION;
}

static inline enum ct_wait ct_hang_wait(const struct ct_rec *r)
{
	return (enum ct_wait)r->wait;
}

/* 0: not known */
static inline ct_u32 ct_hang_blocker(const struct ct_rec *r)
{
	return r->peer;
}

static inline enum ct_shed ct_shed_step(const struct ct_rec *r)
{
	return (enum ct_shed)r->state;
}

static inline enum ct_shed ct_shed_step_before(const struct ct_rec *r)
{
	return (enum ct_shed)r->wait;
}

/* A step of the budget (enum ct_shed) leaves out some of these: */
enum ct_lack {
	CT_LACK_SAMPLES = 0x01,
	CT_LACK_STACKS = 0x02,
	CT_LACK_MESSAGES = 0x04,
	CT_LACK_WAKE_OBJECTS = 0x08,
	CT_LACK_WAIT_OBJECTS = 0x10,
	CT_LACK_CONTEXT = 0x20,  /* the kind of interrupt that woke a task, for most such wakes */
	CT_LACK_SWITCHES = 0x40, /* the runs of tasks, and waits shorter than CT_COARSE_NS */
	CT_LACK_PAUSES = 0x80,   /* everything, during pauses */
};

static inline ct_u32 ct_shed_lacks(enum ct_shed step)
{
	static const ct_u8 lacks[CT_SHED_STEPS] = {
		[CT_SHED_SAMPLES] = CT_LACK_SAMPLES,
		[CT_SHED_STACKS] = CT_LACK_SAMPLES | CT_LACK_STACKS,
		[CT_SHED_MESSAGES] = CT_LACK_SAMPLES | CT_LACK_STACKS | CT_LACK_MESSAGES,
		[CT_SHED_WAKES] = CT_LACK_SAMPLES | CT_LACK_STACKS | CT_LACK_MESSAGES | CT_LACK_WAKE_OBJECTS,
		[CT_SHED_WAITS] = CT_LACK_SAMPLES | CT_LACK_STACKS | CT_LACK_MESSAGES | CT_LACK_WAKE_OBJECTS |
				  CT_LACK_WAIT_OBJECTS,
		[CT_SHED_PAUSE] = CT_LACK_SAMPLES | CT_LACK_STACKS | CT_LACK_MESSAGES | CT_LACK_WAKE_OBJECTS |
				  CT_LACK_WAIT_OBJECTS | CT_LACK_PAUSES,
		[CT_SHED_HOOKS] = CT_LACK_MESSAGES | CT_LACK_CONTEXT,
		[CT_SHED_COARSE] = CT_LACK_MESSAGES | CT_LACK_CONTEXT | CT_LACK_SWITCHES,
		[CT_SHED_PAUSES] = CT_LACK_MESSAGES | CT_LACK_CONTEXT | CT_LACK_SWITCHES | CT_LACK_PAUSES,
	};

	return step < CT_SHED_STEPS ? lacks[step] : 0;
}

static inline enum ct_found ct_found_what(const struct ct_rec *r)
{
	return (enum ct_found)r->aux;
}

static inline ct_u8 ct_found_state(const struct ct_rec *r)
{
	return r->state;
}

static inline enum ct_wait ct_found_wait(const struct ct_rec *r)
{
	return (enum ct_wait)r->wait;
}

static inline ct_u32 ct_found_switches(const struct ct_rec *from, const struct ct_rec *to)
{
	return to->peer - from->peer;
}

/* from, to: x[1] of two CT_FOUND records. The result is right only below 73 minutes (2^32 units of
 * CT_FOUND_UNIT_NS). */
static inline ct_u64 ct_found_ran_ns(ct_u64 from, ct_u64 to)
{
	return (ct_u64)(ct_u32)((ct_u32)to - (ct_u32)from) * CT_FOUND_UNIT_NS;
}

/* As ct_found_ran_ns(), for the time in the queues of CPUs. */
static inline ct_u64 ct_found_queued_ns(ct_u64 from, ct_u64 to)
{
	return ct_found_ran_ns(from >> 32, to >> 32);
}

/* For a CT_SHED at the end of a cap: returns how many records were left out. For groups, see CT_SHED. */
static inline ct_u32 ct_cap_records(const struct ct_rec *r)
{
	return r->peer;
}

/* For a CT_SHED with CT_GV_CAP at the end of the cap: returns why the task waits when the cap ends. */
static inline enum ct_wait ct_cap_wait(const struct ct_rec *r)
{
	return (enum ct_wait)(r->aux & 0xff);
}

/* For the same records as ct_cap_wait(): returns the state of the task (CT_ST_*) when the cap ends. 0: the
 * task runs or is runnable. */
static inline ct_u8 ct_cap_state(const struct ct_rec *r)
{
	return (ct_u8)(r->aux >> 8);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uprobe.bpf.c - records the jobs of frameworks, the events of display servers that programs take, the
 * marks of user programs, and calls of chosen functions, with probes. The cookie of a probe is the index of
 * its rule in ct_job_rules. The BPF programs of this file can be preempted, so they use the side ring: see
 * emit_side().
 */
#include "compat.h"
#include "emit.h"
#include "ctrace/job.h"
#include "ctrace/job_owner.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, JOB_RULES_MAX);
	__type(key, __u32);
	__type(value, struct job_rule);
} ct_job_rules SEC(".maps");

/* How often each probe was hit, by the index of its rule. The daemon maps this into its memory. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, JOB_RULES_MAX);
	__type(key, __u32);
	__type(value, struct job_count);
} ct_job_hits SEC(".maps");

/* enum job_switch, by job_rule.spec. The daemon maps this into its memory. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, JOB_SPECS_MAX);
	__type(key, __u32);
	__type(value, __u64);
} ct_job_switch SEC(".maps");

/* What one process has in the maps of this file, so that it does not push out the entries of others. */
#define JOB_TELLS_MAX 32 /* struct job_call in JOB_TELL_NS */
#define JOB_TELL_NS   60000000000ULL
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2048);
	__type(key, __u32);
	__type(value, struct job_owner);
} ct_job_owners SEC(".maps");

struct call_key {
	__u64 function;
	__u64 tgid;
};
struct call_told {
	__u64 ns;
	__u64 attached; /* job_rule.attached */
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct call_key);
	__type(value, struct call_told);
} ct_job_told SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} ct_job_calls SEC(".maps");

/* The jobs that started at the entry of a function: with JOB_RETURNS, until this function returns; with
 * job_rule.called, until an event with JOB_CALLED. */
struct open_key {
	__u64 sp; /* the stack pointer after the return; with job_rule.called: the framework, a smaller number
		   */
	__u32 tid;
	__u32 attached; /* with job_rule.called: job_rule.attached */
};
struct open_job {
	__u64 job, queue, function;
	__u64 capacity; /* 0: not known */
	/* with job_rule.called: the stack pointer at the entry of the function; the end is then CT_JF_LOOSE
	 */
	__u64 sp;
	__u64 born_ns; /* with job_rule.called: begin of the thread; another one may have had the same id */
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct open_key);
	__type(value, struct open_job);
} ct_job_open SEC(".maps");

/* The jobs that were enqueued or started (JOB_NOTED), until they start (JOB_QUEUED) or end (JOB_ENDED). If
 * more jobs than max_entries wait or run, the map forgets the ones that were used longest ago, and the rest
 * of their events is not recorded. A process with more than JOB_OWN_MAX such jobs uses ct_job_queued_many for
 * the others, so it cannot make ct_job_queued forget the jobs of the other processes. */
struct queued_key {
	__u64 job;
	__u32 tgid;
	__u32 framework;
};
struct queued_job {
	__u64 born_ns; /* job_born() */
	__u8 attached; /* job_rule.attached */
	__u8 started;
	__u8 pad[2];
	__u32 period; /* job_owner_note() */
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct queued_key);
	__type(value, struct queued_job);
} ct_job_queued SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct queued_key);
	__type(value, struct queued_job);
} ct_job_queued_many SEC(".maps");

/* The verifier allows only loads with a fixed offset from the context. */
#define JOB_REG(i, member)                                                                                   \
	case 1 + (i):                                                                                        \
		v = regs->member;                                                                            \
		barrier_var(v);                                                                              \
		break

#if defined(__TARGET_ARCH_x86)
#define REGS_RETURN_BYTES 8 /* a call leaves the return address on the stack */

static __always_inline __u64 regs_caller(struct pt_regs *regs)
{
	__u64 address = 0;

	bpf_probe_read_user(&address, sizeof(address), (void *)regs->sp);
	return address;
}

static __always_inline __u64 job_reg(struct pt_regs *regs, __u32 reg)
{
	__u64 v = 0;

	switch (reg) {
		JOB_REG(JOB_AX, ax);
		JOB_REG(JOB_DX, dx);
		JOB_REG(JOB_CX, cx);
		JOB_REG(JOB_BX, bx);
		JOB_REG(JOB_SI, si);
		JOB_REG(JOB_DI, di);
		JOB_REG(JOB_BP, bp);
		JOB_REG(JOB_SP, sp);
		JOB_REG(JOB_R8, r8);
		JOB_REG(JOB_R9, r9);
		JOB_REG(JOB_R10, r10);
		JOB_REG(JOB_R11, r11);
		JOB_REG(JOB_R12, r12);
		JOB_REG(JOB_R13, r13);
		JOB_REG(JOB_R14, r14);
		JOB_REG(JOB_R15, r15);
	}
	return v;
}
#elif defined(__TARGET_ARCH_arm64)
#define REGS_RETURN_BYTES 0

static __always_inline __u64 regs_caller(struct pt_regs *regs)
{
	return regs->regs[30];
}

#define JOB_XREGS(i)                                                                                         \
	JOB_REG(i, regs[i]);                                                                                 \
	JOB_REG(i + 1, regs[i + 1]);                                                                         \
	JOB_REG(i + 2, regs[i + 2]);                                                                         \
	JOB_REG(i + 3, regs[i + 3]);                                                                         \
	JOB_REG(i + 4, regs[i + 4])

static __always_inline __u64 job_reg(struct pt_regs *regs, __u32 reg)
{
	__u64 v = 0;

	switch (reg) {
		JOB_XREGS(0);
		JOB_XREGS(5);
		JOB_XREGS(10);
		JOB_XREGS(15);
		JOB_XREGS(20);
		JOB_XREGS(25);
		JOB_REG(30, regs[30]);
	}
	return v;
}
#endif

static __always_inline __u64 job_value(struct pt_regs *regs, const struct job_value *how)
{
	__u64 v;

	if (!how->reg)
		return 0;
	if (how->reg == JOB_THREAD)
		return (__u32)bpf_get_current_pid_tgid();
	v = job_reg(regs, how->reg) + how->off;
	if (how->deref && bpf_probe_read_user(&v, sizeof(v), (void *)v))
		return 0;
	v += how->off2;
	if (how->deref > 1 && bpf_probe_read_user(&v, sizeof(v), (void *)v))
		return 0;
	return v;
}

/* Describes the object anew if its capacity has changed. capacity 0: not known at this probe. */
static __always_inline void job_name(struct cpu *c, __u64 id, const struct job_rule *rule, __u32 tid,
				     __u64 now, __u32 capacity)
{
	struct {
		struct cpu_side side;
		struct ct_object_blob b;
		char name[JOB_LABEL_MAX];
	} o = {};
	struct seen seen = { .sig = capacity }, *before = bpf_map_lookup_elem(&ct_objects, &id);

	if (before && (!capacity || before->sig == capacity))
		return;
	bpf_map_update_elem(&ct_objects, &id, &seen, 0);
	o.b.x = capacity;
	o.b.h.ts = now;
	o.b.h.kind = CT_OBJECT;
	o.b.h.size = sizeof(o.b) + ((rule->name_len + 7) & 0x38);
	o.b.h.tid = tid;
	o.b.id = id;
	o.b.name_len = rule->name_len;
	__builtin_memcpy(o.name, rule->name, sizeof(o.name));
	if (!emit_side(c, &o.side, sizeof(o.side) + o.b.h.size, now))
		bpf_map_delete_elem(&ct_objects, &id); /* the next record tries again */
}

/* event: of a rule for a lock: enum ct_lock; else enum ct_job */
static __noinline void job_emit(__u32 event, const struct open_job *j, const struct job_rule *rule, __u64 now)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct cpu *c = emit_cpu();
	struct {
		struct cpu_side side;
		struct emit_rec2 rec;
	} o = {};
	struct ct_rec *r = &o.rec.r;

	if (!c)
		return;
	if (j->queue)
		r->obj = CT_OBJ_USER_ID(CT_OBJ_QUEUE, id >> 32, j->queue);
	if (r->obj)
		job_name(c, r->obj, rule, id, now, j->capacity);
	r->ts = now;
	r->kind = rule->event == JOB_LOCK_WAIT || rule->event == JOB_LOCK_RELEASE ? CT_LOCK : CT_JOB;
	r->state = event;
	if (event == CT_JOB_END && (rule->event == CT_JOB_START || j->sp))
		r->flags = CT_JF_LOOSE;
	r->tid = id;
	r->aux = rule->framework;
	o.rec.x[0] = j->job;
	o.rec.x[1] = j->function;
	emit_side(c, &o.side, sizeof(o), now);
}

/* obj: rule->mark, which mark_emit() names, or an object that has a name already. */
static __noinline void mark_emit(__u64 transaction, __u64 obj, const struct job_rule *rule, __u64 now)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct cpu *c = emit_cpu();
	struct {
		struct cpu_side side;
		struct emit_rec2 rec;
	} o = {};
	struct ct_rec *r = &o.rec.r;

	if (!c)
		return;
	if (obj == rule->mark)
		job_name(c, obj, rule, id, now, 0);
	r->ts = now;
	r->kind = CT_MARK;
	r->state = rule->event;
	r->flags = rule->rec_flags;
	r->aux = rule->rec_flags & CT_MF_STREAM ? rule->framework : 0;
	r->tid = id;
	r->obj = obj;
	o.rec.x[0] = transaction;
	o.rec.x[1] = now;
	emit_side(c, &o.side, sizeof(o), now);
}

/* X11: the types of events, and in the extension XInput 2 those of an event of the type X_GENERIC */
#define X_KEY_PRESS       2
#define X_MOTION          6
#define X_GENERIC         35
#define XI_TOUCH_BEGIN    18
#define XI_TOUCH_UPDATE   19
#define XI_TOUCH_END      20
#define GDK_EXPOSE        2
#define GDK_MOTION        3
#define GDK_BUTTON_PRESS  4
#define GDK_BUTTON_TWICE  5
#define GDK_BUTTON_THRICE 6
#define GDK_BUTTON_UP     7
#define GDK_KEY_PRESS     8
#define GDK_KEY_UP        9
#define GDK_TOUCH_BEGIN   37
#define GDK_TOUCH_END     39

/* Qt: WindowSystemEvent.type, and QEvent::Type */
#define QT_MOUSE       0x107
#define QT_KEY         0x10a
#define QT_TOUCH       0x10b
#define QT_MOUSE_PRESS 2
#define QT_MOUSE_UP    3
#define QT_KEY_PRESS   6
#define QT_KEY_UP      7

/* If an event seems older than this, its time is from another clock. */
#define INPUT_OLD_MS 60000

/* An event of a display server: enum ct_input, and the low 32 bits of the time of the server in ms. */
struct input_event {
	__u32 what;
	__u32 time_ms;
};

/* The types of the core protocol from X_KEY_PRESS to X_MOTION are those of XInput 2 too. */
static __always_inline __u32 input_x_type(__u32 type)
{
	return type >= X_KEY_PRESS && type <= X_MOTION ? type - X_KEY_PRESS + CT_INPUT_KEY : CT_INPUT_OTHER;
}

static __always_inline __u32 input_xi_type(__u32 type)
{
	if (type == XI_TOUCH_BEGIN)
		return CT_INPUT_TOUCH;
	if (type == XI_TOUCH_UPDATE)
		return CT_INPUT_MOTION;
	return type == XI_TOUCH_END ? CT_INPUT_TOUCH_UP : input_x_type(type);
}

static __always_inline __u32 input_read(__u64 at)
{
	__u32 v = 0;

	bpf_probe_read_user(&v, sizeof(v), (void *)at);
	return v;
}

static __always_inline struct input_event input_xlib(__u64 at)
{
	struct input_event e = { .what = input_x_type(input_read(at)) };
	__u64 data = 0;

	if (input_read(at) != X_GENERIC) {
		e.time_ms = input_read(at + 56); /* XKeyEvent.time */
		return e;
	}
	e.what = input_xi_type(input_read(at + 36)); /* XGenericEventCookie.evtype, .data */
	bpf_probe_read_user(&data, sizeof(data), (void *)(at + 48));
	e.time_ms = data ? input_read(data + 40) : 0; /* XIDeviceEvent.time */
	return e;
}

/* Returns false if the event does not count: GDK repeats the second press of a double click as an event of
 * its own. */
static __always_inline bool input_gdk3(__u64 at, struct input_event *ret)
{
	__u32 type = input_read(at);

	ret->time_ms = input_read(at + 20); /* GdkEventKey.time; the same in events of other devices */
	ret->what = type == GDK_EXPOSE         ? CT_INPUT_DRAW
		    : type == GDK_KEY_PRESS    ? CT_INPUT_KEY
		    : type == GDK_KEY_UP       ? CT_INPUT_KEY_UP
		    : type == GDK_BUTTON_PRESS ? CT_INPUT_BUTTON
		    : type == GDK_BUTTON_UP    ? CT_INPUT_BUTTON_UP
		    : type == GDK_MOTION       ? CT_INPUT_MOTION
		    : type == GDK_TOUCH_BEGIN  ? CT_INPUT_TOUCH
		    : type == GDK_TOUCH_END    ? CT_INPUT_TOUCH_UP
					       : CT_INPUT_OTHER;
	return type != GDK_BUTTON_TWICE && type != GDK_BUTTON_THRICE;
}

/* Where a KeyEvent and a MouseEvent of Qt have their QEvent::Type. */
struct qt_offsets {
	__u32 key, mouse;
};
static const struct qt_offsets qt5_offsets = { .key = 0x44, .mouse = 0x68 };
static const struct qt_offsets qt6_offsets = { .key = 0x6c, .mouse = 0x70 };

static __always_inline __u32 input_qt_mouse(__u32 type)
{
	return type == QT_MOUSE_PRESS ? CT_INPUT_BUTTON
	       : type == QT_MOUSE_UP  ? CT_INPUT_BUTTON_UP
				      : CT_INPUT_MOTION;
}

/* Returns false if the event does not count: while Qt handles a key press, it asks the widgets, with an event
 * of its own, whether the key is a shortcut. */
static __always_inline bool input_qt(__u64 at, const struct qt_offsets *offsets, struct input_event *ret)
{
	__u32 kind = input_read(at + 8), type;

	ret->what = CT_INPUT_OTHER;
	ret->time_ms = input_read(at + 0x28); /* UserEvent.timestamp */
	if (kind == QT_MOUSE) {
		ret->what = input_qt_mouse(input_read(at + offsets->mouse));
	} else if (kind == QT_TOUCH) {
		ret->what = CT_INPUT_MOTION;
	} else if (kind == QT_KEY) {
		type = input_read(at + offsets->key);
		ret->what = type == QT_KEY_PRESS ? CT_INPUT_KEY : CT_INPUT_KEY_UP;
		return type == QT_KEY_PRESS || type == QT_KEY_UP;
	}
	return true;
}

/* Returns ns since boot; 0: the event has no time, or a time of another clock. X servers and Wayland
 * compositors count ms of the monotonic clock. */
static __always_inline __u64 input_time(const struct input_event *e, __u64 now)
{
	__u64 mono = bpf_ktime_get_ns();
	__u32 age_ms = (__u32)(mono / 1000000) - e->time_ms;
	__u64 ago = age_ms * 1000000ULL + mono % 1000000;

	if (!e->what || e->what == CT_INPUT_DRAW || !e->time_ms || age_ms > INPUT_OLD_MS)
		return 0;
	return ago < now ? now - ago : 0; /* a time before the boot is wrong */
}

static __noinline void input_emit(__u64 at, const struct job_rule *rule, __u64 now)
{
	struct cpu *c = emit_cpu();
	struct input_event e = { .what = CT_INPUT_DRAW };
	struct {
		struct cpu_side side;
		struct emit_rec2 rec;
	} o = {};
	struct ct_rec *r = &o.rec.r;

	if (!c)
		return;
	if (rule->event == JOB_LAYOUT_XLIB)
		e = input_xlib(at);
	else if (rule->event == JOB_LAYOUT_GDK3 && !input_gdk3(at, &e))
		return;
	else if (rule->event == JOB_LAYOUT_QT5 && !input_qt(at, &qt5_offsets, &e))
		return;
	else if (rule->event == JOB_LAYOUT_QT6 && !input_qt(at, &qt6_offsets, &e))
		return;
	r->ts = now;
	r->kind = CT_INPUT;
	r->state = e.what;
	r->flags = rule->rec_flags;
	r->tid = bpf_get_current_pid_tgid();
	r->aux = rule->framework;
	o.rec.x[0] = input_time(&e, now);
	emit_side(c, &o.side, sizeof(o), now);
}

static __always_inline __u64 job_switch(const struct job_rule *rule)
{
	__u32 spec = rule->spec;
	const __u64 *how = bpf_map_lookup_elem(&ct_job_switch, &spec);

	return how ? *(volatile const __u64 *)how : JOB_OFF;
}

static __always_inline struct job_owner *job_owner(__u32 tgid, __u64 now)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	struct job_owner *o = bpf_map_lookup_elem(&ct_job_owners, &tgid);
	struct job_owner new = { .born_ns = BPF_CORE_READ(t, group_leader, start_boottime),
				 .period = now / JOB_OWN_NS };

	if (o && o->born_ns == new.born_ns) {
		job_owner_turn(o, now);
		return o;
	}
	bpf_map_update_elem(&ct_job_owners, &tgid, &new, 0);
	return bpf_map_lookup_elem(&ct_job_owners, &tgid);
}

/* Two threads of a process may begin a new count at the same time. Then a few calls more are told. */
static __always_inline bool job_tell_may(__u32 tgid, __u64 now)
{
	struct job_owner *o = job_owner(tgid, now);

	if (!o)
		return false;
	if (now - o->told_ns >= JOB_TELL_NS) {
		o->told_ns = now;
		o->n_told = 0;
	}
	return __sync_fetch_and_add(&o->n_told, 1) < JOB_TELLS_MAX;
}

static __noinline void job_tell(__u32 tgid, __u64 function, const struct job_rule *rule, __u64 now)
{
	struct call_key key = { .function = function, .tgid = tgid };
	struct job_call call = { .function = function, .tgid = tgid, .calls = rule->calls };
	struct call_told told = { .ns = now, .attached = rule->attached },
			 *before = bpf_map_lookup_elem(&ct_job_told, &key);

	if (before && before->attached == told.attached && now - before->ns < JOB_TELL_NS)
		return;
	if (job_tell_may(tgid, now) &&
	    !bpf_ringbuf_output(&ct_job_calls, &call, sizeof(call), BPF_RB_FORCE_WAKEUP))
		bpf_map_update_elem(&ct_job_told, &key, &told, 0);
}

static __always_inline __u64 job_thread_born(void)
{
	struct task_struct *t = (void *)bpf_get_current_task();

	return BPF_CORE_READ(t, start_boottime);
}

/* Returns when the process began, or the thread if the job is a thread. Another process may have had the same
 * id, and may have ended with an open job. */
static __always_inline __u64 job_born(const struct job_rule *rule)
{
	struct task_struct *t = (void *)bpf_get_current_task();

	return rule->job.reg == JOB_THREAD ? job_thread_born()
					   : BPF_CORE_READ(t, group_leader, start_boottime);
}

#define JOB_HASH_PRIME 0x9e3779b97f4a7c15ULL

static __always_inline __u64 job_hash(__u64 hash, __u64 v)
{
	hash = (hash ^ v) * JOB_HASH_PRIME;
	return hash ^ hash >> 32;
}

/* Two transactions of one process have the same id only if both values are the same. Another process may have
 * an object at the same address. */
static __always_inline __u64 job_transaction(struct pt_regs *regs, const struct job_rule *rule, __u32 tgid)
{
	__u64 hash = job_hash(job_hash(0, tgid), job_value(regs, &rule->job));

	return job_hash(hash, (__u32)job_value(regs, &rule->part));
}

static __always_inline void job_note(const struct queued_key *key, struct queued_job *note, __u64 now)
{
	struct job_owner *o = job_owner(key->tgid, now);
	struct queued_job *before = bpf_map_lookup_elem(&ct_job_queued, key);

	if (!before && o && job_owner_is_full(o)) {
		o->many = 1;
		bpf_map_update_elem(&ct_job_queued_many, key, note, 0);
		return;
	}
	/* perhaps an earlier job with this number, whose end never came */
	if (o && o->many)
		bpf_map_delete_elem(&ct_job_queued_many, key);
	if (o && before && before->born_ns == note->born_ns)
		job_owner_forget(o, before->period);
	if (o)
		note->period = job_owner_note(o);
	bpf_map_update_elem(&ct_job_queued, key, note, 0);
}

/* Returns false if another task has forgotten the job in the meantime. */
static __always_inline bool job_forget(const struct queued_key *key, __u32 period, __u64 now)
{
	struct job_owner *o;

	if (bpf_map_delete_elem(&ct_job_queued, key))
		return !bpf_map_delete_elem(&ct_job_queued_many, key);
	o = job_owner(key->tgid, now);
	if (o)
		job_owner_forget(o, period);
	return true;
}

/*
 * Returns true if the event is to be recorded. JOB_NOTED: also remembers the job as enqueued. A start with
 * JOB_NOTED does not count if the job runs already.
 * JOB_QUEUED: only a job that was enqueued before counts, because the probed function may also be
 * called for other things. JOB_ENDED: a job that has started does not start again.
 */
static __noinline bool job_counts(const struct job_rule *rule, __u64 job, __u32 tgid, __u64 now)
{
	struct queued_key key = { .job = job, .tgid = tgid, .framework = rule->framework };
	struct queued_job note = { .attached = rule->attached }, *noted;
	bool known;

	if (!(rule->flags & (JOB_NOTED | JOB_QUEUED)))
		return true;
	note.born_ns = job_born(rule);
	noted = bpf_map_lookup_elem(&ct_job_queued, &key);
	if (!noted)
		noted = bpf_map_lookup_elem(&ct_job_queued_many, &key);
	known = noted && noted->attached == note.attached && noted->born_ns == note.born_ns;
	if (rule->flags & JOB_NOTED) {
		if (known && !(rule->flags & JOB_MARK) && rule->event == CT_JOB_START)
			return false;
		job_note(&key, &note, now);
		return true;
	}
	if (!known)
		return false;
	if (!(rule->flags & JOB_ENDED))
		return job_forget(&key, noted->period, now);
	if (noted->started)
		return false;
	noted->started = true;
	return true;
}

#define JOB_TEXT_BYTES 128
#define JOB_PAGE_BYTES 4096 /* the smallest page */

/* Returns true if the text of n bytes at the address has the bytes of rule->text. Looks at JOB_TEXT_BYTES
 * bytes at most. */
static __noinline bool job_text_has(const struct job_rule *rule, __u64 at, __u64 n)
{
	char buf[JOB_TEXT_BYTES] = {};
	__u64 low = 0, high = 0, size = JOB_PAGE_BYTES - (at & (JOB_PAGE_BYTES - 1));

	if (bpf_probe_read_user(buf, sizeof(buf), (void *)at)) {
		/* perhaps the text ends before a page that cannot be read */
		if (size >= sizeof(buf))
			return false;
		size &= sizeof(buf) - 1;
		barrier_var(size);
		if (bpf_probe_read_user(buf, size & (sizeof(buf) - 1), (void *)at))
			return false;
	}
	for (__u32 i = 0; i < sizeof(buf); i++) {
		__u8 byte = buf[i];

		if (i >= n || !byte)
			break;
		high = high << 8 | low >> 56;
		low = low << 8 | byte;
		if ((low & rule->text.mask[0]) == rule->text.has[0] &&
		    (high & rule->text.mask[1]) == rule->text.has[1])
			return true;
	}
	return false;
}

static __always_inline bool job_fits(struct pt_regs *regs, const struct job_rule *rule)
{
	__u64 n = rule->text.length.reg ? job_value(regs, &rule->text.length) : JOB_TEXT_BYTES;

	if (rule->zero.reg && (__u32)job_value(regs, &rule->zero))
		return false;
	return !rule->text.at.reg || job_text_has(rule, job_value(regs, &rule->text.at), n);
}

/*
 * The stack of a task that enqueues a job. Most code has no frame pointers, so the program copies the
 * registers and a part of the stack, and the daemon unwinds them.
 *
 * A stack costs far more than a record. So only some enqueues have one: in a second, on average
 * JOB_STACKS_PER_QUEUE of each queue, and JOB_STACKS_PER_CPU on each CPU. In no second are there more than
 * twice as many. Which enqueues have one is left to chance, so that the stacks show how often each caller
 * enqueues. Only of a new queue, the first ones are taken.
 */

#define JOB_STACKS_PER_QUEUE 8
#define JOB_STACKS_PER_CPU   16
#define JOB_STACK_CHUNK      512 /* divides CT_RAWJOB_STACK */
#define JOB_SECOND_NS        1000000000ULL

struct job_stacks_key {
	__u64 queue; /* the value of the queue, as in a job_rule; 0: the framework names no queue */
	__u32 tgid;
	__u32 framework;
};
/* A limit of stacks in a second. enqueued: how many stacks were wanted in the present second; before: in the
 * last second before it in which one was wanted. */
struct job_stacks {
	__u64 second_ns;
	__u32 enqueued, before;
	__u32 taken;
	__u32 pad;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct job_stacks_key);
	__type(value, struct job_stacks);
} ct_job_stacks SEC(".maps");

/* busy: a program of this file fills the rest. It may be preempted meanwhile, and another program may run on
 * the same CPU. */
struct job_scratch {
	__u64 busy;
	struct job_stacks limit;
	struct cpu_side side;
	struct ct_rawjob_blob b;
	char stack[CT_RAWJOB_STACK];
};
_Static_assert(__builtin_offsetof(struct job_scratch, b) ==
		       __builtin_offsetof(struct job_scratch, side) + sizeof(struct cpu_side),
	       "side by side");
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct job_scratch);
} ct_job_scratch SEC(".maps");

/* Two CPUs may begin a new second of a queue at the same time. Then a few stacks more are taken. */
static __always_inline bool job_stack_may(struct job_stacks *s, __u32 per_s, __u64 now)
{
	__u64 since = s->second_ns;

	if (now - since >= JOB_SECOND_NS && __sync_val_compare_and_swap(&s->second_ns, since, now) == since) {
		s->before = s->enqueued;
		s->enqueued = 0;
		s->taken = 0;
	}
	__sync_fetch_and_add(&s->enqueued, 1);
	if (s->before > per_s && bpf_get_prandom_u32() % s->before >= per_s)
		return false;
	return __sync_fetch_and_add(&s->taken, 1) < 2 * per_s;
}

static __always_inline bool job_stack_wanted(const struct open_job *j, const struct job_rule *rule, __u64 now)
{
	struct job_stacks_key key = { .queue = j->queue,
				      .tgid = bpf_get_current_pid_tgid() >> 32,
				      .framework = rule->framework };
	struct job_stacks *s = bpf_map_lookup_elem(&ct_job_stacks, &key), first = { .second_ns = now };

	if (!s) {
		bpf_map_update_elem(&ct_job_stacks, &key, &first, 0);
		s = bpf_map_lookup_elem(&ct_job_stacks, &key);
	}
	return s && job_stack_may(s, JOB_STACKS_PER_QUEUE, now);
}

/* Stops at the first page that is not there: the end of the stack. */
static __noinline void job_stack_fill(struct job_scratch *s, struct pt_regs *regs)
{
	__u64 sp = regs->sp;

	__builtin_memset(s->b.regs, 0, sizeof(s->b.regs));
	bpf_probe_read_kernel(s->b.regs, REGS_BYTES, regs);
	s->b.n_stack = 0;
	for (__u32 at = 0; at < CT_RAWJOB_STACK; at += JOB_STACK_CHUNK) {
		if (bpf_probe_read_user(s->stack + at, JOB_STACK_CHUNK, (void *)(sp + at)))
			break;
		s->b.n_stack = at + JOB_STACK_CHUNK;
	}
}

/* now: the time of the CT_JOB. Returns true if the stack was taken. */
static __noinline bool job_stack(struct pt_regs *regs, const struct open_job *j, const struct job_rule *rule,
				 __u64 now)
{
	bool taken = false;
	__u64 id = bpf_get_current_pid_tgid(), bytes;
	struct job_scratch *s;
	struct cpu *c;
	__u32 zero = 0;

	/* a stack is large, and must not take the place of records */
	if (bpf_ringbuf_query(&ct_side, BPF_RB_AVAIL_DATA) > CPU_SIDE_BYTES / 4 ||
	    !job_stack_wanted(j, rule, now))
		return false;
	c = emit_cpu();
	s = bpf_map_lookup_elem(&ct_job_scratch, &zero);
	if (!c || !s || __sync_val_compare_and_swap(&s->busy, 0, 1))
		return false;
	if (job_stack_may(&s->limit, JOB_STACKS_PER_CPU, now)) {
		taken = true;
		job_stack_fill(s, regs);
		s->b.h.ts = now;
		s->b.h.kind = CT_RAWJOB;
		s->b.h.flags = 0;
		s->b.h.tid = id;
		s->b.tgid = id >> 32;
		s->b.framework = rule->framework;
		s->b.queue = j->queue ? CT_OBJ_USER_ID(CT_OBJ_QUEUE, id >> 32, j->queue) : 0;
		s->b.job = j->job;
		bytes = s->b.n_stack;
		barrier_var(bytes);
		s->b.h.size = sizeof(s->b) + bytes;
		if (bytes <= CT_RAWJOB_STACK)
			emit_side(c, &s->side, sizeof(s->side) + sizeof(s->b) + bytes, now);
	}
	*(volatile __u64 *)&s->busy = 0;
	return taken;
}

/* The frame of the caller may grow by this until the end of the job is reported. */
#define JOB_FRAME_BYTES 4096

static __always_inline struct open_key job_called_key(const struct job_rule *rule)
{
	return (struct open_key){ .sp = rule->framework,
				  .tid = (__u32)bpf_get_current_pid_tgid(),
				  .attached = rule->attached };
}

/*
 * Ends the job that this thread has begun last with job_rule.called. Returns false if there is none. `job`
 * is not 0: only this job.
 *
 * With JOB_CALLED, the job ends only if its function has returned: then the stack pointer is again where it
 * was at the entry of the function, or a little above. While the function runs, also if it calls the probed
 * function itself, the stack pointer is below; on another stack (a coroutine), it is elsewhere. So no return
 * probe is needed. The next start, and an end of this job in this thread, end the job in any case.
 */
static __noinline bool job_called_end(__u64 sp, __u64 job, const struct job_rule *rule, __u64 now)
{
	struct open_key key = job_called_key(rule);
	struct open_job *j = bpf_map_lookup_elem(&ct_job_open, &key), copy;

	if (!j || (job && j->job != job) || (rule->job.reg == JOB_CALLED && sp - j->sp >= JOB_FRAME_BYTES))
		return false;
	copy = *j;
	bpf_map_delete_elem(&ct_job_open, &key);
	if (copy.born_ns == job_thread_born())
		job_emit(CT_JOB_END, &copy, rule, now);
	return true;
}

static __always_inline void job_called_start(struct pt_regs *regs, struct open_job *j,
					     const struct job_rule *rule, __u64 now)
{
	struct open_key key = job_called_key(rule);

	job_called_end(regs->sp, 0, rule, now - 1);
	j->sp = regs->sp;
	j->born_ns = job_thread_born();
	bpf_map_update_elem(&ct_job_open, &key, j, 0);
}

/* Remembers that the process has strands: from now on, its receives have them too. */
static __noinline void lock_note(__u32 tgid, __u64 now)
{
	if (!bpf_map_lookup_elem(&ct_strands, &tgid))
		bpf_map_update_elem(&ct_strands, &tgid, &now, 0);
	if (!ct_has_strands)
		ct_has_strands = 1;
}

/* Returns true if the stack of the release was taken. */
static __always_inline bool lock_hit(struct pt_regs *regs, struct open_job *j, const struct job_rule *rule,
				     bool stacks, __u64 now)
{
	__u32 what = CT_LOCK_RELEASE;

	if (rule->event == JOB_LOCK_WAIT) {
		what = (__u8)job_value(regs, &rule->part) ? CT_LOCK_AGAIN : CT_LOCK_WAIT;
		lock_note(bpf_get_current_pid_tgid() >> 32, now);
	}
	job_emit(what, j, rule, now);
	return what == CT_LOCK_RELEASE && stacks && job_stack(regs, j, rule, now);
}

/* Returns false if the framework has not called the function. */
static __always_inline bool job_by_framework(struct pt_regs *regs, const struct job_rule *rule)
{
	return !rule->caller_to ||
	       regs_caller(regs) - rule->caller_from < rule->caller_to - rule->caller_from;
}

SEC("uprobe")
int ct_job_entry(struct pt_regs *regs)
{
	__u64 now = bpf_ktime_get_boot_ns(), id = bpf_get_current_pid_tgid();
	__u32 index = bpf_get_attach_cookie(regs);
	const struct job_rule *rule = bpf_map_lookup_elem(&ct_job_rules, &index);
	struct job_count *count = bpf_map_lookup_elem(&ct_job_hits, &index);
	struct open_job j = {};
	__u64 how;

	if (!rule || !count)
		return 0;
	__sync_fetch_and_add(&count->hits, 1);
	how = job_switch(rule);
	if (how >= JOB_OFF || id >> 32 == ct_tracer_tgid || !job_fits(regs, rule))
		return 0;
	if (rule->job.reg == JOB_CALLED) {
		job_called_end(regs->sp, 0, rule, now);
		return 0;
	}
	if (rule->flags & JOB_MARK && rule->rec_flags & CT_MF_HASHED)
		j.job = job_transaction(regs, rule, id >> 32);
	else
		j.job = job_value(regs, &rule->job);
	if (rule->flags & JOB_MARK) {
		if (job_counts(rule, j.job, id >> 32, now))
			mark_emit(j.job, rule->mark, rule, now);
		return 0;
	}
	if (rule->flags & JOB_INPUT) {
		input_emit(j.job, rule, now);
		return 0;
	}
	j.function = job_value(regs, &rule->function);
	if (rule->event == JOB_FUNCTION) {
		if (j.function)
			job_tell(id >> 32, j.function, rule, now);
		return 0;
	}
	if (rule->event == JOB_LOCK_WAIT || rule->event == JOB_LOCK_RELEASE) {
		j.queue = job_value(regs, &rule->queue);
		if (j.job && j.queue && lock_hit(regs, &j, rule, how == JOB_ON, now))
			__sync_fetch_and_add(&count->stacks, 1);
		return 0;
	}
	if (rule->called && rule->event == CT_JOB_END && j.job && job_called_end(regs->sp, j.job, rule, now))
		return 0;
	if (!j.job || !job_by_framework(regs, rule) || !job_counts(rule, j.job, id >> 32, now))
		return 0;
	j.queue = job_value(regs, &rule->queue);
	j.capacity = (__u32)job_value(regs, &rule->capacity);
	if (j.capacity > JOB_CAPACITY_MAX)
		j.capacity = 0;
	if (rule->flags & JOB_RETURNS) {
		struct open_key key = { .sp = regs->sp + REGS_RETURN_BYTES, .tid = (__u32)id };

		bpf_map_update_elem(&ct_job_open, &key, &j, 0);
	}
	if (rule->called && rule->event == CT_JOB_START)
		job_called_start(regs, &j, rule, now);
	if (rule->flags & JOB_CALLS && j.function)
		job_tell(id >> 32, j.function, rule, now);
	job_emit(rule->event, &j, rule, now);
	if (rule->event == CT_JOB_ENQUEUE && how == JOB_ON && job_stack(regs, &j, rule, now))
		__sync_fetch_and_add(&count->stacks, 1);
	if (rule->flags & JOB_LOOSE)
		job_emit(CT_JOB_END, &j, rule, now + 1);
	return 0;
}

SEC("uretprobe")
int ct_job_return(struct pt_regs *regs)
{
	__u64 now = bpf_ktime_get_boot_ns();
	struct open_key key = { .sp = regs->sp, .tid = (__u32)bpf_get_current_pid_tgid() };
	__u32 index = bpf_get_attach_cookie(regs);
	const struct job_rule *rule = bpf_map_lookup_elem(&ct_job_rules, &index);
	struct open_job *j = bpf_map_lookup_elem(&ct_job_open, &key), copy;

	if (!rule || !j)
		return 0;
	copy = *j;
	bpf_map_delete_elem(&ct_job_open, &key);
	if (job_switch(rule) < JOB_OFF)
		job_emit(CT_JOB_END, &copy, rule, now);
	return 0;
}

/* The name of a call: the label of its rule, such as "query: ", and then the text. */
#define CALL_LABEL_ROOM 64 /* a power of two, at least JOB_LABEL_MAX */
#define CALL_TEXT_MAX   96 /* with the final 0 */
#define CALL_NAME_BYTES (CALL_LABEL_ROOM + CALL_TEXT_MAX)
#define CALL_NAME_ROOM  (CALL_NAME_BYTES + 8) /* for the verifier, because a length is rounded up */
_Static_assert(JOB_LABEL_MAX <= CALL_LABEL_ROOM && CALL_NAME_BYTES <= CT_OBJ_NAME_MAX, "the name of a call");

/* Returns the object for the label and the text at the address `text`, and names it. If the text cannot be
 * read, for example because it is not in memory yet, returns rule->mark, which has only the label. */
static __noinline __u64 call_object(__u64 text, const struct job_rule *rule, __u64 now)
{
	struct {
		struct cpu_side side;
		struct ct_object_blob b;
		union {
			char name[CALL_NAME_ROOM];
			__u64 words[CALL_NAME_BYTES / 8];
		};
	} o = {};
	struct cpu *c = emit_cpu();
	__u64 id = rule->mark, at = rule->name_len;
	struct seen seen = {};
	long len;

	barrier_var(at);
	if (!c || at >= CALL_LABEL_ROOM)
		return id;
	__builtin_memcpy(o.name, rule->name, sizeof(rule->name));
	len = bpf_probe_read_user_str(o.name + at, CALL_TEXT_MAX, (void *)text);
	if (len <= 0)
		return id;
	at += len - 1;
	barrier_var(at);
	if (at > CALL_NAME_BYTES)
		return id;
#pragma unroll
	for (int i = 0; i < CALL_NAME_BYTES / 8; i++)
		id = job_hash(id, o.words[i]);
	id = CT_OBJ_ID(CT_OBJ_MARK, id);
	if (bpf_map_lookup_elem(&ct_objects, &id))
		return id;
	bpf_map_update_elem(&ct_objects, &id, &seen, 0);
	o.b.h.ts = now;
	o.b.h.kind = CT_OBJECT;
	o.b.h.size = sizeof(o.b) + ((at + 7) & ~7ULL);
	o.b.h.tid = bpf_get_current_pid_tgid();
	o.b.id = id;
	o.b.name_len = at;
	if (!emit_side(c, &o.side, sizeof(o.side) + sizeof(o.b) + ((at + 7) & ~7ULL), now))
		bpf_map_delete_elem(&ct_objects, &id);
	return id;
}

/* A call with a text (JOB_TEXT). This is a program of its own, so that jobs are recorded even if a kernel
 * refuses it. */
SEC("uprobe")
int ct_call_entry(struct pt_regs *regs)
{
	__u64 now = bpf_ktime_get_boot_ns(), id = bpf_get_current_pid_tgid();
	__u32 index = bpf_get_attach_cookie(regs);
	const struct job_rule *rule = bpf_map_lookup_elem(&ct_job_rules, &index);
	struct job_count *count = bpf_map_lookup_elem(&ct_job_hits, &index);

	if (!rule || !count)
		return 0;
	__sync_fetch_and_add(&count->hits, 1);
	if (job_switch(rule) >= JOB_OFF || id >> 32 == ct_tracer_tgid)
		return 0;
	mark_emit(0, call_object(job_value(regs, &rule->job), rule, now), rule, now);
	return 0;
}

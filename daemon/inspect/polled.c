// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/polled.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "ctrace/glibc.h"
#include "daemon/inspect/polled_code.h"
#include "daemon/inspect/variable.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"

#define LEVELS 2
/* bytes of code that are searched before and after the instruction where the task was seen */
#define AROUND      192
#define CODE_MAX    1024 /* bytes; more code is not searched */
#define DEREF_REACH 24
#define CALLED      64
#define LOOPS       3
#define FOUND_MAX   24
#define NAMED_MAX   6
/* bytes: if no loop is found, an operand further than this from the instructions where the task was seen
 * gets a lower score */
#define NEAR     32
#define HOPS_MAX 3
#define REGS     16

/* For each register, in the machine's order: its index in ct_iter_task.regs. */
static const uint8_t reg_index[REGS] = { 10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0 };
enum { REG_SP = 4, REG_BP = 5, SAVED_ORIG_AX = 15 };

struct look {
	uint64_t regs[REGS];
	struct {
		uint64_t ip, start, end;
	} level[LEVELS];
	unsigned n_levels;
	/* in_call: the task was in a system call. in_other: in a system call that is not for
	 * waiting. */
	bool in_call, in_other;
};

struct looked {
	uint32_t tid;
	uint64_t last_ns, next_ns;
	unsigned fails;
	unsigned n;
	struct look v[POLLED_LOOKS];
};

struct polled {
	struct looked tasks[POLLED_TASKS_MAX];
};

struct candidate {
	uint64_t addr, value;
	int score;
	uint8_t len, flags;
	struct variable var;
};

struct inquiry {
	struct unwind *u;
	struct variable_maps maps;
	const struct look *looks;
	unsigned n_looks;
	bool calls;
	/* the task sleeps in a loop */
	bool naps;
	uint64_t start;
	uint8_t code[CODE_MAX];
	size_t n_code, lo, hi; /* lo, hi: lowest and highest offset where the task was seen */
	size_t loop_begin, loop_end;
	bool has_loop;
	struct candidate v[FOUND_MAX];
	size_t n;
};

struct polled *polled_new(void)
{
	return calloc(1, sizeof(struct polled));
}

void polled_free(struct polled *p)
{
	free(p);
}

static struct looked *looked_get(struct polled *p, uint32_t tid)
{
	struct looked *oldest = &p->tasks[0];

	for (size_t i = 0; i < POLLED_TASKS_MAX; i++) {
		struct looked *l = &p->tasks[i];

		if (l->tid == tid)
			return l;
		if (l->last_ns < oldest->last_ns)
			oldest = l;
	}
	return oldest;
}

bool polled_wants(struct polled *p, uint32_t tid, uint64_t now_ns)
{
	const struct looked *l = looked_get(p, tid);

	return l->tid != tid || now_ns >= l->next_ns;
}

/* Returns true for glibc, which waits on behalf of the program, and for "[vdso]" and the like. */
static bool is_library(const char *path)
{
	static const char *const files[] = { GLIBC_FILES };
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!strncmp(name, files[i], strlen(files[i])))
			return true;
	return name[0] == '[';
}

static void function_of(const struct unwind_frame *f, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t bias = f->ip - f->vaddr, start, end = f->vaddr + AROUND;
	char name[ELF_NAME_MAX];

	*ret_start = f->ip - AROUND;
	*ret_end = f->ip + AROUND;
	if (!f->elf)
		return;
	if (!unwind_elf_function(f->elf, f->vaddr - !f->exact, name, &start))
		*ret_start = MAX(start + bias, *ret_start);
	for (unsigned i = 0; i < 2 * AROUND / 16 && !unwind_elf_function(f->elf, end - 1, name, &start);
	     i++) {
		if (start <= f->vaddr)
			break;
		end = start;
	}
	*ret_end = end + bias;
}

/* Returns true if a loop that polls a variable may make this system call. */
static bool is_for_waiting(uint64_t nr)
{
#if defined(__x86_64__)
	switch (nr) {
	case SYS_sched_yield:
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_clock_gettime:
	case SYS_gettimeofday:
		return true;
	default:
		return false;
	}
#else
	return false;
#endif
}

static void look_take(struct look *l, struct unwind *u, const struct ct_iter_task *t)
{
	struct unwind_frame frames[UNWIND_FRAMES_MAX];
	bool cut;
	size_t n = unwind_stack(u, t->regs, frames, &cut);

	*l = (struct look){ .in_call = (int64_t)t->regs[SAVED_ORIG_AX] >= 0 };
	l->in_other = l->in_call && !is_for_waiting(t->regs[SAVED_ORIG_AX]);
	for (unsigned i = 0; i < REGS; i++)
		l->regs[i] = t->regs[reg_index[i]];
	for (size_t i = 0; i < n && l->n_levels < LEVELS; i++) {
		if (!frames[i].mapped || is_library(frames[i].path))
			continue;
		l->level[l->n_levels].ip = frames[i].ip;
		function_of(&frames[i], &l->level[l->n_levels].start, &l->level[l->n_levels].end);
		l->n_levels++;
	}
}

static unsigned regs_changed(const struct inquiry *q)
{
	unsigned n = 0;

	for (unsigned r = 0; r < REGS; r++)
		for (unsigned i = 1; i < q->n_looks; i++)
			if (q->looks[i].regs[r] != q->looks[0].regs[r]) {
				n++;
				break;
			}
	return n;
}

static bool reg_stays(const struct inquiry *q, unsigned r)
{
	for (unsigned i = 1; i < q->n_looks; i++)
		if (q->looks[i].regs[r] != q->looks[0].regs[r])
			return false;
	return r != REG_SP;
}

static bool may_be_shared(const struct inquiry *q, uint64_t addr)
{
	const struct unwind_map *m = variable_maps_find(&q->maps, addr);

	return m && m->write && !m->avoid && m != variable_maps_find(&q->maps, q->looks[0].regs[REG_SP]);
}

static bool read_memory(const struct inquiry *q, uint64_t addr, void *buf, size_t n)
{
	const struct unwind_map *m = variable_maps_find(&q->maps, addr);

	return m && !m->avoid && unwind_memory(q->u, addr, buf, n) == (long)n;
}

static void candidate_add(struct inquiry *q, const struct polled_operand *o, uint64_t addr, int score,
			  uint8_t flags)
{
	if (!may_be_shared(q, addr) || addr % o->len)
		return;
	if (o->writes)
		score -= 3;
	if (q->has_loop)
		score += o->at >= q->loop_begin && o->at < q->loop_end ? 3 : -3;
	else if (o->at + NEAR < q->lo || o->at > q->hi + NEAR)
		score -= 2;
	for (size_t i = 0; i < q->n; i++)
		if (q->v[i].addr == addr) {
			q->v[i].score = MAX(q->v[i].score, score);
			q->v[i].flags |= flags;
			return;
		}
	if (q->n < FOUND_MAX)
		q->v[q->n++] =
			(struct candidate){ .addr = addr, .score = score, .len = o->len, .flags = flags };
}

/* Adds the variables that the code after `load` reads through the loaded pointer. Returns false if
 * the code reads nothing through it. */
static bool deref(struct inquiry *q, const struct polled_operand *load, uint64_t pointer)
{
	bool any = false;

	for (size_t at = load->at + 5; at < load->at + 5 + DEREF_REACH && at < q->n_code; at++) {
		struct polled_operand o;

		if (!polled_operand(q->code, q->n_code, at, q->start, &o) || o.base != load->load_to)
			continue;
		candidate_add(q, &o, pointer + (uint64_t)(int64_t)o.disp, 4, CT_QF_CODE);
		any = true;
	}
	return any;
}

static void operand_found(struct inquiry *q, const struct polled_operand *o)
{
	uint64_t pointer;

	if (o->base == POLLED_NO_REG) {
		if (o->load_to != POLLED_NO_REG && read_memory(q, o->addr, &pointer, sizeof(pointer)) &&
		    may_be_shared(q, pointer) && deref(q, o, pointer))
			return;
		candidate_add(q, o, o->addr, 3, CT_QF_CODE);
	} else if (o->base != REG_BP && o->base < REGS && reg_stays(q, o->base)) {
		candidate_add(q, o, q->looks[0].regs[o->base] + (uint64_t)(int64_t)o->disp,
			      q->n_looks > 1 ? 3 : 2, CT_QF_REG | CT_QF_CODE);
	}
}

static bool code_get(struct inquiry *q, unsigned level)
{
	uint64_t lo = UINT64_MAX, hi = 0, from = 0, to = UINT64_MAX;

	for (unsigned i = 0; i < q->n_looks; i++) {
		const struct look *l = &q->looks[i];

		if (l->n_levels <= level)
			return false;
		lo = MIN(lo, l->level[level].ip);
		hi = MAX(hi, l->level[level].ip);
		from = MAX(from, l->level[level].start);
		to = MIN(to, l->level[level].end);
	}
	if (from > lo || to < hi || to - from > CODE_MAX)
		return false;
	q->start = from;
	q->n_code = 0;
	while (q->n_code < to - from) {
		long got = unwind_memory(q->u, from + q->n_code, q->code + q->n_code, to - from - q->n_code);

		if (got <= 0)
			break;
		q->n_code += (size_t)got;
	}
	q->lo = lo - from;
	q->hi = hi - from;
	return q->hi <= q->n_code;
}

static bool called_code(const struct inquiry *q, size_t at, uint64_t *ret_addr, uint8_t code[CALLED])
{
	const struct unwind_map *m;
	bool pointer;

	if (!polled_call(q->code, q->n_code, at, q->start, ret_addr, &pointer) ||
	    (pointer && q->code[at + 1] != 0x15))
		return false;
	for (unsigned hops = 0; hops < HOPS_MAX; hops++) {
		size_t skip;

		if (pointer && !read_memory(q, *ret_addr, ret_addr, sizeof(*ret_addr)))
			return false;
		m = variable_maps_find(&q->maps, *ret_addr);
		if (!m || !m->exec || is_library(q->maps.names.v + m->path_off) ||
		    !read_memory(q, *ret_addr, code, CALLED))
			return false;
		/* An entry of the PLT is a jump through a pointer, perhaps after endbr64. */
		skip = !memcmp(code, "\xf3\x0f\x1e\xfa", 4) ? 4 : 0;
		skip += code[skip] == 0xf2;
		if (code[skip] != 0xff || code[skip + 1] != 0x25)
			return true;
		if (!polled_call(code, CALLED, skip, *ret_addr, ret_addr, &pointer))
			return false;
	}
	return false;
}

static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void candidates_rank(struct inquiry *q)
{
	const struct timespec while_ns = { .tv_nsec = POLLED_VALUE_AGAIN_NS };

	qsort(q->v, q->n, sizeof(q->v[0]), by_score);
	q->n = MIN(q->n, (size_t)NAMED_MAX);
	for (size_t i = 0; i < q->n; i++) {
		struct candidate *c = &q->v[i];

		if (!read_memory(q, c->addr, &c->value, c->len) || variable_at(&q->maps, c->addr, &c->var))
			c->score = 0;
		else if (c->var.name[0])
			c->score += c->var.off ? 1 : c->var.size == c->len ? 3 : 2;
	}
	nanosleep(&while_ns, NULL);
	for (size_t i = 0; i < q->n; i++) {
		uint64_t again = 0;

		if (!read_memory(q, q->v[i].addr, &again, q->v[i].len) || again != q->v[i].value)
			q->v[i].score -= 4;
	}
	qsort(q->v, q->n, sizeof(q->v[0]), by_score);
}

static unsigned candidates_tell(const struct inquiry *q, struct polled_variable ret[POLLED_MAX])
{
	unsigned n = 0;

	for (size_t i = 0; i < q->n && n < POLLED_MAX; i++) {
		const struct candidate *c = &q->v[i];

		if (c->score < POLLED_SCORE_MIN || c->score + 1 < q->v[0].score)
			break;
		ret[n] = (struct polled_variable){ .addr = c->addr, .value = c->value, .flags = c->flags };
		if (!q->naps)
			ret[n].flags |= CT_QF_SPIN;
		variable_text(&c->var, ret[n].name, sizeof(ret[n].name));
		n++;
	}
	return n;
}

static void look_into_calls(struct inquiry *q)
{
	for (size_t at = q->loop_begin; at < q->loop_end && at < q->n_code; at++) {
		struct polled_operand o;
		uint64_t addr;
		uint8_t code[CALLED];

		if (!called_code(q, at, &addr, code))
			continue;
		for (size_t k = 1; k < sizeof(code); k++)
			if (polled_operand(code, sizeof(code), k, addr, &o) && o.base == POLLED_NO_REG) {
				o.at = at;
				candidate_add(q, &o, o.addr, 2, CT_QF_CODE);
			}
	}
}

static unsigned decide_level(struct inquiry *q, struct polled_variable ret[POLLED_MAX])
{
	unsigned n = 0;
	size_t size = 0;

	for (unsigned loops = 0; loops < LOOPS && !n; loops++) {
		struct polled_operand o;

		q->has_loop =
			polled_loop(q->code, q->n_code, q->lo, q->hi, size, &q->loop_begin, &q->loop_end);
		if (!q->has_loop && loops)
			break;
		size = q->loop_end - q->loop_begin;
		q->n = 0;
		for (size_t at = 1; at < q->n_code; at++)
			if (polled_operand(q->code, q->n_code, at, q->start, &o))
				operand_found(q, &o);
		if (q->has_loop)
			look_into_calls(q);
		candidates_rank(q);
		n = candidates_tell(q, ret);
		if (!q->has_loop)
			break;
	}
	return n;
}

static unsigned decide(struct unwind *u, uint32_t tid, const struct look *looks, unsigned n_looks, bool loop,
		       struct polled_variable ret[POLLED_MAX])
{
	_cleanup_free_ struct inquiry *q = calloc(1, sizeof(*q));
	unsigned n = 0;

	if (!q)
		return 0;
	q->u = u;
	q->looks = looks;
	q->n_looks = n_looks;
	q->naps = loop;
	for (unsigned i = 0; i < n_looks; i++) {
		q->calls |= looks[i].in_call;
		if (looks[i].in_other)
			return 0;
	}
	/* A loop that polls changes at most one register: its counter. A loop that computes changes more
	 * registers. */
	if (!q->calls && regs_changed(q) > 1 && !loop)
		return 0;
	if (variable_maps_read(&q->maps, tid))
		return 0;
	q->maps.file_max = VARIABLE_FILE_MAX;
	for (unsigned level = 0; level < LEVELS && !n; level++) {
		if (!code_get(q, level))
			break;
		n = decide_level(q, ret);
	}
	variable_maps_done(&q->maps);
	return n;
}

unsigned polled_look(struct polled *p, struct unwind *u, const struct ct_iter_task *t, bool loop,
		     uint64_t now_ns, struct polled_variable ret[POLLED_MAX])
{
	struct looked *l = looked_get(p, t->task.h.tid);
	unsigned n;

#if !defined(__x86_64__)
	return 0;
#endif
	if (l->tid != t->task.h.tid)
		*l = (struct looked){ .tid = t->task.h.tid };
	look_take(&l->v[l->n], u, t);
	l->last_ns = now_ns;
	l->next_ns = now_ns + POLLED_LOOK_AGAIN_NS;
	if (!l->v[l->n].n_levels)
		return 0;
	if (++l->n < POLLED_LOOKS && !loop)
		return 0;
	n = decide(u, t->task.h.tid, l->v + (loop ? l->n - 1 : 0), loop ? 1 : l->n, loop, ret);
	l->n = 0;
	l->fails = n ? 0 : MIN(l->fails + 1, (unsigned)POLLED_REST_TIMES);
	l->next_ns = now_ns + (n ? POLLED_AGAIN_NS : POLLED_REST_NS << l->fails);
	return n;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/jobs/jobs_mark.h"
#include "daemon/jobs/jobs_address.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "elf/elf_symbols.h"
#include "trace/words/markname.h"

#if defined(__x86_64__)
#define FILE_MACHINE EM_X86_64
#else
#define FILE_MACHINE EM_AARCH64
#endif

struct file_look {
	struct jobs_probe *probe;
	struct jobs_file *file;
	struct elf_file elf;
	/* virtual address of the symbol; 0: not in this file */
	uint64_t vaddr[JOBS_SPEC_FUNCTIONS_MAX];
	bool need[JOBS_SPEC_FUNCTIONS_MAX];
	bool unless[JOBS_SPEC_FUNCTIONS_MAX];
	bool found[JOBS_SPEC_FUNCTIONS_MAX];
};

static void file_why(struct jobs_file *f, const char *symbol, const char *why)
{
	snprintf(f->why, sizeof(f->why), "%.60s: %s", symbol, why);
}

static bool file_passes(int r)
{
	return r == -ENOMEM || r == -EAGAIN || r == -EBUSY || r == -EINTR || r == -EMFILE || r == -ENFILE ||
	       r == -ENOSPC || r == -EDEADLK;
}

static struct job_value file_value(const struct jobs_arg *a)
{
	if (a->arg < 0)
		return (struct job_value){ 0 };
	if (a->arg == JOBS_SPEC_THREAD || a->arg == JOBS_SPEC_CALLED)
		return (struct job_value){ .reg = a->arg == JOBS_SPEC_THREAD ? JOB_THREAD : JOB_CALLED };
	if (a->arg == JOBS_SPEC_GOROUTINE)
		return (struct job_value){ .reg = jobs_note_goroutine_reg() };
	return (struct job_value){ .reg = a->arg < JOBS_SPEC_ARGS
						  ? jobs_note_arg_reg((unsigned)a->arg)
						  : jobs_note_go_reg((unsigned)a->arg - JOBS_SPEC_GO),
				   .deref = a->deref,
				   .off2 = a->off2,
				   .off = a->off };
}

static bool file_notes_enqueues(const struct jobs_spec *spec)
{
	for (size_t i = 0; i < spec->n_functions; i++)
		if (spec->functions[i].values.queued || spec->functions[i].calls.queued)
			return true;
	return false;
}

/* An end of the job "called" is only for starts with jobs_values.returns. */
static bool file_has(const struct jobs_spec *spec, enum ct_job event)
{
	for (size_t i = 0; i < spec->n_functions; i++)
		if (spec->functions[i].event == event &&
		    spec->functions[i].values.job.arg != JOBS_SPEC_CALLED)
			return true;
	return false;
}

static bool file_has_queued_ends(const struct jobs_spec *spec)
{
	for (size_t i = 0; i < spec->n_functions; i++)
		if (spec->functions[i].event == CT_JOB_END && spec->functions[i].values.queued)
			return true;
	return false;
}

static bool file_is_noted(const struct jobs_spec *spec, uint8_t event, const struct jobs_values *v)
{
	if (event == CT_JOB_ENQUEUE)
		return file_notes_enqueues(spec);
	return event == CT_JOB_START && !v->queued && !v->returns && !file_has(spec, CT_JOB_ENQUEUE) &&
	       file_has_queued_ends(spec);
}

/* The name of the record is `call`, or, if the call has a text, "call: text". */
static struct job_rule file_call_rule(const struct jobs_values *v)
{
	struct job_rule rule = { .event = CT_MARK_POINT, .flags = JOB_MARK, .rec_flags = CT_MF_CALL };
	bool text = v->job.arg >= 0;

	_Static_assert(JOB_LABEL_MAX >= CT_MARK_NAME_MAX + sizeof(": "),
		       "a label has room for the name of a call");
	rule.flags |= text ? JOB_TEXT : 0;
	rule.name_len = (ct_u8)snprintf(rule.name, sizeof(rule.name), "%s%s", v->call, text ? ": " : "");
	rule.mark = markname_id(rule.name);
	return rule;
}

static struct job_rule file_transaction_rule(uint8_t event, const struct jobs_values *v)
{
	bool begins = event == JOBS_SPEC_BEGIN;
	struct job_rule rule = { .event = begins ? CT_MARK_BEGIN : CT_MARK_END,
				 .flags = JOB_MARK | (begins ? JOB_NOTED : JOB_QUEUED),
				 .rec_flags = CT_MF_HASHED | (v->stream ? CT_MF_STREAM : 0),
				 .name_len = (ct_u8)strlen(v->call),
				 .mark = markname_id(v->call) };

	memcpy(rule.name, v->call, sizeof(v->call));
	return rule;
}

static void file_text(const struct jobs_text *text, struct job_text *ret)
{
	for (const char *s = text->has; *s; s++) {
		ret->has[1] = ret->has[1] << 8 | ret->has[0] >> 56;
		ret->has[0] = ret->has[0] << 8 | (uint8_t)*s;
		ret->mask[1] = ret->mask[1] << 8 | ret->mask[0] >> 56;
		ret->mask[0] = ret->mask[0] << 8 | 0xff;
	}
}

static struct job_rule file_rule(const struct jobs_spec *spec, uint8_t event, const struct jobs_values *v)
{
	struct job_rule rule = { .event = event,
				 .name_len = (uint8_t)strlen(spec->name),
				 .framework = jobs_spec_number(spec) };

	if (event == JOBS_SPEC_CALL) {
		rule = file_call_rule(v);
		file_text(&v->text, &rule.text);
		return rule;
	}
	if (event == JOBS_SPEC_FUNCTION)
		return (struct job_rule){ .event = JOB_FUNCTION };
	if (event == JOBS_SPEC_LOCK_WAIT || event == JOBS_SPEC_LOCK_RELEASE) {
		memcpy(rule.name, spec->name, sizeof(spec->name));
		rule.event = event == JOBS_SPEC_LOCK_WAIT ? JOB_LOCK_WAIT : JOB_LOCK_RELEASE;
		return rule;
	}
	if (event == JOBS_SPEC_BEGIN || event == JOBS_SPEC_FINISH) {
		rule = file_transaction_rule(event, v);
		rule.framework = jobs_spec_number(spec);
		file_text(&v->text, &rule.text);
		return rule;
	}
	memcpy(rule.name, spec->name, sizeof(spec->name));
	rule.called = (v->returns || event == CT_JOB_END) && jobs_spec_has_called(spec);
	if (v->returns && !rule.called)
		rule.flags |= JOB_RETURNS;
	else if (event == CT_JOB_START && !v->returns && !file_has(spec, CT_JOB_END))
		rule.flags |= JOB_LOOSE;
	if (v->queued)
		rule.flags |= JOB_QUEUED;
	if (v->queued && event == CT_JOB_START && !v->returns && file_has_queued_ends(spec))
		rule.flags |= JOB_ENDED;
	if (file_is_noted(spec, event, v))
		rule.flags |= JOB_NOTED;
	file_text(&v->text, &rule.text);
	return rule;
}

struct job_rule jobs_file_rule(const struct jobs_spec *spec, uint8_t event, const struct jobs_values *v,
			       const uint8_t *code, size_t n, size_t *ret_at)
{
	const struct jobs_arg *args[] = { &v->job,  &v->queue, &v->function, &v->capacity,
					  &v->part, &v->zero,  &v->text.at,  &v->text.length };
	size_t n_args = v->text.has[0] ? ARRAY_SIZE(args) : ARRAY_SIZE(args) - 2;
	struct job_rule rule = file_rule(spec, event, v);
	unsigned used = 0;

	if (event == JOBS_SPEC_INPUT) {
		rule.flags = JOB_INPUT;
		rule.event = v->layout;
		used = v->layout ? JOBS_ADDRESS_MEMORY : 0;
		rule.rec_flags = jobs_spec_draws(spec) ? CT_IF_DRAWS : 0;
	} else if (event == JOBS_SPEC_CALL) {
		used = rule.flags & JOB_TEXT ? JOBS_ADDRESS_MEMORY : 0;
	}
	rule.job = file_value(&v->job);
	rule.queue = file_value(&v->queue);
	rule.function = file_value(&v->function);
	rule.capacity = file_value(&v->capacity);
	rule.part = file_value(&v->part);
	rule.zero = file_value(&v->zero);
	if (v->text.has[0]) {
		rule.text.at = file_value(&v->text.at);
		rule.text.length = file_value(&v->text.length);
		used |= JOBS_ADDRESS_MEMORY;
	}
	for (size_t i = 0; i < n_args; i++)
		if (args[i]->arg >= 0 && args[i]->arg < JOBS_SPEC_ARGS)
			used |= 1u << args[i]->arg | (args[i]->deref ? JOBS_ADDRESS_MEMORY : 0);
		else if (args[i]->arg >= JOBS_SPEC_GO)
			used |= JOBS_ADDRESS_GO | (args[i]->deref ? JOBS_ADDRESS_MEMORY : 0);
	*ret_at = jobs_address(code, n, used);
	return rule;
}

uint32_t jobs_file_price(const uint8_t *code, size_t n)
{
	return jobs_address_is_cheap(code, n) ? JOBS_HIT_EMULATED_NS : JOBS_HIT_STEPPED_NS;
}

/* counter: jobs_note.semaphore, or 0 */
static int file_probe(struct file_look *l, uint64_t vaddr, uint64_t counter, struct job_rule *rule)
{
	struct jobs_file *f = l->file;
	uint8_t code[JOBS_ADDRESS_BYTES];
	long n = elf_file_read_vaddr(&l->elf, vaddr, code, sizeof(code));
	struct jobs_link *link;
	char path[64];
	struct jobs_place at = { 0 };
	int r = elf_file_offset(&l->elf, vaddr, &at.off);

	if (!r && counter)
		r = elf_file_offset(&l->elf, counter, &at.counter_off);
	rule->attached = f->attached;
	rule->spec = (uint8_t)f->spec_no;

	/* this path leads to the opened file, even in a container or after a rename */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", l->elf.fd);
	if (!r)
		r = VEC_RESERVE(&f->links, f->links.n + 1);
	if (!r)
		r = jobs_probe_add(l->probe, -1, path, at, rule, jobs_file_price(code, n < 0 ? 0 : (size_t)n),
				   &link);
	if (!r)
		VEC_PUSH(&f->links, link);
	return r;
}

static void file_add(struct file_look *l, size_t fn, uint64_t vaddr, uint64_t counter, struct job_rule *rule)
{
	struct jobs_file *f = l->file;
	const struct jobs_function *spec = &f->spec->functions[fn];
	int r;

	if (spec->has_calls)
		rule->flags |= JOB_CALLS;
	rule->calls = f->spec_no * JOBS_SPEC_FUNCTIONS_MAX + (uint32_t)fn;
	r = file_probe(l, vaddr, counter, rule);
	l->found[fn] |= !r;
	f->passes |= file_passes(r);
	/* The kernel refuses a probe with a counter beside one without it (kernel/events/uprobes.c,
	 * ref_ctr_mismatch_warn()). */
	if (r == -EINVAL && counter)
		file_why(f, spec->symbol, "another tracer may have a probe there without the note's counter");
	else if (r)
		file_why(f, spec->symbol, strerror(-r));
}

static void file_why_refused(struct jobs_file *f)
{
	snprintf(f->why, sizeof(f->why), "%u notes more than can be watched", f->n_refused);
}

static void file_add_mark(struct file_look *l, const struct jobs_note *n, struct job_rule *rule)
{
	struct jobs_file *f = l->file;
	int r = f->n_marks < JOBS_MARKS_MAX ? file_probe(l, n->vaddr, n->semaphore, rule) : -ENOSPC;

	f->passes |= f->n_marks < JOBS_MARKS_MAX && file_passes(r);
	if (r)
		f->n_refused++;
	else
		f->n_marks++;
	if (r == -ENOSPC)
		file_why_refused(f);
	else if (r)
		file_why(f, rule->name, strerror(-r));
}

static void file_add_note(struct file_look *l, size_t fn, const struct jobs_note *n, struct job_rule *rule)
{
	struct jobs_file *f = l->file;

	if (f->n_notes == JOBS_NOTES_MAX) {
		f->n_refused++;
		file_why_refused(f);
		return;
	}
	f->n_notes++;
	file_add(l, fn, n->vaddr, n->semaphore, rule);
}

static int file_symbol(void *arg, const struct elf_symbol *s)
{
	struct file_look *l = arg;
	const struct jobs_spec *spec = l->file->spec;

	for (size_t i = 0; i < spec->n_functions; i++) {
		if (s->type != STT_FUNC && s->type != STT_OBJECT)
			continue;
		if (!l->vaddr[i] && s->type == STT_FUNC && !spec->functions[i].note &&
		    !strcmp(s->name, spec->functions[i].symbol))
			l->vaddr[i] = s->vaddr;
		if (!strcmp(s->name, spec->functions[i].need))
			l->need[i] = true;
		if (!strcmp(s->name, spec->functions[i].unless))
			l->unless[i] = true;
	}
	return 0;
}

static bool file_is_wanted(const struct file_look *l, size_t i)
{
	return (l->need[i] || !*l->file->spec->functions[i].need) && !l->unless[i];
}

static void file_functions(struct file_look *l)
{
	const struct jobs_spec *spec = l->file->spec;

	for (size_t i = 0; i < spec->n_functions; i++) {
		const struct jobs_function *f = &spec->functions[i];
		uint8_t code[JOBS_ADDRESS_BYTES];
		struct job_rule rule;
		size_t at;
		long n;

		l->file->n_wanted += file_is_wanted(l, i);
		if (!l->vaddr[i] || !file_is_wanted(l, i))
			continue;
		n = elf_file_read_vaddr(&l->elf, l->vaddr[i], code, sizeof(code));
		rule = jobs_file_rule(spec, f->event, &f->values, code, n < 0 ? 0 : (size_t)n, &at);
		file_add(l, i, l->vaddr[i] + at, 0, &rule);
	}
}

/* The framework's description says how to get a value from an argument of a note. Examples of `a`:
 * "arg2", "arg1+0x58", "arg0->0x18". Sets *ret to the steps of the kernel side: take a register, add an
 * offset, read memory at most twice (struct job_value). An argument that is itself in memory uses up one
 * read, so only forms such as "arg2" and "arg0->0x18" are possible. Returns NULL, or why the value cannot be
 * had. */
static const char *file_note_value(const struct jobs_arg *a, const struct jobs_note *n, struct job_value *ret)
{
	if (a->arg < 0 || a->arg >= JOBS_SPEC_ARGS) {
		*ret = file_value(a);
		return NULL;
	}
	*ret = n->args[a->arg];
	if (!ret->deref) {
		ret->deref = a->deref;
		ret->off2 = a->off2;
		ret->off = a->off;
	} else if (a->deref == 1 && !a->off2 && a->off == (int16_t)a->off) {
		ret->deref = 2;
		ret->off2 = (int16_t)a->off;
	} else if (a->deref || a->off) {
		return "an argument in memory allows only argN, or argN->OFFSET of 16 bits";
	}
	return ret->reg ? NULL : "its arguments are not 64 bits in a register or on the stack";
}

static const char *file_note_values(const struct jobs_values *v, const struct jobs_note *n,
				    struct job_rule *rule)
{
	const char *why = file_note_value(&v->job, n, &rule->job);

	if (!why)
		why = file_note_value(&v->queue, n, &rule->queue);
	if (!why)
		why = file_note_value(&v->function, n, &rule->function);
	if (!why)
		why = file_note_value(&v->capacity, n, &rule->capacity);
	if (!why)
		why = file_note_value(&v->part, n, &rule->part);
	if (!why)
		why = file_note_value(&v->zero, n, &rule->zero);
	if (!why && v->text.has[0])
		why = file_note_value(&v->text.at, n, &rule->text.at);
	if (!why && v->text.has[0])
		why = file_note_value(&v->text.length, n, &rule->text.length);
	return why;
}

static void file_note(void *arg, const struct jobs_note *n)
{
	struct file_look *l = arg;
	const struct jobs_spec *spec = l->file->spec;
	struct job_rule mark;

	if (spec->marks && jobs_mark_rule(n, &mark)) {
		file_add_mark(l, n, &mark);
		return;
	}
	for (size_t i = 0; i < spec->n_functions; i++) {
		const struct jobs_function *f = &spec->functions[i];
		struct job_rule rule = file_rule(spec, f->event, &f->values);
		size_t provider = strlen(n->provider);
		const char *why;

		if (!f->note || !file_is_wanted(l, i) || strncmp(f->symbol, n->provider, provider) ||
		    f->symbol[provider] != ':' || strcmp(f->symbol + provider + 1, n->name))
			continue;
		why = file_note_values(&f->values, n, &rule);
		if (why)
			file_why(l->file, f->symbol, why);
		else
			file_add_note(l, i, n, &rule);
	}
}

static void file_notes(struct file_look *l)
{
	_cleanup_free_ void *section = NULL;
	Elf64_Shdr sh;

	if (!elf_file_section(&l->elf, JOBS_NOTE_SECTION, &sh) &&
	    !elf_file_load(&l->elf, sh.sh_offset, sh.sh_size, JOBS_NOTE_BYTES_MAX, &section))
		jobs_note_each(section, sh.sh_size, file_note, l);
}

static void file_look(struct file_look *l, int fd, bool held)
{
	struct jobs_file *f = l->file;
	int r;

	if (held) {
		snprintf(f->why, sizeof(f->why), "a process that has mapped the file hangs in the kernel");
		f->passes = true;
		return;
	}
	r = elf_file_open(fd, (uint64_t)f->st.st_size, &l->elf);
	if (!r && l->elf.machine != FILE_MACHINE)
		r = -EBADMSG;
	if (!r)
		r = elf_symbols_each(&l->elf, file_symbol, l);
	f->passes |= file_passes(r);
	if (r) {
		file_why(f, "its symbols", strerror(-r));
	} else {
		file_functions(l);
		file_notes(l);
	}
	for (size_t i = 0; i < f->spec->n_functions; i++)
		f->n_found += l->found[i];
}

int jobs_file_new(struct jobs_probe *probe, const struct jobs_spec *spec, uint32_t spec_no, uint8_t attached,
		  const char *path, int fd, const struct stat *st, bool held, struct jobs_file **ret)
{
	struct jobs_file *f = calloc(1, sizeof(*f));
	struct file_look l = { .probe = probe, .file = f };

	if (!f)
		return -ENOMEM;
	f->spec = spec;
	f->spec_no = spec_no;
	f->attached = attached;
	f->pidfd = -1;
	f->st = *st;
	snprintf(f->path, sizeof(f->path), "%s", path);
	file_look(&l, fd, held);
	*ret = f;
	return 0;
}

void jobs_file_free(struct jobs_probe *probe, struct jobs_file *f)
{
	for (size_t i = 0; i < f->links.n; i++)
		jobs_probe_del(probe, f->links.v[i]);
	VEC_FREE(&f->links);
	if (f->pidfd >= 0)
		close(f->pidfd);
	free(f);
}

bool jobs_file_is(const struct jobs_file *f, const struct stat *st)
{
	return st->st_dev == f->st.st_dev && st->st_ino == f->st.st_ino;
}

bool jobs_file_changed(const struct jobs_file *f, const struct stat *st)
{
	return st->st_size != f->st.st_size || st->st_mtim.tv_sec != f->st.st_mtim.tv_sec ||
	       st->st_mtim.tv_nsec != f->st.st_mtim.tv_nsec;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_note.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "elf/elf_file.h"

#define NOTE_OWNER "stapsdt"
#define NOTE_TYPE  3 /* NT_STAPSDT, which elf.h does not have */

#if defined(__x86_64__)
uint8_t jobs_note_reg(const char *name, size_t n)
{
	static const char names[JOB_REGS][4] = {
		[JOB_AX] = "rax",  [JOB_DX] = "rdx",  [JOB_CX] = "rcx",  [JOB_BX] = "rbx",
		[JOB_SI] = "rsi",  [JOB_DI] = "rdi",  [JOB_BP] = "rbp",  [JOB_SP] = "rsp",
		[JOB_R8] = "r8",   [JOB_R9] = "r9",   [JOB_R10] = "r10", [JOB_R11] = "r11",
		[JOB_R12] = "r12", [JOB_R13] = "r13", [JOB_R14] = "r14", [JOB_R15] = "r15"
	};

	for (unsigned i = 0; i < JOB_REGS; i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return (uint8_t)(i + 1);
	return 0;
}

uint8_t jobs_note_arg_reg(unsigned arg)
{
	static const uint8_t regs[] = { JOB_DI, JOB_SI, JOB_DX, JOB_CX, JOB_R8, JOB_R9 };

	return arg < ARRAY_SIZE(regs) ? (uint8_t)(regs[arg] + 1) : 0;
}

/* src/cmd/compile/abi-internal.md of Go */
uint8_t jobs_note_go_reg(unsigned arg)
{
	static const uint8_t regs[] = { JOB_AX, JOB_BX, JOB_CX, JOB_DI };

	return arg < ARRAY_SIZE(regs) ? (uint8_t)(regs[arg] + 1) : 0;
}

uint8_t jobs_note_goroutine_reg(void)
{
	return JOB_R14 + 1;
}
#else
uint8_t jobs_note_reg(const char *name, size_t n)
{
	unsigned reg;

	if (n < 2 || n > 3 || name[0] != 'x' || !isdigit((unsigned char)name[1]) ||
	    (n == 3 && !isdigit((unsigned char)name[2])))
		return 0;
	reg = n == 2 ? name[1] - '0' : (name[1] - '0') * 10 + (name[2] - '0');
	return reg <= 30 ? (uint8_t)(reg + 1) : 0;
}

uint8_t jobs_note_arg_reg(unsigned arg)
{
	return arg < 6 ? (uint8_t)(arg + 1) : 0;
}

/* src/cmd/compile/abi-internal.md of Go */
uint8_t jobs_note_go_reg(unsigned arg)
{
	return arg < 4 ? (uint8_t)(arg + 1) : 0;
}

uint8_t jobs_note_goroutine_reg(void)
{
	return 28 + 1;
}
#endif

static size_t jobs_note_reg_at(const char *s, const char *end, uint8_t *ret)
{
	bool percent = s < end && *s == '%';
	const char *name = s + percent;
	size_t n = 0;

	while (name + n < end && isalnum((unsigned char)name[n]))
		n++;
	*ret = jobs_note_reg(name, n);
	return *ret ? n + percent : 0;
}

/* Parses for example "8@%rdi", "-8@x0" or "8@-24(%rbp)". Any other argument gets reg 0. */
static struct job_value jobs_note_arg(const char *s, const char *end)
{
	struct job_value v = { 0 };
	char *open;
	long off;

	s += *s == '-';
	if (end - s < 3 || memcmp(s, "8@", 2))
		return v;
	s += 2;
	if (jobs_note_reg_at(s, end, &v.reg) == (size_t)(end - s))
		return v;
	off = strtol(s, &open, 10);
	if (end - open < 3 || *open != '(' || end[-1] != ')' || off < INT_MIN || off > INT_MAX ||
	    jobs_note_reg_at(open + 1, end - 1, &v.reg) != (size_t)(end - open - 2))
		return (struct job_value){ 0 };
	v.deref = 1;
	v.off = (int32_t)off;
	return v;
}

static void jobs_note_args(const char *s, struct jobs_note *n)
{
	for (unsigned i = 0; i < JOBS_NOTE_ARGS && *s; i++) {
		const char *end = s + strcspn(s, " ");

		n->args[i] = jobs_note_arg(s, end);
		s = end + strspn(end, " ");
	}
}

static const char *jobs_note_text(struct cursor *c)
{
	const char *s = (const char *)c->p;
	const char *end = c->bad ? NULL : memchr(s, 0, c->left);

	return end ? cursor_take(c, (size_t)(end - s) + 1) : NULL;
}

static bool jobs_note_read(struct cursor *c, struct jobs_note *n)
{
	uint64_t base;
	const char *args;

	cursor_read(c, &n->vaddr, sizeof(n->vaddr));
	cursor_read(c, &base, sizeof(base));
	cursor_read(c, &n->semaphore, sizeof(n->semaphore));
	n->provider = jobs_note_text(c);
	n->name = n->provider ? jobs_note_text(c) : NULL;
	args = n->name ? jobs_note_text(c) : NULL;
	if (args)
		jobs_note_args(args, n);
	return args;
}

int jobs_note_each(const void *section, size_t n, void (*fn)(void *arg, const struct jobs_note *note),
		   void *arg)
{
	struct cursor c = cursor_init(section, n);

	struct elf_note raw;

	while (elf_note_next(&c, &raw)) {
		struct cursor desc = cursor_init(raw.desc, raw.desc_bytes);
		struct jobs_note note = { 0 };

		if (elf_note_is(&raw, NOTE_OWNER, NOTE_TYPE) && jobs_note_read(&desc, &note))
			fn(arg, &note);
	}
	return c.bad ? -EBADMSG : 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The first byte chooses what the other bytes are: a framework's description, notes, the code of a
 * function, or an ELF file. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/jobs/jobs_mark.h"
#include "daemon/jobs/jobs_address.h"
#include "daemon/jobs/jobs_spec.h"
#include "elf/elf_symbols.h"

static void note(void *arg, const struct jobs_note *n)
{
	struct job_rule mark;

	if (strlen(n->provider) + strlen(n->name) > *(const size_t *)arg)
		abort();
	for (int i = 0; i < JOBS_NOTE_ARGS; i++)
		if (n->args[i].reg > JOB_REGS || n->args[i].deref > 1)
			abort();
	if (jobs_mark_rule(n, &mark) && (!mark.name_len || mark.name_len > CT_MARK_NAME_MAX))
		abort();
}

static int symbol(void *arg, const struct elf_symbol *s)
{
	*(size_t *)arg += strlen(s->name);
	return 0;
}

static void function(const struct jobs_function *f)
{
	bool input = f->event == JOBS_SPEC_INPUT, call = f->event == JOBS_SPEC_CALL;
	bool transaction = f->event == JOBS_SPEC_BEGIN || f->event == JOBS_SPEC_FINISH;
	bool gives = f->event == JOBS_SPEC_FUNCTION;
	bool lock = f->event == JOBS_SPEC_LOCK_WAIT || f->event == JOBS_SPEC_LOCK_RELEASE;

	if (!*f->symbol || (!input && !call && !transaction && !gives && !lock && f->event > CT_JOB_END) ||
	    f->values.layout >= JOB_LAYOUTS || (!input && f->values.layout) ||
	    (call || transaction) != (f->values.call[0] != '\0'))
		abort();
	if (f->values.job.arg < 0 && !call && !gives && (!input || f->values.layout))
		abort();
	if (lock && f->values.queue.arg < 0)
		abort();
	if (gives &&
	    (f->values.function.arg < 0 || !f->has_calls || !f->calls.call[0] || f->calls.job.arg < 0))
		abort();
}

static void spec(const char *text, size_t n)
{
	char err[JOBS_SPEC_ERR_MAX];
	struct jobs_spec *s;

	if (jobs_spec_parse(text, n, &s, err)) {
		if (!memchr(err, 0, sizeof(err)))
			abort();
		return;
	}
	if (!*s->name || !s->n_functions || s->n_functions > JOBS_SPEC_FUNCTIONS_MAX)
		abort();
	for (size_t i = 0; i < s->n_functions; i++)
		function(&s->functions[i]);
	free(s);
}

static void elf(const uint8_t *data, size_t n)
{
	int fd = memfd_create("fuzz", 0);
	struct elf_file e;
	size_t names = 0;
	Elf64_Shdr sh;
	void *section;
	char buf[64];

	if (write(fd, data, n) == (ssize_t)n && !elf_file_open(fd, n, &e)) {
		elf_symbols_each(&e, symbol, &names);
		if (!elf_file_section(&e, JOBS_NOTE_SECTION, &sh) &&
		    !elf_file_load(&e, sh.sh_offset, sh.sh_size, 4096, &section))
			free(section);
		elf_file_read_vaddr(&e, 0x1000, buf, sizeof(buf));
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *copy;

	if (!n)
		return 0;
	/* AddressSanitizer finds a read beyond the end of the copy */
	copy = malloc(--n);
	memcpy(copy, data + 1, n);
	switch (data[0] & 3) {
	case 0:
		spec((const char *)copy, n);
		break;
	case 1:
		jobs_note_each(copy, n, note, &n);
		break;
	case 2:
		if (jobs_address(copy, n, data[0] >> 2) > n)
			abort();
		break;
	case 3:
		elf(copy, n);
		break;
	}
	free(copy);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cli/ask/rulesfile.h"
#include "cli/ask/transactionrules.h"

static void release(struct rules *rules)
{
	for (size_t i = 0; i < rules->v.n; i++) {
		free(rules->v.v[i].object);
		free(rules->v.v[i].frame);
		free(rules->v.v[i].note);
	}
	VEC_FREE(&rules->v);
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void compare(const struct rule *a, const struct rule *b)
{
	must(!strcmp(a->edge, b->edge) && !strcmp(a->from, b->from) && !strcmp(a->to, b->to));
	must(!strcmp(a->object_kind, b->object_kind) && a->verdict == b->verdict);
	must(same(a->object, b->object) && same(a->frame, b->frame) && same(a->note, b->note));
}

/* Writes the rules to a text, and reads them back. Of rules with the same conditions, only the
 * first is written. So fewer rules may come back. */
static void check_written(const struct rules *rules)
{
	char err[RULESFILE_ERR_MAX], words[RULESFILE_WORDS_MAX];
	struct rules back = { 0 };
	char *text = NULL;

	must(!rulesfile_merge(NULL, 0, rules->v.v, rules->v.n, &text));
	if (strlen(text) <= RULESFILE_BYTES_MAX) {
		must(!rulesfile_parse(text, strlen(text), &back, err));
		must(back.v.n <= rules->v.n && (back.v.n || !rules->v.n));
		if (back.v.n)
			compare(&back.v.v[0], &rules->v.v[0]);
	}
	for (size_t i = 0; i < rules->v.n; i++)
		rulesfile_words(&rules->v.v[i], words);
	release(&back);
	free(text);
}

static void check_transactions(const char *text, size_t size)
{
	char err[TRANSACTIONRULES_ERR_MAX] = "";
	struct transaction_rules rules = { 0 };
	int r = transactionrules_parse(text, size, &rules, err);

	must(!r || (r == -EBADMSG && err[0]));
	must(rules.v.n <= TRANSACTIONRULES_MAX && (r || rules.v.n));
	for (size_t i = 0; i < rules.v.n && !r; i++) {
		const struct transaction_rule *x = &rules.v.v[i];

		must(x->mark || x->program || x->cmdline || x->service || x->address || x->queue || x->input);
	}
	transaction_rules_done(&rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char err[RULESFILE_ERR_MAX] = "";
	struct rules rules = { 0 };
	int r = rulesfile_parse((const char *)data, size, &rules, err);
	char *merged = NULL;

	check_transactions((const char *)data, size);
	if (r) {
		must(r == -EBADMSG && err[0] && !rules.v.n);
		release(&rules);
		return 0;
	}
	check_written(&rules);
	must(!rulesfile_merge((const char *)data, size, rules.v.v, rules.v.n, &merged));
	free(merged);
	release(&rules);
	return 0;
}

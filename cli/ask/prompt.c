// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ask/prompt.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "report/walltime.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"

#define OPTIONS_SHOWN 9
#define FRAMES_SHOWN  3

enum word { WORD_ANSWER, WORD_QUIT, WORD_MORE, WORD_HELP, WORD_BAD };

struct answer {
	enum word word;
	int choice;
	bool keep;
};

bool prompt_possible(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static const char *sure_words(const char *sure)
{
	return !strcmp(sure, "strong")    ? "certain"
	       : !strcmp(sure, "boosted") ? "inferred, likely"
					  : "inferred";
}

static int first_of_program(const struct window_stack *s)
{
	int i = 0;

	while (i < s->n_frames && frame_is_kernel(s->frames[i]))
		i++;
	return i < s->n_frames ? i : 0;
}

static void print_frames(const struct prompt *t, uint64_t id, bool all)
{
	const struct window_stack *s = id ? window_stack(t->w, id) : NULL;
	char frame[DESCRIBE_MAX];
	int from, to;

	if (!s) {
		fputs(all ? "         (its stack was not recorded)\n" : "", t->out);
		return;
	}
	from = all ? 0 : first_of_program(s);
	to = all ? s->n_frames : MIN(s->n_frames, from + FRAMES_SHOWN);
	for (int i = from; i < to; i++) {
		describe_clean(s->frames[i], frame, sizeof(frame));
		fprintf(t->out, "         %s\n", frame);
	}
	if (s->n_frames > to - from)
		fprintf(t->out, "         ... %d more\n", s->n_frames - (to - from));
}

static void print_option(const struct prompt *t, const struct ask_option *o, size_t number, bool all)
{
	char who[DESCRIBE_MAX], how[1024], day[WALLTIME_MAX], ns[TEXT_NUMBER_MAX];

	describe_clean(o->who, who, sizeof(who));
	describe_clean(o->how, how, sizeof(how));
	fprintf(t->out, "  %2zu. %s%s%s", number, cli_sgr(t->out, "1"), who, cli_sgr(t->out, "0"));
	if (o->from_ns)
		fprintf(t->out, "  %s", walltime_clock(o->from_ns, &t->w->offsets, 3, day));
	if (o->to_ns > o->from_ns)
		fprintf(t->out, " for %s", text_duration(o->to_ns - o->from_ns, ns));
	fprintf(t->out, "  %s, %.0f %%\n", sure_words(o->sure), 100 * o->score);
	if (how[0])
		fprintf(t->out, "      %s\n", how);
	print_frames(t, o->stack, all);
}

static void print_question(const struct prompt *t, const struct ask_question *q, bool all)
{
	size_t shown = all ? q->n_options : MIN(q->n_options, (size_t)OPTIONS_SHOWN);
	char text[1024];

	describe_clean(q->text, text, sizeof(text));
	fprintf(t->out, "\n%s%s%s\n", cli_sgr(t->out, "1"), text, cli_sgr(t->out, "0"));
	for (size_t i = 0; i < shown; i++)
		print_option(t, &q->options[i], i + 1, all);
	if (shown < q->n_options)
		fprintf(t->out, "  ... %zu more; ? shows them\n", q->n_options - shown);
}

static void print_help(const struct prompt *t, const struct ask_question *q)
{
	fprintf(t->out,
		"  Enter     take the first\n"
		"  1 to %-4zu take that one\n"
		"  n         take none of them\n"
		"  k, k2, kn take the first, the second, none; and keep the answer as a rule for similar choices\n"
		"  s         stop, and show the result so far\n"
		"  q         quit without a result\n"
		"  ?         show all candidates with their whole stacks\n",
		q->n_options);
}

static bool squeeze(const char *line, char *buf, size_t size)
{
	size_t n = 0;

	for (; *line; line++) {
		if (isspace((unsigned char)*line))
			continue;
		if (n + 1 == size)
			return false;
		buf[n++] = (char)tolower((unsigned char)*line);
	}
	buf[n] = 0;
	return true;
}

static bool parse_choice(const char *word, size_t n_options, int *ret)
{
	uint64_t number = 1;

	if (!strcmp(word, "n")) {
		*ret = ASK_NONE;
		return true;
	}
	if (*word && (cli_number(word, n_options, &number) || !number))
		return false;
	*ret = (int)number - 1;
	return true;
}

/* Examples of answers: "", "2", "k", "2k", "k 2", "n", "s", "q", "?", "h". */
static struct answer parse(const char *line, size_t n_options)
{
	struct answer a = { .word = WORD_BAD };
	char buf[16], *word = buf;
	size_t n;

	if (!squeeze(line, buf, sizeof(buf)))
		return a;
	n = strlen(buf);
	if (!strcmp(word, "q"))
		a.word = WORD_QUIT;
	else if (!strcmp(word, "?"))
		a.word = WORD_MORE;
	else if (!strcmp(word, "h") || !strcmp(word, "help"))
		a.word = WORD_HELP;
	if (a.word != WORD_BAD)
		return a;
	if (!strcmp(word, "s")) {
		a = (struct answer){ .word = WORD_ANSWER, .choice = ASK_STOP };
		return a;
	}
	a.keep = word[0] == 'k' || (n && word[n - 1] == 'k');
	if (word[0] == 'k')
		word++;
	else if (a.keep)
		word[n - 1] = 0;
	if (parse_choice(word, n_options, &a.choice))
		a.word = WORD_ANSWER;
	return a;
}

static bool read_line(struct prompt *t, const struct ask_question *q, char *buf, size_t size)
{
	fprintf(t->out,
		"Which? [Enter: 1, 1-%zu, n: none, k: and keep as a rule, s: stop, q: quit, ?: more] ",
		q->n_options);
	fflush(t->out);
	if (!fgets(buf, (int)size, t->in)) {
		clearerr(t->in);
		return false;
	}
	if (!strchr(buf, '\n'))
		for (int c = getc(t->in); c != '\n' && c != EOF;)
			c = getc(t->in);
	return true;
}

static void end_input(struct prompt *t)
{
	t->ended = true;
	fputs("\nNo more answers: ctrace decides the rest.\n", t->out);
}

int prompt_choose(void *arg, const struct ask_question *q, bool *ret_keep)
{
	struct prompt *t = arg;
	struct answer a;
	char line[256];

	*ret_keep = false;
	if (t->ended || !q->n_options)
		return ASK_DECIDE;
	t->asked++;
	print_question(t, q, false);
	for (;;) {
		if (!read_line(t, q, line, sizeof(line))) {
			end_input(t);
			return ASK_DECIDE;
		}
		a = parse(line, q->n_options);
		switch (a.word) {
		case WORD_ANSWER:
			*ret_keep = a.keep;
			return a.choice;
		case WORD_QUIT:
			t->quit = true;
			return ASK_STOP;
		case WORD_MORE:
			print_question(t, q, true);
			break;
		case WORD_HELP:
			print_help(t, q);
			break;
		case WORD_BAD:
			fprintf(t->out, "That is no answer.\n");
			print_help(t, q);
			break;
		}
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/vec.h"
#include "test/unit/text/text_cases.h"

struct strings {
	VEC(char *) v;
};

/* lines [first, end) of the file */
struct block {
	const char *name;
	bool scene;
	size_t first, end;
};

static struct {
	const char *path;
	const struct question_kind *kinds;
	bool update;
	struct strings lines;
	struct strings answers;
	VEC(struct block) blocks;
} file;

static void push(struct strings *s, char *line)
{
	if (VEC_PUSH(&s->v, line))
		abort();
}

static void strings_free(struct strings *s)
{
	for (size_t i = 0; i < s->v.n; i++)
		free(s->v.v[i]);
	VEC_FREE(&s->v);
}

static const char *trimmed(char *line)
{
	size_t n = strlen(line);

	while (n && isspace((unsigned char)line[n - 1]))
		line[--n] = '\0';
	while (isspace((unsigned char)*line))
		line++;
	return line;
}

static const char *after(const char *line, const char *word)
{
	size_t n = strlen(word);

	return strncmp(line, word, n) != 0 ? NULL : line + n;
}

static bool begins_something(const char *line)
{
	return !*line || *line == '#' || after(line, "=>") || after(line, "case ") || after(line, "scene ");
}

static size_t answer_end(size_t question)
{
	size_t i = question + 1;

	while (i < file.lines.v.n && !begins_something(trimmed(file.lines.v.v[i])))
		i++;
	return i;
}

static const struct block *block_named(const char *name)
{
	for (size_t i = 0; i < file.blocks.n; i++)
		if (!strcmp(file.blocks.v[i].name, name))
			return &file.blocks.v[i];
	return NULL;
}

#define FAIL(line, ...)                                                                                      \
	do {                                                                                                 \
		print_error("%s:%zu: ", file.path, (line) + 1);                                              \
		print_error(__VA_ARGS__);                                                                    \
		print_error("\n");                                                                           \
		fail();                                                                                      \
	} while (0)

static const struct block *earlier(const struct block *b, size_t line, const char *name)
{
	const struct block *other = block_named(name);

	if (!other || other >= b)
		FAIL(line, "expected an earlier scene or case, not \"%s\"", name);
	return other;
}

static void add_window(struct text_window *t, const struct block *b)
{
	char error[TEXT_ERROR_MAX];

	for (size_t i = b->first; i < b->end; i++) {
		const char *line = trimmed(file.lines.v.v[i]), *name = after(line, "use ");

		if (after(line, "=>")) {
			i = answer_end(i) - 1;
			continue;
		}
		if (after(line, "against "))
			continue;
		if (name)
			add_window(t, earlier(b, i, name));
		else if (!text_window_add(t, line, error))
			FAIL(i, "%s", error);
	}
}

static void print_lines(const char *sign, const struct strings *s, size_t from, size_t to)
{
	for (; from < to; from++)
		print_error("  %s %s\n", sign, s->v.v[from]);
}

static void print_difference(const struct strings *want, const struct strings *got)
{
	size_t least = MIN(want->v.n, got->v.n), head = 0, tail = 0;

	while (head < least && !strcmp(want->v.v[head], got->v.v[head]))
		head++;
	while (tail < least - head && !strcmp(want->v.v[want->v.n - 1 - tail], got->v.v[got->v.n - 1 - tail]))
		tail++;
	print_lines(" ", want, 0, head);
	print_lines("-", want, head, want->v.n - tail);
	print_lines("+", got, head, got->v.n - tail);
	print_lines(" ", want, want->v.n - tail, want->v.n);
}

static void split(struct strings *s, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);

	for (char *save, *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		push(s, strdup(trimmed(line)));
}

static bool is_answer(size_t at, const char *answer)
{
	_cleanup_(strings_free) struct strings want = { 0 }, got = { 0 };
	size_t end = answer_end(at);
	bool same;

	split(&got, answer);
	for (size_t i = at + 1; i < end; i++)
		push(&want, strdup(trimmed(file.lines.v.v[i])));
	same = want.v.n == got.v.n;
	for (size_t i = 0; same && i < want.v.n; i++)
		same = !strcmp(want.v.v[i], got.v.v[i]);
	if (!same) {
		print_error("%s:%zu: %s\n", file.path, at + 1, trimmed(file.lines.v.v[at]));
		print_difference(&want, &got);
	}
	return same;
}

static void free_window(struct text_window **t)
{
	text_window_free(*t);
}

static const struct window *done(struct text_window *t, const struct block *b)
{
	char error[TEXT_ERROR_MAX];
	const struct window *w = text_window_done(t, error);

	if (!w)
		FAIL(b->end - 1, "%s", error);
	return w;
}

struct good {
	const char *name; /* NULL: the case has no second window */
	struct text_window *t;
	const struct window *w;
};

static void free_good(struct good *x)
{
	text_window_free(x->t);
}

static void add_good(const struct block *b, struct good *ret)
{
	for (size_t i = b->first; i < b->end && !ret->name; i++) {
		ret->name = after(trimmed(file.lines.v.v[i]), "against ");
		if (!ret->name)
			continue;
		ret->t = text_window_new();
		add_window(ret->t, earlier(b, i, ret->name));
		ret->w = done(ret->t, b);
	}
}

static char *answer_to(struct text_window *t, const struct window *w, const struct good *good, size_t at)
{
	struct text_line l;
	const struct question_kind *k = file.kinds;
	const char *name;
	char *answer = NULL, error[TEXT_ERROR_MAX];
	size_t size = 0;
	FILE *out = open_memstream(&answer, &size);

	if (!out)
		abort();
	text_line_init(&l, after(trimmed(file.lines.v.v[at]), "=>"));
	name = text_line_next(&l, "a question");
	while (k->name && strcmp(k->name, name) != 0)
		k++;
	if (k->name) {
		k->ask(&(struct question){
			.t = t, .w = w, .good = good->w, .good_name = good->name, .l = &l, .out = out });
		text_line_done(&l, k->usage);
	} else {
		text_line_fail(&l, "no such question: \"%s\"", name);
	}
	fclose(out);
	memcpy(error, l.error, sizeof(error));
	text_line_free(&l);
	if (error[0])
		FAIL(at, "%s", error);
	return answer;
}

static void run_case(void **state)
{
	const struct block *b = *state;
	_cleanup_(free_window) struct text_window *t = text_window_new();
	_cleanup_(free_good) struct good good = { 0 };
	const struct window *w;
	bool right = true, asked = false;

	add_window(t, b);
	add_good(b, &good);
	w = done(t, b);
	for (size_t i = b->first; i < b->end; i++) {
		_cleanup_free_ char *answer = NULL;

		if (!after(trimmed(file.lines.v.v[i]), "=>"))
			continue;
		asked = true;
		answer = answer_to(t, w, &good, i);
		if (file.update)
			file.answers.v.v[i] = TAKE_PTR(answer);
		else
			right = is_answer(i, answer) && right;
	}
	if (!asked)
		FAIL(b->first - 1, "the case has no question");
	assert_true(right);
}

static int read_file(void)
{
	_cleanup_fclose_ FILE *f = fopen(file.path, "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	if (!f) {
		perror(file.path);
		return 1;
	}
	while (getline(&line, &size, f) >= 0) {
		push(&file.lines, strdup(line));
		push(&file.answers, NULL);
	}
	for (size_t i = 0; i < file.lines.v.n; i++) {
		const char *text = trimmed(file.lines.v.v[i]), *scene = after(text, "scene ");
		const char *name = scene ? scene : after(text, "case ");

		if (!name) {
			if (!file.blocks.n && *text && *text != '#') {
				fprintf(stderr, "%s:%zu: expected \"case NAME\" or \"scene NAME\"\n",
					file.path, i + 1);
				return 1;
			}
		} else if (block_named(name)) {
			fprintf(stderr, "%s:%zu: a second \"%s\"\n", file.path, i + 1, name);
			return 1;
		} else if (VEC_PUSH(&file.blocks,
				    (struct block){ .name = name, .scene = scene, .first = i + 1 })) {
			abort();
		}
		if (file.blocks.n)
			file.blocks.v[file.blocks.n - 1].end = i + 1;
	}
	return 0;
}

static int write_file(void)
{
	_cleanup_fclose_ FILE *f = fopen(file.path, "we");

	if (!f) {
		perror(file.path);
		return 1;
	}
	for (size_t i = 0; i < file.lines.v.n; i++) {
		_cleanup_(strings_free) struct strings got = { 0 };

		fprintf(f, "%s\n", file.lines.v.v[i]);
		if (!file.answers.v.v[i])
			continue;
		split(&got, file.answers.v.v[i]);
		for (size_t k = 0; k < got.v.n; k++)
			fprintf(f, "  %s\n", got.v.v[k]);
		i = answer_end(i) - 1;
	}
	return 0;
}

int cases_main(int argc, char **argv, const struct question_kind *kinds)
{
	_cleanup_free_ struct CMUnitTest *tests = NULL;
	size_t n = 0;
	int failed;

	file.update = argc == 3 && !strcmp(argv[1], "--update");
	if (argc != 2 + file.update) {
		fprintf(stderr, "usage: %s [--update] FILE\n", argv[0]);
		return 2;
	}
	file.path = argv[argc - 1];
	file.kinds = kinds;
	if (read_file())
		return 1;
	tests = calloc(file.blocks.n + 1, sizeof(*tests));
	if (!tests)
		abort();
	for (size_t i = 0; i < file.blocks.n; i++)
		if (!file.blocks.v[i].scene)
			tests[n++] = (struct CMUnitTest){ .name = file.blocks.v[i].name,
							  .test_func = run_case,
							  .initial_state = &file.blocks.v[i] };
	failed = _cmocka_run_group_tests(file.path, tests, n, NULL, NULL);
	if (file.update && !failed)
		failed = write_file();
	strings_free(&file.lines);
	strings_free(&file.answers);
	VEC_FREE(&file.blocks);
	return failed != 0;
}

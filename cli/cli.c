// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/usage.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "trace/words/words.h"

/* Ignored, so that a failed write returns an error. SIGPIPE: the reader of the output or the daemon may
 * close the connection. SIGXFSZ: ctrace still has to remove the half-written file. */
static const int ignored[] = { SIGPIPE, SIGXFSZ };
static bool was_ignored[ARRAY_SIZE(ignored)];

void cli_ignore_signals(void)
{
	struct sigaction old = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++) {
		sigaction(ignored[i], &(struct sigaction){ .sa_handler = SIG_IGN }, &old);
		was_ignored[i] = old.sa_handler == SIG_IGN;
	}
}

void cli_restore_signals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		if (!was_ignored[i])
			signal(ignored[i], SIG_DFL);
}

static int spawn(char *const argv[], int in_fd, int out_fd, int err_fd, short flags, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t set;
	int r;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		sigaddset(&set, ignored[i]);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in_fd, STDIN_FILENO);
	if (out_fd >= 0)
		posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
	if (err_fd >= 0)
		posix_spawn_file_actions_adddup2(&actions, err_fd, STDERR_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &set);
	posix_spawnattr_setflags(&attr, (short)(flags | POSIX_SPAWN_SETSIGDEF));
	r = posix_spawnp(ret_pid, argv[0], &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

int cli_spawn(char *const argv[], int in_fd, int out_fd, pid_t *ret_pid)
{
	return spawn(argv, in_fd, out_fd, -1, 0, ret_pid);
}

int cli_spawn_apart(char *const argv[], int fd, pid_t *ret_pid)
{
	return spawn(argv, fd, fd, fd, POSIX_SPAWN_SETSID, ret_pid);
}

static bool pager_shows;

void cli_use_pager(bool on)
{
	pager_shows = on;
}

bool cli_is_terminal(void)
{
	return pager_shows || isatty(STDOUT_FILENO);
}

static bool cli_colour(FILE *f)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return !(no && *no) && term && strcmp(term, "dumb") &&
	       /* output_begin() and sheet_begin() make stdout a FILE without a descriptor. */
	       (f == stdout ? cli_is_terminal() : isatty(fileno(f)));
}

const char *cli_sgr(FILE *f, const char *code)
{
	static char seq[4][32];
	static unsigned next;
	char *s = seq[next++ % ARRAY_SIZE(seq)];

	if (!cli_colour(f))
		return "";
	snprintf(s, sizeof(seq[0]), "\033%s[%sm", f == stdout ? output_mark() : "", code);
	return s;
}

__attribute__((format(printf, 1, 0))) static char *clean_message(const char *fmt, va_list ap)
{
	_cleanup_free_ char *raw = NULL;

	if (vasprintf(&raw, fmt, ap) < 0)
		raw = NULL;
	return raw ? clean_dup(raw) : NULL;
}

#define SAID_COLUMNS 80

static size_t said_rows;

size_t cli_said_rows(void)
{
	return said_rows;
}

__attribute__((format(printf, 3, 0))) static void say(const char *colour, const char *prefix, const char *fmt,
						      va_list ap)
{
	_cleanup_free_ char *text = clean_message(fmt, ap);

	fprintf(stderr, "%sctrace: %s%s%s\n", colour ? cli_sgr(stderr, colour) : "", prefix,
		colour ? cli_sgr(stderr, "0") : "", text ? text : "out of memory");
	if (isatty(STDERR_FILENO))
		said_rows +=
			(strlen("ctrace: ") + strlen(prefix) + (text ? strlen(text) : 0)) / SAID_COLUMNS + 1;
}

void cli_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NULL, "", fmt, ap);
	va_end(ap);
}

int cli_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("31", "", fmt, ap);
	va_end(ap);
	return CLI_FAILED;
}

void cli_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("33", "warning: ", fmt, ap);
	va_end(ap);
}

const char *cli_path_word(const char *path, char buf[CLI_WORD_MAX])
{
	_cleanup_free_ char *word = NULL;
	struct words t = { 0 };

	words_add_path(&t, path, "FILE");
	word = words_take(&t);
	snprintf(buf, CLI_WORD_MAX, "%s", word && strlen(word) < CLI_WORD_MAX ? word : "FILE");
	return buf;
}

int cli_usage_error(const struct cli_usage *usage, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = clean_message(fmt, ap);
	va_end(ap);
	fprintf(stderr, "ctrace %s: %s\n", usage->name, text ? text : "out of memory");
	usage_print_line(stderr, usage);
	fprintf(stderr, "Try 'ctrace %s --help'.\n", usage->name);
	return CLI_USAGE;
}

static size_t distance(const char *a, const char *b)
{
	size_t row[33], n = strlen(b);

	if (n >= ARRAY_SIZE(row))
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diag = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t up = row[j];
			size_t best = MIN(up, row[j - 1]) + 1;

			row[j] = MIN(best, diag + (a[i - 1] != b[j - 1]));
			diag = up;
		}
	}
	return row[n];
}

const char *cli_nearest(const char *word, const char *const *names)
{
	/* A long word may have more typing errors, so the limit grows with the word. */
	size_t best = strlen(word) / 3 + 2;
	const char *ret = NULL;

	for (; *names; names++) {
		size_t d = strncmp(*names, word, strlen(word)) ? distance(word, *names) : 1;

		if (*word && d < best) {
			best = d;
			ret = *names;
		}
	}
	return ret;
}

struct cli_parse cli_parse(const struct cli_usage *usage, int argc, char **argv)
{
	optind = 0; /* 0 makes getopt of glibc start anew */
	return (struct cli_parse){ .usage = usage, .argc = argc, .argv = argv, .first = argc };
}

static int bad_option(struct cli_parse *p, int c, const struct option *longs)
{
	const char *names[CLI_OPTIONS_MAX + 2], *near, *say, *word = p->argv[optind - 1];
	size_t n = 0;

	p->exit_code = CLI_USAGE;
	if (c == ':') {
		cli_usage_error(p->usage, "option '%s' needs an argument", word);
		return -1;
	}
	if (optopt && optopt < 128) {
		cli_usage_error(p->usage, "there is no option '-%c'", optopt);
		return -1;
	}
	for (; longs[n].name; n++)
		names[n] = longs[n].name;
	names[n] = NULL;
	if (optopt) {
		cli_usage_error(p->usage, "option '%s' takes no argument", word);
		return -1;
	}
	say = !strncmp(word, "--", 2) ? usage_instead(p->usage, word + 2) : NULL;
	near = !strncmp(word, "--", 2) ? cli_nearest(word + 2, names) : NULL;
	if (say)
		cli_usage_error(p->usage, "there is no option '%.*s': %s", (int)strcspn(word, "="), word,
				say);
	else if (near)
		cli_usage_error(p->usage, "there is no option '%s'; did you mean '--%s'?", word, near);
	else
		cli_usage_error(p->usage, "there is no option '%s'", word);
	return -1;
}

static int next_option(struct cli_parse *p)
{
	struct option longs[CLI_OPTIONS_MAX + 2] = { 0 };
	char shorts[2 * CLI_OPTIONS_MAX + 8], *s = shorts;
	size_t n = 0;
	int c;

	if (p->usage->stop_early)
		*s++ = '+';
	*s++ = ':';
	for (const struct cli_option *o = p->usage->options; o->name && n < CLI_OPTIONS_MAX; o++) {
		longs[n++] =
			(struct option){ o->name, o->arg ? required_argument : no_argument, NULL, o->key };
		if (o->key >= 128)
			continue;
		*s++ = (char)o->key;
		if (o->arg)
			*s++ = ':';
	}
	longs[n++] = (struct option){ "help", no_argument, NULL, 'h' };
	strcpy(s, "h");
	opterr = 0;
	c = getopt_long(p->argc, p->argv, shorts, longs, NULL);
	p->arg = optarg;
	p->first = optind;
	if (c == -1)
		return 0;
	if (c == '?' || c == ':')
		return bad_option(p, c, longs);
	if (c != 'h')
		return c;
	usage_print_help(p->usage);
	p->exit_code = CLI_OK;
	return -1;
}

/* Returns true if the option wants the number of a task or process, and a name was given instead. */
static bool is_name_for_id(const struct cli_parse *p, const struct cli_option *o)
{
	const struct cli_option *comm = p->usage->options;

	if ((strcmp(o->name, "pid") && strcmp(o->name, "tid")) || !isalpha((unsigned char)*p->arg))
		return false;
	while (comm->name && strcmp(comm->name, "comm"))
		comm++;
	return comm->name;
}

static int store_number(struct cli_parse *p, int key)
{
	const struct cli_option *o = p->usage->options;
	uint64_t n;

	if (!cli_number(p->arg, UINT32_MAX, &n) && n) {
		*(uint32_t *)((char *)p->into + (key - CLI_NUMBER_KEY)) = (uint32_t)n;
		return 0;
	}
	while (o->key != key)
		o++;
	p->exit_code = cli_usage_error(p->usage, "--%s %s: this is not a number from 1 to %" PRIu32 "%s",
				       o->name, p->arg, UINT32_MAX,
				       is_name_for_id(p, o) ? "; --comm chooses tasks by their name" : "");
	return -1;
}

static int store(struct cli_parse *p, int key)
{
	char *into = p->into;

	if (key >= CLI_NUMBER_KEY)
		return store_number(p, key);
	if (key >= CLI_FLAG_KEY)
		*(bool *)(into + (key - CLI_FLAG_KEY)) = true;
	else
		*(const char **)(into + (key - CLI_TEXT_KEY)) = p->arg;
	return 0;
}

int cli_next(struct cli_parse *p)
{
	int c;

	do
		c = next_option(p);
	while (c >= CLI_TEXT_KEY && !store(p, c));
	return c >= CLI_TEXT_KEY ? -1 : c;
}

const char *cli_only_arg(const struct cli_parse *p, const char *what)
{
	if (p->argc - p->first == 1)
		return p->argv[p->first];
	if (p->argc == p->first)
		cli_usage_error(p->usage, "%s is missing", what);
	else
		cli_usage_error(p->usage, "'%s' is one argument too many", p->argv[p->first + 1]);
	return NULL;
}

const char *cli_trace_arg(const struct cli_parse *p)
{
	if (p->argc != p->first)
		return cli_only_arg(p, "FILE");
	cli_usage_error(p->usage, "FILE is missing: " CLI_TRACE_HOW);
	return NULL;
}

int cli_no_args(const struct cli_parse *p)
{
	if (p->argc == p->first)
		return 0;
	return cli_usage_error(p->usage, "'%s' is one argument too many", p->argv[p->first]);
}

int cli_parse_into(struct cli_parse *p, void *into)
{
	p->into = into;
	if (cli_next(p) < 0)
		return -1;
	p->exit_code = cli_no_args(p);
	return p->exit_code ? -1 : 0;
}

int cli_number(const char *s, uint64_t max, uint64_t *ret)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno || *end || v > max)
		return -EINVAL;
	*ret = v;
	return 0;
}

int cli_size(const char *s, uint64_t *ret)
{
	static const char units[] = "KMGT";
	unsigned long long v;
	unsigned shift = 0;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno)
		return -EINVAL;
	if (*end) {
		const char *u = strchr(units, toupper((unsigned char)*end));

		if (!u || end[1])
			return -EINVAL;
		shift = 10 * (unsigned)(u - units + 1);
	}
	if (v > UINT64_MAX >> shift)
		return -EINVAL;
	*ret = (uint64_t)v << shift;
	return 0;
}

static int output_errno;

bool cli_output_broken(void)
{
	if (ferror(stdout) && !output_errno)
		output_errno = errno ? errno : EIO;
	return output_errno != 0;
}

int cli_output_end(int code)
{
	int r = output_flush();

	r = output_errno ? -output_errno : r;
	return r && r != -EPIPE ? cli_error("cannot write the output: %s", strerror(-r)) : code;
}

unsigned cli_threads(unsigned max)
{
	cpu_set_t cpus;

	/* This call fails if the machine has too many CPUs for a cpu_set_t. */
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return max;
	return MIN((unsigned)CPU_COUNT(&cpus), max);
}

struct both {
	void (*fn)(void *arg);
	void *arg;
};

static void *both_thread(void *arg)
{
	struct both *b = arg;

	b->fn(b->arg);
	return NULL;
}

void cli_both(void (*a)(void *arg), void (*b)(void *arg), void *arg)
{
	struct both first = { a, arg };
	pthread_t thread;
	bool threaded = cli_threads(2) > 1 && !pthread_create(&thread, NULL, both_thread, &first);

	if (!threaded)
		a(arg);
	b(arg);
	if (threaded)
		pthread_join(thread, NULL);
}

void cli_progress(void *arg, unsigned percent)
{
	if (pager_shows || !isatty(STDERR_FILENO))
		return;
	if (percent >= 100)
		fputs("\r\033[K", stderr);
	else
		fprintf(stderr, "\r%s: %u %%\033[K", (const char *)arg, percent);
	fflush(stderr);
}

void cli_progress_count(const char *what, size_t done, size_t all)
{
	if (pager_shows || !isatty(STDERR_FILENO))
		return;
	if (done >= all)
		fputs("\r\033[K", stderr);
	else
		fprintf(stderr, "\r%s: %zu of %zu\033[K", what, done, all);
	fflush(stderr);
}

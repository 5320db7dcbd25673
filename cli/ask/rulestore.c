// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ask/rulestore.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/ask/rulesfile.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "lib/utf8.h"

int rulestore_option(struct rulestore_options *o, const char *file)
{
	if (o->n_files == RULESTORE_FILES_MAX) {
		cli_error("--rules %s: this is one file too many; give at most %d", file,
			  RULESTORE_FILES_MAX);
		return CLI_USAGE;
	}
	o->files[o->n_files++] = file;
	return CLI_OK;
}

static char *own_path(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *path;

	if (config && *config == '/')
		return asprintf(&path, "%s/ctrace/rules.json", config) < 0 ? NULL : path;
	if (home && *home == '/')
		return asprintf(&path, "%s/.config/ctrace/rules.json", home) < 0 ? NULL : path;
	return NULL;
}

int rulestore_read(const char *path, char **ret, size_t *ret_size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_free_ char *buf = NULL;
	size_t n = 0, max = RULESFILE_BYTES_MAX + 1;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EMEDIUMTYPE;
	buf = malloc(max);
	if (!buf)
		return -ENOMEM;
	while (n < max) {
		ssize_t got = read(fd, buf + n, max - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		n += (size_t)got;
	}
	*ret = TAKE_PTR(buf);
	*ret_size = n;
	return 0;
}

static int say_unreadable(const char *path, int e)
{
	if (e == -EMEDIUMTYPE)
		return cli_error("%s: it is not a regular file; give a rules file, or --no-rules", path);
	if (e == -ENOENT)
		return cli_error("%s: there is no such file; give a rules file that exists, or --no-rules",
				 path);
	return cli_error("%s: the rules cannot be read: %s; repair the file, or use --no-rules", path,
			 strerror(-e));
}

/* A rule with an unknown kind of edge would never match. */
static int check_edges(const char *path, const struct rule *v, size_t n)
{
	const char *names[UINT8_MAX + 1];
	size_t n_names = 0;

	for (uint8_t k = EDGE_WAKE; strcmp(edge_kind_name(k), "unknown") != 0; k++)
		names[n_names++] = edge_kind_name(k);
	names[n_names] = NULL;
	for (size_t i = 0; i < n; i++) {
		const char *const *k = names, *near;

		while (*k && strcmp(*k, v[i].edge))
			k++;
		if (!v[i].edge[0] || *k)
			continue;
		near = cli_nearest(v[i].edge, names);
		return cli_error("%s: rule %zu: there is no kind of edge \"%s\"%s%s%s", path, i + 1,
				 v[i].edge, near ? "; did you mean \"" : "; ctrace.rules(5) lists them",
				 near ?: "", near ? "\"?" : "");
	}
	return CLI_OK;
}

static int load(struct rulestore *s, const char *path, bool may_miss)
{
	_cleanup_free_ char *text = NULL;
	char err[RULESFILE_ERR_MAX];
	size_t size = 0, before = s->rules.v.n;
	int r = rulestore_read(path, &text, &size);

	if (r == -ENOENT && may_miss)
		return CLI_OK;
	if (r)
		return say_unreadable(path, r);
	r = size ? rulesfile_parse(text, size, &s->rules, err)
		 : 0; /* an empty file is allowed: somebody has just made it */
	if (r == -EBADMSG)
		return cli_error("%s: %s; repair the file, or use --no-rules", path, err);
	if (r)
		return cli_error("out of memory");
	if (check_edges(path, s->rules.v.v + before, s->rules.v.n - before))
		return CLI_FAILED;
	s->files[s->n_files].path = strdup(path);
	if (!s->files[s->n_files].path)
		return cli_error("out of memory");
	s->files[s->n_files++].end = s->rules.v.n;
	return CLI_OK;
}

int rulestore_open(const struct rulestore_options *o, bool asking, struct rulestore *ret)
{
	_cleanup_free_ char *own = NULL;
	int r = CLI_OK;

	*ret = (struct rulestore){ 0 };
	if (o->none)
		return CLI_OK;
	own = own_path();
	for (size_t i = 0; !r && i < o->n_files; i++)
		r = load(ret, o->files[i], asking && !i);
	if (!r && o->n_files && access(o->files[0], F_OK))
		cli_say("%s does not exist yet; the first kept answer creates it", o->files[0]);
	if (!r && own && access(own, R_OK) && errno == EACCES)
		cli_warn("%s: your own rules cannot be read: %s; going on without them", own,
			 strerror(errno));
	else if (!r && own)
		r = load(ret, own, true);
	if (r)
		return r;
	ret->n_read = ret->rules.v.n;
	ret->was = malloc(ret->n_read + 1);
	if (!ret->was)
		return cli_error("out of memory");
	for (size_t i = 0; i < ret->n_read; i++)
		ret->was[i] = (uint8_t)ret->rules.v.v[i].verdict;
	if (o->n_files || own) {
		ret->keep = strdup(o->n_files ? o->files[0] : own);
		if (!ret->keep)
			return cli_error("out of memory");
	}
	return CLI_OK;
}

static bool is_text(const char *s)
{
	size_t n = 1;

	while (*s && n) {
		n = utf8_len(s);
		s += n;
	}
	return n;
}

static int make_directories(const char *path)
{
	_cleanup_free_ char *dir = strdup(path);

	if (!dir)
		return -ENOMEM;
	for (char *p = strchr(dir + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		if (mkdir(dir, 0755) && errno != EEXIST)
			return -errno;
		*p = '/';
	}
	return 0;
}

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			left -= (size_t)n;
		}
	}
	return fsync(fd) ? -errno : 0;
}

/* The owner, the group and the permissions of the file stay. */
static int replace(const char *path, const char *text)
{
	_cleanup_free_ char *temp = NULL;
	_cleanup_close_ int fd = -1;
	mode_t mask = umask(0);
	struct stat st;
	int r;

	umask(mask);
	if (asprintf(&temp, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (stat(path, &st))
		r = fchmod(fd, 0666 & ~mask);
	else
		r = fchmod(fd, st.st_mode & 0777) ||
		    ((st.st_uid != geteuid() || st.st_gid != getegid()) && fchown(fd, st.st_uid, st.st_gid));
	r = r ? -errno : write_all(fd, text);
	if (!r && rename(temp, path))
		r = -errno;
	if (r)
		unlink(temp);
	return r;
}

/* Reads the file again, because another process may have added rules. */
static int add_to_file(const char *path, const struct rule *v, size_t n)
{
	_cleanup_free_ char *real = realpath(path, NULL), *old = NULL, *text = NULL;
	size_t size = 0;
	int r;

	if (!real) {
		r = make_directories(path);
		if (r)
			return r;
		real = strdup(path);
		if (!real)
			return -ENOMEM;
	}
	r = rulestore_read(real, &old, &size);
	if (r && r != -ENOENT)
		return r;
	r = rulesfile_merge(old, size, v, n, &text);
	return r ? r : replace(real, text);
}

struct answers {
	VEC(struct rule) v;
};

static int collect(const struct rulestore *s, struct answers *ret)
{
	for (size_t i = 0; i < s->rules.v.n; i++) {
		const struct rule *r = &s->rules.v.v[i];

		if (i < s->n_read && s->was[i] == r->verdict)
			continue;
		if (!is_text(r->from) || !is_text(r->to) || (r->object && !is_text(r->object)))
			cli_warn("an answer is not kept: a name in it is not UTF-8 text");
		else if (VEC_PUSH(&ret->v, *r))
			return cli_error("out of memory");
	}
	return CLI_OK;
}

static int keep(const char *path, const struct rule *v, size_t n)
{
	int r;

	if (!n)
		return CLI_OK;
	if (!path)
		return cli_error(
			"the answers are not kept: there is no file for them; give one with --rules FILE, and leave out --no-rules");
	r = add_to_file(path, v, n);
	if (r)
		return cli_error("%s: the answers cannot be kept: %s; give another file with --rules", path,
				 r == -EBADMSG ? "it is not a rules file any more" : strerror(-r));
	cli_say("kept %zu rule%s in %s", n, n == 1 ? "" : "s", path);
	return CLI_OK;
}

int rulestore_keep(const struct rulestore *s)
{
	struct answers a = { 0 };
	int r = collect(s, &a);

	if (!r)
		r = keep(s->keep, a.v.v, a.v.n);
	VEC_FREE(&a.v);
	return r;
}

void rulestore_done(struct rulestore *s)
{
	rules_done(&s->rules);
	for (size_t i = 0; i < s->n_files; i++)
		free(s->files[i].path);
	free(s->keep);
	free(s->was);
	*s = (struct rulestore){ 0 };
}

static const char *origin(const struct rulestore *s, size_t i, size_t *ret_nr)
{
	size_t begin = 0;

	if (i >= s->n_read || s->was[i] != s->rules.v.v[i].verdict)
		return NULL;
	for (size_t f = 0; f < s->n_files; f++) {
		*ret_nr = i - begin + 1;
		if (i < s->files[f].end)
			return s->files[f].path;
		begin = s->files[f].end;
	}
	return NULL;
}

void rulestore_print(FILE *f, const struct rulestore *s)
{
	char words[RULESFILE_WORDS_MAX];
	bool any = false;

	for (size_t i = 0; i < s->rules.v.n; i++) {
		const struct rule *r = &s->rules.v.v[i];
		size_t nr = 0;
		const char *file = origin(s, i, &nr);

		if (!r->applied)
			continue;
		if (!any)
			fputs("Rules that decided:\n", f);
		any = true;
		fprintf(f, "  %u time%s: %s (", r->applied, r->applied == 1 ? "" : "s",
			rulesfile_words(r, words));
		if (file)
			fprintf(f, "%s, rule %zu)\n", file, nr);
		else
			fputs("an answer of this run)\n", f);
	}
}

json_t *rulestore_json(const struct rulestore *s)
{
	json_t *rows = json_array();
	char words[RULESFILE_WORDS_MAX];

	for (size_t i = 0; i < s->rules.v.n; i++) {
		const struct rule *r = &s->rules.v.v[i];
		size_t nr = 0;
		const char *file = origin(s, i, &nr);

		if (r->applied)
			json_array_append_new(
				rows, json_pack("{s:o, s:o, s:s, s:I, s:o}", "file",
						file ? text_json(file) : json_null(), "rule",
						file ? json_integer((json_int_t)nr) : json_null(), "verdict",
						r->verdict == RULE_CAUSE ? "cause" : "not-cause", "applied",
						(json_int_t)r->applied, "text",
						text_json(rulesfile_words(r, words))));
	}
	return rows;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/top/screen.h"

#include <curses.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/cleanup.h"

#define FILTER_MAX 64

enum { COLOUR_CIRCLE = 1, COLOUR_ROOT, COLOUR_DIM };

struct screen {
	SCREEN *curses;
	FILE *out;
	char filter[FILTER_MAX];
	bool asks; /* the user types a filter */
	size_t selected, first_line, n_lines;
	size_t page; /* lines of the list on the screen */
	uint32_t tid;
};

static volatile sig_atomic_t is_ended;

static void on_end(int sig)
{
	is_ended = 1;
}

/* Without SA_RESTART, a signal also ends the wait for a key. */
static void catch_ends(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_end };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaction(ends[i], &sa, NULL);
}

static void set_colours(void)
{
	if (!has_colors() || getenv("NO_COLOR"))
		return;
	start_color();
	use_default_colors();
	init_pair(COLOUR_CIRCLE, COLOR_RED, -1);
	init_pair(COLOUR_ROOT, COLOR_YELLOW, -1);
	init_pair(COLOUR_DIM, COLOR_BLUE, -1);
}

/* A terminal that cannot move its cursor, such as TERM=dumb, cannot show a full screen. */
static bool can_move(void)
{
	int err;

	return setupterm(NULL, STDOUT_FILENO, &err) == OK && cursor_address;
}

int screen_new(struct screen **ret)
{
	struct screen *s;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return cli_error("ctrace top needs a terminal; use --batch to print text");
	if (!can_move())
		return cli_error(
			"the terminal '%s' has no full screen; use --batch to print text, or set TERM",
			getenv("TERM") ? getenv("TERM") : "");
	s = calloc(1, sizeof(*s));
	if (!s)
		return cli_error("out of memory");
	if (!setlocale(LC_CTYPE, ""))
		setlocale(LC_CTYPE, "C.UTF-8");
	catch_ends();
	s->out = fdopen(dup(STDOUT_FILENO), "w");
	if (s->out)
		s->curses = newterm(NULL, s->out, stdin);
	if (!s->curses) {
		screen_free(s);
		return cli_error("cannot use the terminal; use --batch to print text");
	}
	set_colours();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	curs_set(0);
	*ret = s;
	return CLI_OK;
}

void screen_free(struct screen *s)
{
	if (!s)
		return;
	if (s->curses) {
		endwin();
		delscreen(s->curses);
	}
	if (s->out)
		fclose(s->out);
	free(s);
}

static attr_t attributes_of(enum top_line_kind kind)
{
	switch (kind) {
	case TOP_LINE_CIRCLE:
		return A_BOLD | COLOR_PAIR(COLOUR_CIRCLE);
	case TOP_LINE_ROOT:
		return A_BOLD | COLOR_PAIR(COLOUR_ROOT);
	case TOP_LINE_TITLE:
		return A_UNDERLINE;
	case TOP_LINE_ENDED:
		return COLOR_PAIR(COLOUR_DIM);
	case TOP_LINE_WAITER:
		break;
	}
	return A_NORMAL;
}

/* addnstr() goes on in the next line if the text is too wide. So the screen is drawn from the top, and each
 * line first clears what the line above has left there. */
static void put_line(int y, const char *text, attr_t attributes)
{
	move(y, 0);
	clrtobot();
	attrset(attributes);
	addnstr(text, -1);
	attrset(A_NORMAL);
}

static void draw_list(struct screen *s, const struct top_lines *list, int top)
{
	for (size_t i = 0; i < s->page; i++) {
		size_t at = s->first_line + i;
		const struct top_line *line = at < list->v.n ? &list->v.v[at] : NULL;

		put_line(top + (int)i, line ? line->text : "",
			 line ? attributes_of(line->kind) | (at == s->selected ? A_REVERSE : 0) : A_NORMAL);
	}
}

static void keep_selected_visible(struct screen *s)
{
	if (s->selected >= s->n_lines)
		s->selected = s->n_lines ? s->n_lines - 1 : 0;
	if (s->selected < s->first_line)
		s->first_line = s->selected;
	if (s->page && s->selected >= s->first_line + s->page)
		s->first_line = s->selected - s->page + 1;
}

/* The selection stays at its task, even if the task has moved in the list. */
static void find_selected(struct screen *s, const struct top_lines *list)
{
	for (size_t i = 0; s->tid && i < list->v.n; i++)
		if (list->v.v[i].tid == s->tid) {
			s->selected = i;
			break;
		}
	s->n_lines = list->v.n;
	keep_selected_visible(s);
	s->tid = s->n_lines ? list->v.v[s->selected].tid : 0;
}

void screen_draw(struct screen *s, const char *const *head, unsigned n_head, const struct top_lines *list,
		 const char *footer)
{
	int rows = MAX(getmaxy(stdscr), 2), top = MIN((int)n_head, rows - 2);
	char ask[FILTER_MAX + 32];

	s->page = (size_t)(rows - top - 1);
	find_selected(s, list);
	for (int i = 0; i < top; i++)
		put_line(i, head[i], A_NORMAL);
	draw_list(s, list, top);
	snprintf(ask, sizeof(ask), "Show only what contains: %s_", s->filter);
	put_line(rows - 1, s->asks ? ask : footer, A_REVERSE);
	refresh();
}

static enum screen_key filter_key(struct screen *s, int c)
{
	size_t n = strlen(s->filter);

	if (c == '\r' || c == '\n' || c == KEY_ENTER)
		s->asks = false;
	else if (c == 27)
		s->asks = false, s->filter[0] = 0;
	else if ((c == KEY_BACKSPACE || c == 127 || c == '\b') && n)
		s->filter[n - 1] = 0;
	else if (c >= ' ' && c < 127 && n + 1 < sizeof(s->filter))
		s->filter[n] = (char)c, s->filter[n + 1] = 0;
	return SCREEN_FILTER;
}

static enum screen_key move_to(struct screen *s, size_t line)
{
	s->selected = line;
	s->tid = 0;
	keep_selected_visible(s);
	return SCREEN_NONE;
}

enum screen_key screen_wait(struct screen *s, int timeout_ms)
{
	int c;

	timeout(timeout_ms);
	c = getch();
	if (is_ended)
		return SCREEN_QUIT;
	if (s->asks && c != ERR && c != KEY_RESIZE)
		return filter_key(s, c);
	switch (c) {
	case 'q':
	case 'Q':
		return SCREEN_QUIT;
	case 's':
		return SCREEN_SORT;
	case 'v':
		return SCREEN_VIEW;
	case ' ':
		return SCREEN_FREEZE;
	case '/':
		s->asks = true;
		s->filter[0] = 0;
		return SCREEN_FILTER;
	case '\r':
	case '\n':
	case KEY_ENTER:
		return SCREEN_DIAGNOSE;
	case KEY_UP:
		return move_to(s, s->selected ? s->selected - 1 : 0);
	case KEY_DOWN:
		return move_to(s, s->selected + 1);
	case KEY_PPAGE:
		return move_to(s, s->selected > s->page ? s->selected - s->page : 0);
	case KEY_NPAGE:
		return move_to(s, s->selected + s->page);
	default:
		return SCREEN_NONE;
	}
}

const char *screen_filter(const struct screen *s)
{
	return s->filter;
}

uint32_t screen_tid(const struct screen *s)
{
	return s->tid;
}

void screen_leave(struct screen *s)
{
	def_prog_mode();
	endwin();
	fflush(s->out);
}

void screen_return(struct screen *s)
{
	reset_prog_mode();
	clearok(stdscr, TRUE);
	refresh();
}

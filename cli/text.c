// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/cleanup.h"

/* Prints n bytes of a document that jansson wrote. jansson does not escape DEL, so this function
 * does. In a document, DEL can only be inside a string. */
static int put_dumped(const char *s, size_t n, void *arg)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == 0x7f)
			fputs("\\u007F", stdout);
		else
			putc_unlocked(s[i], stdout);
	return 0;
}

#define ONE_LINE (JSON_COMPACT | JSON_ENSURE_ASCII)

int text_print_json(json_t *doc)
{
	size_t flags = cli_is_terminal() ? JSON_INDENT(2) | JSON_ENSURE_ASCII : ONE_LINE;

	if (!doc)
		return cli_error("out of memory");
	json_dump_callback(doc, put_dumped, NULL, flags);
	putchar('\n');
	json_decref(doc);
	return CLI_OK;
}

static int print_indented(json_t *doc, const char *key, size_t n, json_t *(*make)(const void *arg, size_t i),
			  const void *arg)
{
	json_t *items = json_array();
	int r = 0;

	for (size_t i = 0; i < n && !r; i++)
		r = json_array_append_new(items, make(arg, i));
	if (json_object_set_new(doc, key, items) || r) {
		json_decref(doc);
		return cli_error("out of memory");
	}
	return text_print_json(doc);
}

int text_print_json_items(json_t *doc, const char *key, size_t n, json_t *(*make)(const void *arg, size_t i),
			  const void *arg)
{
	_cleanup_free_ char *head = NULL;

	if (doc && cli_is_terminal())
		return print_indented(doc, key, n, make, arg);
	head = doc ? json_dumps(doc, ONE_LINE) : NULL;
	json_decref(doc);
	if (!head)
		return cli_error("out of memory");
	put_dumped(head, strlen(head) - 1, NULL); /* without the brace at the end of doc */
	printf(",\"%s\":[", key);
	for (size_t i = 0; i < n && !cli_output_broken(); i++) {
		json_t *item = make(arg, i);

		if (!item)
			return cli_error("out of memory");
		if (i)
			putchar(',');
		json_dump_callback(item, put_dumped, NULL, ONE_LINE);
		json_decref(item);
	}
	puts("]}");
	return CLI_OK;
}

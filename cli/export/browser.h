/* SPDX-License-Identifier: GPL-2.0-or-later */
/* browser.h - shows a page in the browser of the user. One thread. The functions print their errors and
 * messages themselves, and return an exit code. */
#ifndef CTRACE_CLI_EXPORT_BROWSER_H
#define CTRACE_CLI_EXPORT_BROWSER_H

/* Opens the page at `path`, an existing file, with xdg-open. If ctrace runs as root, or if there is no
 * display, only says how to open the page. Waits at most BROWSER_WAIT_MS for xdg-open, which may run as long
 * as the browser. */
int browser_open(const char *path);

#endif

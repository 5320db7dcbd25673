// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/export/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/words/words.h"

#define STEP_MS 20

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* The browser of the user must not run as root, and root must not choose a session of a user. */
static int say_root(const char *path)
{
	_cleanup_free_ char *full = realpath(path, NULL), *word = NULL;
	struct words t = { 0 };

	words_add_path(&t, full ? full : path, "PAGE");
	word = words_take(&t);
	cli_say("%s: not opened, because ctrace runs as root; as the user of the session, type: sudo cat %s > ~/ctrace.html && xdg-open ~/ctrace.html",
		path, word ? word : "PAGE");
	return CLI_OK;
}

/* Returns the exit status of the child, or 0 if it still runs after BROWSER_WAIT_MS. */
static int wait_status(pid_t pid)
{
	const struct timespec step = { .tv_nsec = STEP_MS * NSEC_PER_MSEC };
	int status;

	for (int ms = 0; ms < BROWSER_WAIT_MS; ms += STEP_MS) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		nanosleep(&step, NULL);
	}
	return 0;
}

static int start(const char *path)
{
	_cleanup_free_ char *full = realpath(path, NULL);
	char *argv[] = { (char *)"xdg-open", full, NULL };
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC), r, status;
	pid_t pid;

	if (!full || fd < 0) {
		r = errno;
		if (fd >= 0)
			close(fd);
		return cli_error("%s: cannot be opened in a browser: %s", path, strerror(r));
	}
	r = cli_spawn_apart(argv, fd, &pid);
	close(fd);
	if (r == ENOENT)
		return cli_error("%s: not opened, because there is no xdg-open; open it in a browser", path);
	if (r)
		return cli_error("%s: cannot start xdg-open: %s; open it in a browser", path, strerror(r));
	status = wait_status(pid);
	if (status)
		return cli_error("%s: xdg-open could not open it; open it in a browser", path);
	return CLI_OK;
}

int browser_open(const char *path)
{
	if (!geteuid())
		return say_root(path);
	if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
		cli_say("%s: not opened, because there is no display; open it in a browser", path);
		return CLI_OK;
	}
	return start(path);
}

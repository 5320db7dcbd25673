// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/client/now.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client/client.h"
#include "cli/input/tracefile.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

int now_range(const char *socket, struct timearg_context *ret)
{
	char err[CLIENT_ERR_MAX];
	json_t *answer = NULL;

	if (client_command(socket, "status", WAIT_ANSWER_MS, &answer, err))
		return cli_error("%s", err);
	ret->from_ns =
		(uint64_t)json_integer_value(json_object_get(json_object_get(answer, "file"), "oldest_ns"));
	json_decref(answer);
	ret->to_ns = clock_boot_ns();
	ret->offsets = clock_offsets_now();
	return CLI_OK;
}

bool now_may(const char *socket)
{
	json_int_t now = (json_int_t)clock_boot_ns();
	json_t *request = json_pack("{s:s,s:I,s:I}", "cmd", "snapshot", "from_ns",
				    now - (json_int_t)NSEC_PER_SEC, "to_ns", now);
	_cleanup_close_ int fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char err[CLIENT_ERR_MAX];
	json_t *answer = NULL;
	int r = request && fd >= 0 ? client_call(socket, request, fd, WAIT_SNAPSHOT_MS, &answer, err) : -EIO;

	json_decref(request);
	json_decref(answer);
	return !r;
}

int now_write(const char *socket, uint64_t from_ns, uint64_t to_ns, int fd, struct lacks *ret_lacks)
{
	json_t *request = json_pack("{s:s,s:I,s:I}", "cmd", "snapshot", "from_ns", (json_int_t)from_ns,
				    "to_ns", (json_int_t)to_ns);
	char err[CLIENT_ERR_MAX] = "out of memory";
	json_t *answer = NULL;
	int r = request ? client_call(socket, request, fd, WAIT_SNAPSHOT_MS, &answer, err) : -ENOMEM;

	json_decref(request);
	*ret_lacks = lacks_of(answer);
	json_decref(answer);
	return r ? cli_error("%s", err) : CLI_OK;
}

int now_nameless(void)
{
	char path[] = "/var/tmp/ctrace-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd < 0)
		cli_error("cannot make a file in /var/tmp: %s; make room there", strerror(errno));
	else
		unlink(path);
	return fd;
}

int now_open(const char *socket, uint64_t from_ns, struct reader **ret, int *ret_fd, struct lacks *ret_lacks)
{
	_cleanup_close_ int fd = now_nameless();
	char err[READER_ERR_MAX];
	int code = fd < 0 ? CLI_FAILED : now_write(socket, from_ns, clock_boot_ns(), fd, ret_lacks);

	if (code)
		return code;
	if (reader_open_fd(fd, "the trace of now", ret, err))
		return cli_error("%s", err);
	code = tracefile_check(ret, "the trace of now");
	if (!code)
		*ret_fd = TAKE_FD(fd);
	return code;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Sends hostile bytes to a real control socket. The first byte chooses how the other bytes are
 * sent: in one piece, in one piece with descriptors, or in several pieces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/control/control.h"
#include "lib/cleanup.h"

static struct control *control;
static sd_event *event;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static uint64_t kept;
static unsigned gone, opened;

static void on_request(void *arg, uint64_t client, const char *cmd, json_t *body, int *fd)
{
	static char big[70001];

	if (!json_is_object(body) || !control_connected(control, client))
		abort();
	if (*fd >= 0 && !strcmp(cmd, "take"))
		close(TAKE_FD(*fd));
	if (!strcmp(cmd, "later")) {
		kept = client;
		return;
	}
	memset(big, 'x', sizeof(big) - 1);
	if (!strcmp(cmd, "big"))
		control_answer(control, client, json_pack("{s:s}", "text", big));
	else
		control_refuse(control, client, "There is no request \"%.40s\".", cmd);
}

static void on_gone(void *arg, uint64_t client)
{
	gone++;
}

static void stop(void)
{
	control_free(control);
	sd_event_unref(event);
}

static void start(void)
{
	const struct control_options opt = {
		.path = address.sun_path, .group = CONTROL_NO_GROUP, .request = on_request, .gone = on_gone
	};
	char err[CONTROL_ERR_MAX];

	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/control-fuzz-%d", (int)getpid());
	if (sd_event_new(&event) < 0 || control_new(event, &opt, &control, err) < 0)
		abort();
	atexit(stop);
}

static void settle(int fd)
{
	char answer[4096];

	while (sd_event_run(event, 0) > 0)
		while (recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0)
			;
	if (kept)
		control_refuse(control, kept, "\xff late");
	kept = 0;
}

static void send_with_descriptors(int fd, const char *text, size_t n)
{
	_Alignas(struct cmsghdr) char anc[CMSG_SPACE(3 * sizeof(int))] = { 0 };
	struct iovec iov = { (void *)text, n };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = anc, .msg_controllen = sizeof(anc)
	};
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);
	const int fds[3] = { STDIN_FILENO, STDIN_FILENO, STDIN_FILENO };

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(h), fds, sizeof(fds));
	(void)!sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void requests(unsigned how, const char *text, size_t n)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		abort();
	opened++;
	settle(fd);
	for (size_t piece; n; text += piece, n -= piece) {
		piece = how == 2 && n > 14 ? 7 + n / 2 : n;
		if (how == 1)
			send_with_descriptors(fd, text, piece);
		else
			(void)!send(fd, text, piece, MSG_DONTWAIT | MSG_NOSIGNAL);
		settle(fd);
	}
	close(fd);
	settle(-1);
	if (control_clients(control) || gone != opened)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *copy;

	if (!n)
		return 0;
	if (!control)
		start();
	n--;
	copy = malloc(n + 1);
	memcpy(copy, data + 1, n);
	requests(data[0] % 3, copy, n);
	free(copy);
	return 0;
}

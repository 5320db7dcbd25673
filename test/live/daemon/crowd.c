// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowd SOCKET GID FIRST_UID USERS - USERS processes connect to a control socket as fast as they
 * can. Each has a uid of its own, and the group GID.
 *
 * Prints "crowded" a moment after all users have started. When the standard input ends, kills the
 * users, and prints the number of their connections.
 */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define USERS_MAX 16
#define HELD      64

static struct sockaddr_un address = { .sun_family = AF_UNIX };
static volatile uint64_t *counts;

/*
 * What a user does with a connection:
 * - CONNECTS: closes the connection;
 * - ASKS: sends two requests;
 * - PASSES: sends two requests, and one descriptor with them;
 * - HOLDS: sends nothing.
 *
 * Except for CONNECTS, a user keeps its last HELD connections open.
 */
enum how { CONNECTS, ASKS, PASSES, HOLDS, HOWS };

static int join(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

static void ask(int fd, int passed)
{
	static const char text[] = "{\"cmd\":\"status\"}\n{\"cmd\":\"status\"}\n";
	_Alignas(struct cmsghdr) char anc[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { (void *)text, sizeof(text) - 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (passed >= 0) {
		struct cmsghdr *h = (struct cmsghdr *)anc;

		m.msg_control = anc;
		m.msg_controllen = sizeof(anc);
		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(h), &passed, sizeof(int));
	}
	(void)!sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void crowd(unsigned user)
{
	int held[HELD], null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	unsigned n = 0;

	memset(held, -1, sizeof(held));
	for (uint64_t i = 0;; i++) {
		enum how how = (i / 1000 + user) % HOWS;
		int fd = join();

		if (fd < 0)
			continue;
		counts[user]++;
		if (how == ASKS || how == PASSES)
			ask(fd, how == PASSES ? null : -1);
		if (how == CONNECTS) {
			close(fd);
		} else {
			close(held[n]);
			held[n] = fd;
			n = (n + 1) % HELD;
		}
	}
}

int main(int argc, char **argv)
{
	unsigned users = argc == 5 ? (unsigned)atoi(argv[4]) : 0;
	gid_t gid = users ? (gid_t)atoi(argv[2]) : 0;
	pid_t pids[USERS_MAX];
	uint64_t sum = 0;
	char byte;

	if (!users || users > USERS_MAX || strlen(argv[1]) >= sizeof(address.sun_path))
		return 2;
	strcpy(address.sun_path, argv[1]);
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < users; i++) {
		uid_t uid = (uid_t)atoi(argv[3]) + i;

		pids[i] = fork();
		if (pids[i] < 0)
			return 1;
		if (pids[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setgroups(1, &gid) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
			_exit(1);
		crowd(i);
	}
	usleep(300000);
	puts("crowded");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	for (unsigned i = 0; i < users; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
		sum += counts[i];
	}
	printf("connections=%llu\n", (unsigned long long)sum);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tested steps run in child processes, because the tracer does not record itself. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctrace/fields.h"
#include "daemon/kernel/probe.h"
#include "lib/cleanup.h"
#include "lib/vec.h"

#define SLEEP_US 60000

struct event {
	struct ct_rec r;
	uint64_t x[2];
};
static VEC(struct event) events;
static VEC(struct ct_object_blob) objects;
static struct probe *probe;

static struct {
	pid_t a, b; /* a waits, b wakes it */
	uint64_t ino, ino2;
	uint16_t port;
} * said;

/* `data` is one blob, or several fixed records with their extra words. */
static void on_record(void *arg, uint16_t cpu, const void *data, size_t size)
{
	const uint8_t *p = data, *end = p + size;
	const struct ct_rec *r = data;

	if (r->kind == CT_OBJECT)
		assert_int_equal(VEC_PUSH(&objects, *(const struct ct_object_blob *)data), 0);
	if (CT_KIND_IS_BLOB(r->kind))
		return;
	for (; p < end; p += sizeof(*r) + CT_KIND_WORDS(r->kind) * 8) {
		struct event e = { 0 };

		r = (const void *)p;
		assert_true(p + sizeof(*r) + CT_KIND_WORDS(r->kind) * 8 <= end);
		e.r = *r;
		memcpy(e.x, r + 1, CT_KIND_WORDS(r->kind) * 8);
		assert_int_equal(VEC_PUSH(&events, e), 0);
	}
}

/* b starts SLEEP_US after a, so that a already waits. */
static void run(void (*a)(void), void (*b)(void))
{
	pid_t pa, pb = 0;

	events.n = objects.n = 0;
	probe_consume(probe, on_record, NULL);
	events.n = objects.n = 0;
	pa = fork();
	if (!pa) {
		said->a = getpid();
		a();
		_exit(0);
	}
	if (b && !(pb = fork())) {
		said->b = getpid();
		usleep(SLEEP_US);
		b();
		_exit(0);
	}
	waitpid(pa, NULL, 0);
	if (pb)
		waitpid(pb, NULL, 0);
	probe_consume(probe, on_record, NULL);
}

static const struct event *find(uint8_t kind, uint32_t tid, uint8_t wait, const struct event *after)
{
	const struct event *best = NULL;

	for (size_t i = 0; i < events.n; i++) {
		const struct event *e = &events.v[i];

		if (e->r.kind != kind || (tid && e->r.tid != tid) || (wait && e->r.wait != wait) ||
		    (after && e->r.ts < after->r.ts))
			continue;
		if (!best || e->r.ts < best->r.ts)
			best = e;
	}
	return best;
}

/* The rings are drained one by one, so the last record in the list need not be the newest. */
static const struct ct_object_blob *object(uint64_t id)
{
	const struct ct_object_blob *best = NULL;

	for (size_t i = 0; i < objects.n; i++)
		if (objects.v[i].id == id && (!best || objects.v[i].h.ts >= best->h.ts))
			best = &objects.v[i];
	return best;
}

/* b 0: any task may have woken a. Returns the switch that began the wait. */
static const struct event *waited(uint32_t a, uint8_t wait, uint32_t b, const struct event **ret_wake)
{
	const struct event *s = find(CT_SWITCH, a, wait, NULL), *w;

	assert_non_null(s);
	assert_int_not_equal(s->r.state, CT_ST_RUNNING);
	w = find(CT_WAKE, a, 0, s);
	assert_non_null(w);
	/* If a kernel thread runs the network's softirq, b is not the waker. */
	if (b && !(w->r.state == CT_CTX_SOFTIRQ && w->r.flags & CT_WF_KTHREAD))
		assert_int_equal(w->r.peer, b);
	*ret_wake = w;
	return s;
}

static int fds[2], more[2][2];
static uint64_t inode(int fd)
{
	struct stat st;

	fstat(fd, &st);
	return st.st_ino;
}

static void read_byte(void)
{
	char c;

	assert_true(read(fds[0], &c, 1) == 1);
}
static void write_byte(void)
{
	assert_true(write(fds[1], "x", 1) == 1);
}

static void pipe_has_reader_and_writer(void **state)
{
	const struct event *s, *w;

	assert_int_equal(pipe(fds), 0);
	run(read_byte, write_byte);
	s = waited(said->a, CT_W_READ, said->b, &w);
	assert_int_equal(s->r.obj, CT_OBJ_ID(CT_OBJ_PIPE, inode(fds[0])));
	assert_int_equal(s->r.nr, SYS_read);
	assert_int_equal(w->r.obj, s->r.obj);
	assert_int_equal(w->r.state, CT_CTX_TASK);
	assert_int_equal(w->r.nr, SYS_write);
	assert_int_equal(w->r.aux, CT_W_WRITE);
	assert_non_null(object(s->r.obj));
	close(fds[0]);
	close(fds[1]);
}

static void unix_socket_has_peer_and_bytes(void **state)
{
	const struct event *s, *w, *m;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	run(read_byte, write_byte);
	s = waited(said->a, CT_W_READ, said->b, &w);
	assert_int_equal(s->r.obj, CT_OBJ_ID(CT_OBJ_SOCK, inode(fds[0])));
	assert_non_null(object(s->r.obj));
	assert_int_equal(object(s->r.obj)->peer, CT_OBJ_ID(CT_OBJ_SOCK, inode(fds[1])));
	m = find(CT_SEND, said->b, 0, NULL);
	assert_non_null(m);
	assert_int_equal(m->r.peer, 1);
	assert_int_equal(m->r.obj, CT_OBJ_ID(CT_OBJ_SOCK, inode(fds[1])));
	m = find(CT_RECV, said->a, 0, NULL);
	assert_non_null(m);
	assert_int_equal(m->r.peer, 1);
	assert_int_equal(m->r.obj, s->r.obj);
	assert_true(w->r.flags & CT_WF_READY);
	assert_int_equal(w->r.obj, s->r.obj);
	close(fds[0]);
	close(fds[1]);
}

static int udp[3], epoll_fd, sender;
static void poll_udp(void)
{
	struct pollfd p[3];

	for (int i = 0; i < 3; i++)
		p[i] = (struct pollfd){ .fd = udp[i], .events = POLLIN };
	assert_int_equal(poll(p, 3, -1), 1);
}
static void epoll_udp(void)
{
	struct epoll_event ev;

	assert_int_equal(epoll_wait(epoll_fd, &ev, 1, -1), 1);
}
static void send_datagram(void)
{
	assert_int_equal(send(sender, "x", 1, 0), 1);
}

static void the_socket_that_ends_a_poll_is_named(void **state)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct event *w;
	socklen_t size = sizeof(sa);
	char c;

	epoll_fd = epoll_create1(0);
	sender = socket(AF_INET, SOCK_DGRAM, 0);
	for (int i = 0; i < 3; i++) {
		struct epoll_event ev = { .events = EPOLLIN };

		sa.sin_port = 0;
		udp[i] = socket(AF_INET, SOCK_DGRAM, 0);
		assert_int_equal(bind(udp[i], (struct sockaddr *)&sa, sizeof(sa)), 0);
		assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, udp[i], &ev), 0);
	}
	getsockname(udp[1], (struct sockaddr *)&sa, &size);
	assert_int_equal(connect(sender, (struct sockaddr *)&sa, sizeof(sa)), 0);
	for (int k = 0; k < 2; k++) {
		run(k ? epoll_udp : poll_udp, send_datagram);
		waited(said->a, k ? CT_W_EPOLL : CT_W_POLL, said->b, &w);
		assert_true(w->r.flags & CT_WF_READY);
		assert_int_equal(w->r.obj, CT_OBJ_ID(CT_OBJ_SOCK, inode(udp[1])));
		assert_int_equal(recv(udp[1], &c, 1, 0), 1);
	}
	for (int i = 0; i < 3; i++)
		close(udp[i]);
	close(epoll_fd);
	close(sender);
}

static union {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un un;
} to;
static socklen_t to_len;
static int how_to_send;

static void send_to(void)
{
	struct iovec v = { "xy", 2 };
	struct mmsghdr m = { .msg_hdr = { &to, to_len, &v, 1, NULL, 0, 0 } };

	if (how_to_send == SYS_sendto)
		assert_int_equal(sendto(sender, "xy", 2, 0, &to.any, to_len), 2);
	else if (how_to_send == SYS_sendmsg)
		assert_int_equal(sendmsg(sender, &m.msg_hdr, 0), 2);
	else
		assert_int_equal(sendmmsg(sender, &m, 1, 0), 1);
}

static const struct ct_rec *sent(int how)
{
	const struct event *m;

	how_to_send = how;
	run(send_to, NULL);
	m = find(CT_SEND, said->a, 0, NULL);
	assert_non_null(m);
	assert_int_equal(m->r.peer, 2);
	assert_int_equal(m->r.obj, CT_OBJ_ID(CT_OBJ_SOCK, inode(sender)));
	return &m->r;
}

static void set_v4(const char *ip)
{
	to.v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(9) };
	assert_int_equal(inet_pton(AF_INET, ip, &to.v4.sin_addr), 1);
	to_len = sizeof(to.v4);
}

static void set_v6(const char *ip)
{
	to.v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(9) };
	assert_int_equal(inet_pton(AF_INET6, ip, &to.v6.sin6_addr), 1);
	to_len = sizeof(to.v6);
}

static void sent_to(int how, enum ct_dest dest, uint32_t address)
{
	const struct ct_rec *r = sent(how);

	assert_int_equal(ct_send_dest(r), dest);
	assert_int_equal(ct_send_port(r), 9);
	assert_int_equal(ct_send_address(r), address);
}

static void an_inet_datagram_has_its_destination(void **state)
{
	sender = socket(AF_INET, SOCK_DGRAM, 0);
	set_v4("127.1.2.3");
	sent_to(SYS_sendto, CT_DEST_IPV4, htonl(0x7f010203));
	sent_to(SYS_sendmsg, CT_DEST_IPV4, htonl(0x7f010203));
	sent_to(SYS_sendmmsg, CT_DEST_IPV4, htonl(0x7f010203));
	set_v4("0.0.0.0");
	sent_to(SYS_sendto, CT_DEST_IPV4, htonl(INADDR_LOOPBACK));
	close(sender);
	sender = socket(AF_INET, SOCK_DGRAM, 0);
	set_v4("127.0.0.5");
	to.v4.sin_port = 0;
	assert_int_equal(bind(sender, &to.any, to_len), 0);
	set_v4("0.0.0.0");
	sent_to(SYS_sendto, CT_DEST_IPV4, htonl(0x7f000005));
	assert_int_equal(connect(sender, &to.any, to_len), 0);
	set_v4("127.1.2.3");
	assert_int_equal(ct_send_dest(sent(SYS_sendto)), CT_DEST_NONE);
	close(sender);
	sender = socket(AF_INET6, SOCK_DGRAM, 0);
	set_v6("::1");
	sent_to(SYS_sendto, CT_DEST_IPV6, 1);
	set_v6("::");
	sent_to(SYS_sendto, CT_DEST_IPV6, 1);
	set_v6("::ffff:127.1.2.3");
	sent_to(SYS_sendmsg, CT_DEST_IPV4, htonl(0x7f010203));
	close(sender);
}

/* Then the kernel shows the sender in the state of a connected socket, but its sends still have destinations.
 */
static void connect_to_sender(int *ret_fd)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(un);

	assert_int_equal(bind(sender, (struct sockaddr *)&un, sizeof(un.sun_family)), 0);
	assert_int_equal(getsockname(sender, (struct sockaddr *)&un, &len), 0);
	*ret_fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	assert_int_equal(connect(*ret_fd, (struct sockaddr *)&un, len), 0);
}

static void a_unix_datagram_has_its_destination(void **state)
{
	static const char *const names[] = { "@ctrace-abi-test", "/tmp/ctrace-abi-test" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int server = socket(AF_UNIX, SOCK_DGRAM, 0), other;
		char name[64];
		size_t len;

		snprintf(name, sizeof(name), "%s-%d", names[i], getpid());
		len = strlen(name);
		to.un = (struct sockaddr_un){ .sun_family = AF_UNIX };
		memcpy(to.un.sun_path, name, len);
		if (name[0] == '@')
			to.un.sun_path[0] = 0;
		to_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
		assert_int_equal(bind(server, &to.any, to_len), 0);
		sender = socket(AF_UNIX, SOCK_DGRAM, 0);
		connect_to_sender(&other);
		/* a path ends at its length, or at its first 0 */
		strcpy(to.un.sun_path + len, "rest");
		for (int k = 0; k < 2; k++) {
			const struct ct_rec *r = sent(k ? SYS_sendto : SYS_sendmsg);

			assert_int_equal(ct_send_dest(r), CT_DEST_UNIX);
			assert_true(ct_send_name(r) == ct_dest_name(name));
			if (name[0] == '@')
				break;
			to.un.sun_path[len] = 0;
			to_len = sizeof(to.un);
		}
		if (name[0] == '/')
			unlink(name);
		close(sender);
		close(server);
		close(other);
	}
}

static int listener;
static void tcp_serve(void)
{
	int fd = accept(listener, NULL, NULL);
	char c;

	said->ino = inode(fd);
	assert_true(read(fd, &c, 1) == 1);
}
static void tcp_ask(void)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	sa.sin_port = said->port;
	connect(fd, (struct sockaddr *)&sa, sizeof(sa));
	said->ino2 = inode(fd);
	usleep(SLEEP_US);
	assert_true(write(fd, "x", 1) == 1);
}

static void tcp_over_loopback(void **state)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct ct_object_blob *o, *far;
	socklen_t size = sizeof(sa);
	const struct event *s, *w;

	listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listen(listener, 1), 0);
	getsockname(listener, (struct sockaddr *)&sa, &size);
	said->port = sa.sin_port;
	run(tcp_serve, tcp_ask);
	s = waited(said->a, CT_W_ACCEPT, said->b, &w);
	assert_int_equal(s->r.obj, CT_OBJ_ID(CT_OBJ_SOCK, inode(listener)));
	assert_int_equal(w->r.state, CT_CTX_SOFTIRQ);
	if (!(w->r.flags & CT_WF_KTHREAD))
		assert_int_equal(w->r.nr, SYS_connect);
	s = waited(said->a, CT_W_READ, said->b, &w);
	assert_int_equal(s->r.obj, CT_OBJ_ID(CT_OBJ_SOCK, said->ino));
	assert_true(w->r.flags & CT_WF_READY);
	assert_int_equal(w->r.obj, s->r.obj);
	if (!(w->r.flags & CT_WF_KTHREAD))
		assert_int_equal(w->r.nr, SYS_write);
	o = object(s->r.obj);
	far = object(CT_OBJ_ID(CT_OBJ_SOCK, said->ino2));
	assert_non_null(o);
	assert_non_null(far);
	assert_int_equal(o->family, AF_INET);
	assert_int_equal(o->lport, ntohs(said->port));
	assert_int_equal(o->rport, far->lport);
	assert_int_equal(far->rport, o->lport);
	assert_memory_equal(o->raddr, far->laddr, 4);
	assert_int_not_equal(o->netns, 0);
	assert_int_equal(o->netns, far->netns);
	close(listener);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *mutex_owner(void *arg)
{
	pthread_mutex_lock(&mutex);
	said->b = gettid();
	usleep(2 * SLEEP_US);
	pthread_mutex_unlock(&mutex);
	usleep(SLEEP_US);
	return NULL;
}
static void mutex_waiter(void)
{
	pthread_t t;

	pthread_create(&t, NULL, mutex_owner, NULL);
	usleep(SLEEP_US);
	pthread_mutex_lock(&mutex);
	pthread_join(t, NULL);
}

static void mutex_and_join_have_owners(void **state)
{
	uint64_t lock;
	const struct event *s, *w, *f;

	run(mutex_waiter, NULL);
	lock = CT_OBJ_FUTEX_ID(said->a, (uintptr_t)&mutex);
	s = waited(said->a, CT_W_FUTEX, said->b, &w);
	assert_int_equal(s->r.obj, lock);
	assert_int_equal(w->r.obj, lock);
	f = find(CT_FUTEX, said->a, 0, NULL);
	assert_non_null(f);
	assert_int_equal(f->r.peer, said->b);
	assert_int_equal(f->r.obj, lock);
	assert_int_equal(f->x[0], (uintptr_t)&mutex);
	assert_int_equal(f->x[1] >> 32, 2);
	assert_int_equal(f->r.ts, s->r.ts);
	/* a waits in pthread_join(), on the futex that holds the tid of b. */
	f = find(CT_FUTEX, said->a, 0, w);
	assert_non_null(f);
	assert_int_equal(f->r.peer, said->b);
	assert_int_equal(f->x[1] >> 32, said->b);
}

static void poll_three(void)
{
	struct pollfd p[] = { { more[0][0], POLLIN, 0 }, { fds[0], POLLIN, 0 }, { more[1][0], POLLPRI, 0 } };

	poll(p, 3, 1000);
}
static void select_three(void)
{
	struct timeval tv = { 1, 0 };
	fd_set in, ex;

	FD_ZERO(&in);
	FD_ZERO(&ex);
	FD_SET(more[0][0], &in);
	FD_SET(fds[0], &in);
	FD_SET(100, &ex);
	dup2(more[1][0], 100);
	select(101, &in, NULL, &ex, &tv);
}

static void check_set(const int fd[3], const int event[3])
{
	const struct event *s, *w, *e = NULL;

	s = waited(said->a, CT_W_POLL, said->b, &w);
	assert_int_equal(s->r.obj, 0);
	assert_true(s->r.flags & CT_SF_TIMEOUT);
	assert_int_equal(w->r.obj, CT_OBJ_ID(CT_OBJ_PIPE, inode(fds[0])));
	for (size_t i = 0, n = 0; i < events.n; i++) {
		e = &events.v[i];
		if (e->r.kind != CT_WAITFD || e->r.tid != said->a)
			continue;
		assert_true(n < 3);
		assert_int_equal(e->r.peer, fd[n]);
		assert_int_equal(e->r.state, n);
		assert_int_equal(e->r.wait, 3);
		assert_int_equal(e->r.aux, event[n]);
		assert_int_equal(CT_OBJ_KIND(e->r.obj), CT_OBJ_PIPE);
		n++;
	}
	assert_non_null(e);
}

static void poll_and_select_name_their_set(void **state)
{
	assert_int_equal(pipe(fds) | pipe(more[0]) | pipe(more[1]), 0);
	run(poll_three, write_byte);
	check_set((int[]){ more[0][0], fds[0], more[1][0] }, (int[]){ POLLIN, POLLIN, POLLPRI });
	read_byte();
	run(select_three, write_byte);
	check_set((int[]){ fds[0], more[0][0], 100 }, (int[]){ POLLIN, POLLIN, POLLPRI });
	for (int i = 0; i < 2; i++) {
		close(fds[i]);
		close(more[0][i]);
		close(more[1][i]);
	}
}

static char lock_path[] = "/tmp/records_test.XXXXXX";
static void flock_wait(void)
{
	int fd = open(lock_path, O_RDWR | O_CLOEXEC);

	usleep(SLEEP_US / 2);
	flock(fd, LOCK_EX);
}
static void flock_hold(void)
{
	flock(fds[0], LOCK_UN);
}

static void flock_is_asked_for_and_granted(void **state)
{
	const struct event *s, *w, *l;

	fds[0] = mkstemp(lock_path);
	assert_true(fds[0] >= 0);
	assert_int_equal(flock(fds[0], LOCK_EX), 0);
	run(flock_wait, flock_hold);
	s = waited(said->a, CT_W_FLOCK, said->b, &w);
	assert_int_equal(CT_OBJ_KIND(s->r.obj), CT_OBJ_FILE);
	assert_int_equal(object(s->r.obj)->ino, inode(fds[0]));
	l = find(CT_FLOCK, said->a, 1, NULL);
	assert_non_null(l);
	assert_int_equal(l->r.obj, s->r.obj);
	assert_int_equal(l->r.peer, 1); /* the request has to wait */
	l = find(CT_FLOCK, said->a, 1, w);
	assert_non_null(l);
	assert_int_equal(l->r.peer, 0); /* the lock is granted */
	close(fds[0]);
	unlink(lock_path);
}

static void pause_forever(void)
{
	pause();
}
static void kill_it(void)
{
	kill(said->a, SIGTERM);
}

static void life_and_death(void **state)
{
	const struct event *e;

	run(pause_forever, kill_it);
	assert_non_null(find(CT_SWITCH, said->a, CT_W_SIGNAL, NULL));
	e = find(CT_SIGNAL, said->b, 0, NULL);
	assert_non_null(e);
	assert_int_equal(e->r.peer, said->a);
	assert_int_equal(e->r.state, SIGTERM);
	assert_int_equal(e->r.flags, CT_GF_FATAL | CT_GF_GROUP);
	assert_int_equal(e->r.nr, SYS_kill);
	e = find(CT_EXIT, said->a, 0, NULL);
	assert_non_null(e);
	assert_int_equal(e->r.peer, SIGTERM);
	assert_int_equal(e->r.flags, CT_LF_GROUP_DEAD);
	e = find(CT_FORK, getpid(), 0, NULL);
	assert_non_null(e);
	assert_int_equal(e->r.peer, said->a);
	assert_int_equal(e->r.flags, 0);
	e = find(CT_WAKE_NEW, said->a, 0, NULL);
	assert_non_null(e);
	assert_int_equal(e->r.peer, getpid());
}

static void nap(void)
{
	usleep(SLEEP_US);
}

static void timer_wakes_a_sleeper(void **state)
{
	const struct event *s, *w;

	run(nap, NULL);
	s = waited(said->a, CT_W_SLEEP, 0, &w);
	assert_true(s->r.flags & CT_SF_TIMEOUT);
	assert_int_equal(w->r.state, CT_CTX_TIMER);
	assert_int_equal(w->r.nr, CT_NR_NONE);
	assert_int_not_equal(w->r.obj, 0);
	assert_true(w->r.ts - s->r.ts >= SLEEP_US * 1000ULL);
}

static void iterators_tell_what_is_there(void **state)
{
	struct ct_iter_task t;
	const struct ct_rec *r;
	_cleanup_free_ void *buf = NULL;
	uint64_t member = 0;
	size_t size = 0;
	pid_t p;

	assert_int_equal(pipe(fds), 0);
	p = fork();
	if (!p) {
		struct epoll_event ev = { .events = EPOLLIN };
		int e = epoll_create1(0);

		epoll_ctl(e, EPOLL_CTL_ADD, fds[0], &ev);
		epoll_wait(e, &ev, 1, -1);
		_exit(0);
	}
	usleep(SLEEP_US);
	assert_int_equal(probe_read_task(probe, p, &t), 0);
	assert_int_equal(t.task.tgid, p);
	assert_int_equal(t.task.ppid, getpid());
	assert_int_equal(t.wait.wait, CT_W_EPOLL);
	assert_int_equal(t.wait.state, CT_ST_SLEEP);
	assert_false(t.wait.flags & CT_SF_TIMEOUT);
	assert_int_not_equal(t.n_kstack, 0);
	assert_true(t.task.h.ts - t.sched_since < 100 * SLEEP_US * 1000ULL);
	assert_int_equal(probe_read_files(probe, p, &buf, &size), 0);
	for (size_t at = 0; at < size;) {
		r = (const void *)((char *)buf + at);
		/* The child has inherited other epolls from this process. */
		if (r->kind == CT_EPMEMBER && ((const uint64_t *)(r + 1))[0] == t.wait.obj) {
			member = r->obj;
			assert_int_equal(r->peer, fds[0]);
		}
		at += CT_KIND_IS_BLOB(r->kind) ? ((const struct ct_blob *)r)->size
					       : sizeof(*r) + CT_KIND_WORDS(r->kind) * 8;
	}
	assert_int_equal(member, CT_OBJ_ID(CT_OBJ_PIPE, inode(fds[0])));
	kill(p, SIGKILL);
	waitpid(p, NULL, 0);
	assert_int_equal(probe_read_task(probe, p, &t), -ESRCH);
	close(fds[0]);
	close(fds[1]);
}

static void on_loss(void *arg, uint16_t cpu, enum ct_loss cause, uint64_t n, uint64_t first_ns,
		    uint64_t last_ns)
{
	*(uint64_t *)arg += n;
}

static void nothing_was_lost(void **state)
{
	uint64_t lost = 0;

	probe_losses(probe, on_loss, &lost);
	assert_int_equal(lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipe_has_reader_and_writer),
		cmocka_unit_test(unix_socket_has_peer_and_bytes),
		cmocka_unit_test(tcp_over_loopback),
		cmocka_unit_test(the_socket_that_ends_a_poll_is_named),
		cmocka_unit_test(an_inet_datagram_has_its_destination),
		cmocka_unit_test(a_unix_datagram_has_its_destination),
		cmocka_unit_test(mutex_and_join_have_owners),
		cmocka_unit_test(poll_and_select_name_their_set),
		cmocka_unit_test(flock_is_asked_for_and_granted),
		cmocka_unit_test(life_and_death),
		cmocka_unit_test(timer_wakes_a_sleeper),
		cmocka_unit_test(iterators_tell_what_is_there),
		cmocka_unit_test(nothing_was_lost),
	};
	struct probe_options opt = { .ring_bytes = 4 << 20, .hooks = "" };
	char err[PROBE_ERR_MAX] = "";
	int r;

	r = probe_open(&opt, &probe, err);
	if (r == -EPERM || r == -ENOENT) {
		printf("skipped: %s\n", err);
		return 77;
	}
	if (r) {
		fprintf(stderr, "%s\n", err);
		return 1;
	}
	said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	probe_free(probe);
	VEC_FREE(&events);
	VEC_FREE(&objects);
	return r;
}

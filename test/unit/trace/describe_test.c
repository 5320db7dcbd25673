// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "lib/cleanup.h"
#include "trace/words/call.h"
#include "trace/words/describe.h"
#include "trace/words/resource.h"

#define FUSE_MAGIC 0x65735546

static struct window_object objects[] = {
	{ .id = CT_OBJ_FUTEX_ID(7, 0x1000), .tid = 7, .name = "" },
	{ .id = CT_OBJ_ID(CT_OBJ_SOCK, 1),
	  .family = AF_INET,
	  .type = SOCK_STREAM,
	  .protocol = IPPROTO_TCP,
	  .state = 10,
	  .lport = 80,
	  .name = "" },
	{ .id = CT_OBJ_ID(CT_OBJ_SOCK, 2),
	  .family = AF_INET6,
	  .type = SOCK_DGRAM,
	  .lport = 53,
	  .laddr = { [15] = 1 },
	  .name = "" },
	{ .id = CT_OBJ_ID(CT_OBJ_SOCK, 3), .family = AF_UNIX, .name = "/run/x.sock" },
	{ .id = CT_OBJ_ID(CT_OBJ_SOCK, 4),
	  .family = AF_UNIX,
	  .ino = 4,
	  .peer = CT_OBJ_ID(CT_OBJ_SOCK, 3),
	  .name = "" },
	{ .id = CT_OBJ_ID(CT_OBJ_FILE, 5),
	  .fs_magic = FUSE_MAGIC,
	  .name = "/mnt/a\x1b[2J\xff\xc2\x9b\xc3\xa9" },
	{ .id = CT_OBJ_ID(CT_OBJ_FILE, 6), .ino = 66, .name = "" },
	{ .id = CT_OBJ_ID(CT_OBJ_CHARDEV, 7), .dev = 13 << 20 | 64, .name = "/dev/input/event0" },
	{ .id = CT_OBJ_ID(CT_OBJ_CHARDEV, 8), .dev = 1 << 20 | 3, .name = "/dev/null" },
};
static struct window_task tasks[] = { { .tid = 7, .tgid = 7, .comm = "sh" } };
static const struct window window = {
	.objects = objects, .n_objects = sizeof(objects) / sizeof(objects[0]), .tasks = tasks, .n_tasks = 1
};

static void expect(uint64_t id, const char *kind, const char *text)
{
	char buf[DESCRIBE_MAX];

	assert_int_equal(describe_object(&window, id, buf, sizeof(buf)), strlen(text));
	assert_string_equal(buf, text);
	assert_string_equal(resource_kind_word(resource_of_object(&window, id)), kind);
}

static void test_objects(void **state)
{
	expect(0, "unknown", "");
	expect(CT_OBJ_FUTEX_ID(7, 0x1000), "futex", "futex 0x1000 of pid 7");
	expect(CT_OBJ_FUTEX_ID(8, 0x2000), "futex", "futex 0x2000");
	expect(CT_OBJ_ID(CT_OBJ_SOCK, 1), "tcp", "tcp 0.0.0.0:80 (listening)");
	expect(CT_OBJ_ID(CT_OBJ_SOCK, 2), "udp", "udp [::1]:53->*");
	expect(CT_OBJ_ID(CT_OBJ_SOCK, 3), "unix", "unix /run/x.sock");
	expect(CT_OBJ_ID(CT_OBJ_SOCK, 4), "unix", "unix ->/run/x.sock");
	expect(CT_OBJ_ID(CT_OBJ_SOCK, 99), "unknown", "socket:[99]");
	expect(CT_OBJ_ID(CT_OBJ_SOCK, 1ULL << 58 | 5), "unknown", "socket not accepted yet");
	expect(CT_OBJ_ID(CT_OBJ_FILE, 5), "fuse", "/mnt/a\\x1b[2J\\xff\\u009b\xc3\xa9");
	expect(CT_OBJ_ID(CT_OBJ_FILE, 6), "disk", "file inode 66");
	expect(CT_OBJ_ID(CT_OBJ_CHARDEV, 7), "input", "/dev/input/event0");
	expect(CT_OBJ_ID(CT_OBJ_CHARDEV, 8), "unknown", "/dev/null");
	expect(CT_OBJ_ID(CT_OBJ_PIPE, 12), "pipe", "pipe:[12]");
	expect(CT_OBJ_ID(CT_OBJ_BLOCKDEV, 8 << 20 | 1), "disk", "disk 8:1");
	expect(CT_OBJ_ID(CT_OBJ_TASK, 7), "child", "pid 7 (sh)");
	expect(CT_OBJ_ID(CT_OBJ_TASK, 8), "child", "pid 8");
	expect(CT_OBJ_ID(CT_OBJ_EVENTFD, 0x10), "eventfd", "eventfd 10");
	expect(CT_OBJ_ID(31, 5), "unknown", "object 5");
}

static void test_short_buffers(void **state)
{
	char buf[8] = "unhurt!";

	assert_int_equal(describe_object(&window, CT_OBJ_ID(CT_OBJ_SOCK, 3), buf, 5), 16);
	assert_string_equal(buf, "unix");
	assert_int_equal(describe_object(&window, CT_OBJ_ID(CT_OBJ_SOCK, 3), buf, 1), 16);
	assert_string_equal(buf, "");
	assert_int_equal(describe_object(&window, CT_OBJ_ID(CT_OBJ_SOCK, 3), NULL, 0), 16);
	assert_int_equal(describe_clean("abc", NULL, 0), 3);
	assert_int_equal(describe_clean("ab\xc3\xa9", buf, 4), 4);
	assert_string_equal(buf, "ab");
}

static void test_resources(void **state)
{
	static const struct {
		uint16_t x86_64, arm64;
		enum resource_kind kind;
	} ipc[] = {
		{ 65, 193, RESOURCE_SEMAPHORE },  /* semop */
		{ 220, 192, RESOURCE_SEMAPHORE }, /* semtimedop */
		{ 69, 189, RESOURCE_QUEUE },      /* msgsnd */
		{ 70, 188, RESOURCE_QUEUE },      /* msgrcv */
		{ 242, 182, RESOURCE_QUEUE },     /* mq_timedsend */
		{ 243, 183, RESOURCE_QUEUE },     /* mq_timedreceive */
		{ 0, 63, RESOURCE_UNKNOWN },      /* read */
	};
	uint64_t file = CT_OBJ_ID(CT_OBJ_FILE, 6);

	assert_int_equal(resource_of_wait(&window, CT_W_FLOCK, CT_NR_NONE, file), RESOURCE_FILE_LOCK);
	assert_int_equal(resource_of_wait(&window, CT_W_READ, CT_NR_NONE, file), RESOURCE_DISK);
	assert_int_equal(resource_of_wait(&window, CT_W_SYNC, CT_NR_NONE, 0), RESOURCE_DISK);
	assert_int_equal(resource_of_wait(&window, CT_W_SYNC, CT_NR_NONE, CT_OBJ_ID(CT_OBJ_FILE, 5)),
			 RESOURCE_FUSE);
	assert_int_equal(resource_of_wait(&window, CT_W_SLEEP, CT_NR_NONE, 0), RESOURCE_TIMER);
	assert_int_equal(resource_of_wait(&window, CT_W_CHILD, CT_NR_NONE, 0), RESOURCE_CHILD);
	assert_int_equal(resource_of_wait(&window, CT_W_NONE, CT_NR_NONE, 0), RESOURCE_CPU);
	assert_int_equal(resource_of_wait(&window, CT_W_SYSVIPC, CT_NR_NONE, 0), RESOURCE_UNKNOWN);
	for (unsigned i = 0; i < ARRAY_SIZE(ipc); i++) {
		const struct window x86 = { .machine = MACHINE_X86_64 }, arm = { .machine = MACHINE_ARM64 };

		assert_int_equal(resource_of_wait(&x86, CT_W_SYSVIPC, ipc[i].x86_64, 0), ipc[i].kind);
		assert_int_equal(resource_of_wait(&arm, CT_W_SYSVIPC, ipc[i].arm64, 0), ipc[i].kind);
	}
	assert_int_equal(resource_of_wait(&window, (enum ct_wait)200, CT_NR_NONE, 0), RESOURCE_UNKNOWN);
}

static void test_resource_words(void **state)
{
	assert_string_equal(resource_kind_word(RESOURCE_NONE), "unknown");
	assert_string_equal(resource_kind_word(RESOURCE_KINDS), "unknown");
	for (unsigned i = RESOURCE_NONE + 2; i < RESOURCE_KINDS; i++)
		assert_true(strcmp(resource_kind_word((enum resource_kind)(i - 1)),
				   resource_kind_word((enum resource_kind)i)) < 0);
}

static enum call call_named(const char *name)
{
	static const char *const names[CALLS] = {
		[CALL_CLOSE] = "close",
		[CALL_EPOLL_PWAIT] = "epoll_pwait",
		[CALL_EPOLL_WAIT] = "epoll_wait",
		[CALL_EXECVE] = "execve",
		[CALL_EXIT_GROUP] = "exit_group",
		[CALL_MQ_TIMEDRECEIVE] = "mq_timedreceive",
		[CALL_MQ_TIMEDSEND] = "mq_timedsend",
		[CALL_MSGRCV] = "msgrcv",
		[CALL_MSGSND] = "msgsnd",
		[CALL_SEMOP] = "semop",
		[CALL_SEMTIMEDOP] = "semtimedop",
		[CALL_POLL] = "poll",
		[CALL_PPOLL] = "ppoll",
		[CALL_PSELECT6] = "pselect6",
		[CALL_SCHED_YIELD] = "sched_yield",
		[CALL_SELECT] = "select",
		[CALL_SHUTDOWN] = "shutdown",
	};

	for (unsigned i = CALL_OTHER + 1; name && i < CALLS; i++)
		if (!strcmp(names[i], name))
			return (enum call)i;
	return CALL_OTHER;
}

static void test_calls(void **state)
{
	for (unsigned nr = 0; nr <= CT_NR_NONE; nr++) {
		for (int m = MACHINE_THIS; m < MACHINE_OTHER; m++)
			assert_int_equal(call_of((enum machine)m, nr),
					 call_named(describe_syscall((enum machine)m, nr)));
		assert_int_equal(call_of(MACHINE_OTHER, nr), CALL_OTHER);
	}
}

static void test_words(void **state)
{
	assert_string_equal(describe_syscall(MACHINE_THIS, SYS_read), "read");
	assert_string_equal(describe_syscall(MACHINE_THIS, SYS_futex), "futex");
	assert_string_equal(describe_syscall(MACHINE_THIS, CT_NR_NONE), "");
	assert_null(describe_syscall(MACHINE_THIS, CT_NR_NONE - 1));
	for (unsigned k = 1; k < 64; k++)
		if (describe_record(k))
			assert_int_equal(describe_record_kind(describe_record(k)), k);
	assert_non_null(describe_record(CT_GAP));
	assert_null(describe_record(0));
	assert_int_equal(describe_record_kind(""), 0);
	assert_string_equal(describe_signal(9), "KILL");
	assert_null(describe_signal(0));
	assert_null(describe_signal(255));
	for (unsigned c = 0; c < CT_LOSS_CAUSES; c++)
		assert_string_not_equal(describe_loss(c), "unknown");
	assert_string_equal(describe_loss(CT_LOSS_CAUSES), "unknown");
	for (unsigned c = 0; c < CT_HANG_RULES; c++)
		assert_string_not_equal(describe_hang(c), "unknown");
	assert_string_equal(describe_hang(CT_HANG_RULES), "unknown");
	for (unsigned c = 0; c < CT_SHED_STEPS; c++)
		assert_string_not_equal(describe_shed(c), "unknown");
	assert_string_equal(describe_shed(CT_SHED_STEPS), "unknown");
	for (unsigned c = 0; c <= CT_FOUND_WAITED; c++)
		assert_string_not_equal(describe_found(c), "unknown");
	assert_string_equal(describe_found(CT_FOUND_WAITED + 1), "unknown");
	assert_string_equal(describe_state(CT_ST_DISK), "disk");
	assert_string_equal(describe_wait((enum ct_wait)200), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),   cmocka_unit_test(test_short_buffers),
		cmocka_unit_test(test_resources), cmocka_unit_test(test_resource_words),
		cmocka_unit_test(test_words),     cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

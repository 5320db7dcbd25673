/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "procfs/procqueue.h"

enum { QUESTIONS = 3, ANSWERS = 4, OTHER_QUESTIONS = 5, OTHER_ANSWERS = 6 };
enum { CLIENT = 100, OTHER_CLIENT = 101, SERVER = 200, OTHER_SERVER = 201 };

static struct procqueues queues(const struct procqueue *v, size_t n)
{
	struct procqueues q = { 0 };

	for (size_t i = 0; i < n; i++)
		assert_int_equal(VEC_PUSH(&q.v, v[i]), 0);
	return q;
}

static uint32_t server_of(const struct procqueue *v, size_t n, int32_t id)
{
	struct procqueues q = queues(v, n);
	uint32_t pid = procqueues_server(&q, id, CLIENT);

	procqueues_done(&q);
	return pid;
}

static void line(void **state)
{
	struct procqueue q = { .id = 7 };

	(void)state;
	assert_false(procqueue_parse("       key      msqid perms      cbytes       qnum lspid lrpid   uid\n",
				     &q));
	assert_false(procqueue_parse("", &q));
	assert_int_equal(q.id, 7);
	assert_true(
		procqueue_parse("-559038737      32771   600          56          1  4711  4712     0     0"
				"     0     0 1764606000 1764606000 1764605999\n",
				&q));
	assert_int_equal(q.id, 32771);
	assert_int_equal(q.sender, 4711);
	assert_int_equal(q.receiver, 4712);
}

/* Two servers have a queue for questions and a queue for answers each. */
static void two_servers(void **state)
{
	static const struct procqueue v[] = { { QUESTIONS, CLIENT, SERVER },
					      { ANSWERS, SERVER, CLIENT },
					      { OTHER_QUESTIONS, OTHER_CLIENT, OTHER_SERVER },
					      { OTHER_ANSWERS, OTHER_SERVER, OTHER_CLIENT } };
	static const struct procqueue turned[] = { { OTHER_ANSWERS, OTHER_SERVER, OTHER_CLIENT },
						   { OTHER_QUESTIONS, OTHER_CLIENT, OTHER_SERVER },
						   { ANSWERS, SERVER, CLIENT },
						   { QUESTIONS, CLIENT, SERVER } };

	(void)state;
	assert_int_equal(server_of(v, ARRAY_SIZE(v), ANSWERS), SERVER);
	assert_int_equal(server_of(turned, ARRAY_SIZE(turned), ANSWERS), SERVER);
	/* the client asked the other server nothing */
	assert_int_equal(server_of(v, ARRAY_SIZE(v), OTHER_ANSWERS), 0);
	assert_int_equal(server_of(v, ARRAY_SIZE(v), 9), 0);
}

static void no_server(void **state)
{
	static const struct procqueue consumes[] = { { ANSWERS, SERVER, CLIENT } };
	static const struct procqueue asked_by_another[] = { { QUESTIONS, OTHER_CLIENT, SERVER },
							     { ANSWERS, SERVER, CLIENT } };
	static const struct procqueue read_by_another[] = { { QUESTIONS, CLIENT, OTHER_SERVER },
							    { ANSWERS, SERVER, CLIENT } };
	static const struct procqueue never_answered[] = { { QUESTIONS, CLIENT, SERVER }, { ANSWERS, 0, 0 } };
	static const struct procqueue one_queue[] = { { ANSWERS, CLIENT, SERVER } };
	static const struct procqueue itself[] = { { QUESTIONS, CLIENT, CLIENT },
						   { ANSWERS, CLIENT, CLIENT } };

	(void)state;
	assert_int_equal(server_of(consumes, ARRAY_SIZE(consumes), ANSWERS), 0);
	assert_int_equal(server_of(asked_by_another, ARRAY_SIZE(asked_by_another), ANSWERS), 0);
	assert_int_equal(server_of(read_by_another, ARRAY_SIZE(read_by_another), ANSWERS), 0);
	assert_int_equal(server_of(never_answered, ARRAY_SIZE(never_answered), ANSWERS), 0);
	assert_int_equal(server_of(one_queue, ARRAY_SIZE(one_queue), ANSWERS), 0);
	assert_int_equal(server_of(itself, ARRAY_SIZE(itself), ANSWERS), 0);
}

static void reader(void **state)
{
	static const struct procqueue v[] = { { OTHER_QUESTIONS, CLIENT, OTHER_SERVER },
					      { QUESTIONS, CLIENT, SERVER },
					      { ANSWERS, CLIENT, CLIENT } };
	struct procqueues q = queues(v, ARRAY_SIZE(v));

	(void)state;
	assert_int_equal(procqueues_reader(&q, QUESTIONS, CLIENT), SERVER);
	assert_int_equal(procqueues_reader(&q, OTHER_QUESTIONS, CLIENT), OTHER_SERVER);
	assert_int_equal(procqueues_reader(&q, ANSWERS, CLIENT), 0);
	assert_int_equal(procqueues_reader(&q, 9, CLIENT), 0);
	procqueues_done(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line),
		cmocka_unit_test(two_servers),
		cmocka_unit_test(no_server),
		cmocka_unit_test(reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

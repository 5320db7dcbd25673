// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "daemon/inspect/polled_code.h"

#define START 0x1000

/* call sched_yield; mov 0x2f36(%rip),%eax; test %eax,%eax; je to the call */
static const uint8_t yield_loop[] = {
	0x90, 0xe8, 0x0b, 0x00, 0x00, 0x00, 0x8b, 0x05, 0x36, 0x2f, 0x00, 0x00,
	0x85, 0xc0, 0x74, 0xf1, 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90
};

static void test_relative(void **state)
{
	struct polled_operand o;

	assert_true(polled_operand(yield_loop, sizeof(yield_loop), 7, START, &o));
	assert_int_equal(o.base, POLLED_NO_REG);
	assert_int_equal(o.addr, START + 12 + 0x2f36);
	assert_int_equal(o.len, 4);
	assert_false(o.writes);
	assert_int_equal(o.load_to, POLLED_NO_REG);
	assert_false(polled_operand(yield_loop, sizeof(yield_loop), 13, START, &o));
}

/* The address is relative to the end of the instruction, which ends with the constant. */
static void test_constant(void **state)
{
	static const uint8_t cmp_byte[] = { 0x80, 0x3d, 0x10, 0x00, 0x00, 0x00, 0x01, 0x90 };
	static const uint8_t cmp_long[] = { 0x81, 0x3d, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00 };
	static const uint8_t mov_byte[] = { 0xc6, 0x05, 0x10, 0x00, 0x00, 0x00, 0x01, 0x90 };
	struct polled_operand o;

	assert_true(polled_operand(cmp_byte, sizeof(cmp_byte), 1, START, &o));
	assert_int_equal(o.addr, START + 7 + 0x10);
	assert_int_equal(o.len, 1);
	assert_false(o.writes);
	assert_true(polled_operand(cmp_long, sizeof(cmp_long), 1, START, &o));
	assert_int_equal(o.addr, START + 10 + 0x10);
	assert_int_equal(o.len, 4);
	assert_true(polled_operand(mov_byte, sizeof(mov_byte), 1, START, &o));
	assert_true(o.writes);
}

static void test_register(void **state)
{
	/* mov 0x18(%rbx),%eax; mov 0x0(%r13),%al; mov (%r12),%rax; mov 0x10(%rip),%r9 */
	static const uint8_t code[] = { 0x90, 0x8b, 0x43, 0x18, 0x41, 0x8a, 0x45, 0x00, 0x49, 0x8b, 0x04,
					0x24, 0x4c, 0x8b, 0x0d, 0x10, 0x00, 0x00, 0x00, 0x90, 0x90, 0x90 };
	struct polled_operand o;

	assert_true(polled_operand(code, sizeof(code), 2, START, &o));
	assert_int_equal(o.base, 3);
	assert_int_equal(o.disp, 0x18);
	assert_true(polled_operand(code, sizeof(code), 6, START, &o));
	assert_int_equal(o.base, 13);
	assert_int_equal(o.disp, 0);
	assert_int_equal(o.len, 1);
	assert_true(polled_operand(code, sizeof(code), 10, START, &o));
	assert_int_equal(o.base, 12);
	assert_int_equal(o.len, 8);
	assert_int_equal(o.load_to, 0);
	assert_true(polled_operand(code, sizeof(code), 14, START, &o));
	assert_int_equal(o.base, POLLED_NO_REG);
	assert_int_equal(o.load_to, 9);
}

static void test_sign_and_groups(void **state)
{
	/* movslq 0x10(%rip),%rax; mull 0x10(%rip); negl 0x10(%rip); testl $1,0x10(%rip). Bits 3 to 5 of the
	 * ModRM byte of testl have the value 1, which the CPU takes for testl too. Assemblers write 0. */
	static const uint8_t movslq[] = { 0x48, 0x63, 0x05, 0x10, 0x00, 0x00, 0x00, 0x90 };
	static const uint8_t mul[] = { 0xf7, 0x25, 0x10, 0x00, 0x00, 0x00, 0x90, 0x90 };
	static const uint8_t neg[] = { 0xf7, 0x1d, 0x10, 0x00, 0x00, 0x00, 0x90, 0x90 };
	static const uint8_t test1[] = { 0xf7, 0x0d, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x90 };
	struct polled_operand o;

	assert_true(polled_operand(movslq, sizeof(movslq), 2, START, &o));
	assert_int_equal(o.len, 4);
	assert_true(polled_operand(mul, sizeof(mul), 1, START, &o));
	assert_false(o.writes);
	assert_true(polled_operand(neg, sizeof(neg), 1, START, &o));
	assert_true(o.writes);
	assert_true(polled_operand(test1, sizeof(test1), 1, START, &o));
	assert_false(o.writes);
	assert_int_equal(o.addr, START + 10 + 0x10);
}

/* No byte outside the code is read. */
static void test_ends(void **state)
{
	uint8_t code[16];
	struct polled_operand o;
	size_t begin, end;
	uint64_t addr;
	bool pointer;

	for (unsigned byte = 0; byte < 256; byte++) {
		for (size_t i = 0; i < sizeof(code); i++)
			code[i] = (uint8_t)byte;
		for (size_t at = 0; at < sizeof(code); at++) {
			uint8_t *copy = malloc(sizeof(code) - at);

			for (size_t i = at; i < sizeof(code); i++)
				copy[i - at] = code[i];
			for (size_t k = 0; k < sizeof(code) - at; k++) {
				polled_operand(copy, sizeof(code) - at, k, START, &o);
				polled_call(copy, sizeof(code) - at, k, START, &addr, &pointer);
			}
			polled_loop(copy, sizeof(code) - at, 0, 0, 0, &begin, &end);
			free(copy);
		}
	}
	assert_false(polled_operand(yield_loop, 9, 7, START, &o));
}

static void test_loop(void **state)
{
	/* nop; inner: call; jne inner; jmp to the nop */
	static const uint8_t nested[] = { 0x90, 0xe8, 0, 0, 0, 0, 0x75, 0xf9, 0xeb, 0xf6, 0x90 };
	size_t begin = 99, end = 99;

	assert_true(polled_loop(yield_loop, sizeof(yield_loop), 6, 6, 0, &begin, &end));
	assert_int_equal(begin, 1);
	assert_int_equal(end, 16);
	assert_false(polled_loop(yield_loop, sizeof(yield_loop), 17, 17, 0, &begin, &end));
	assert_true(polled_loop(nested, sizeof(nested), 6, 6, 0, &begin, &end));
	assert_int_equal(begin, 1);
	assert_int_equal(end, 8);
	assert_true(polled_loop(nested, sizeof(nested), 6, 6, end - begin, &begin, &end));
	assert_int_equal(begin, 0);
	assert_int_equal(end, 10);
	assert_false(polled_loop(nested, sizeof(nested), 6, 6, end - begin, &begin, &end));
}

static void test_call(void **state)
{
	static const uint8_t plt[] = { 0xff, 0x25, 0x10, 0x00, 0x00, 0x00 };
	uint64_t addr;
	bool pointer;

	assert_true(polled_call(yield_loop, sizeof(yield_loop), 1, START, &addr, &pointer));
	assert_int_equal(addr, START + 6 + 0x0b);
	assert_false(pointer);
	assert_true(polled_call(plt, sizeof(plt), 0, START, &addr, &pointer));
	assert_int_equal(addr, START + 6 + 0x10);
	assert_true(pointer);
	assert_false(polled_call(yield_loop, sizeof(yield_loop), 0, START, &addr, &pointer));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_relative),
		cmocka_unit_test(test_constant),
		cmocka_unit_test(test_register),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_sign_and_groups),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

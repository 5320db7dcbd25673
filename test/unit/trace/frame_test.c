// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "trace/words/frame.h"

static const struct {
	const char *frame;
	bool kernel, address, rest, libc, lock, rwlock;
	size_t function_len;
} rows[] = {
	{ .frame = "main+0x1f (demo)", .function_len = 4 },
	{ .frame = "std::vector<int, A>::at(unsigned long)+0x0 (libx++.so.1)", .function_len = 38 },
	{ .frame = "operator+(X, X)+0x3 (demo)", .function_len = 15 },
	{ .frame = "k:futex_wait+0x60", .kernel = true, .function_len = 12 },
	{ .frame = "k:? (kernel addresses are hidden)", .kernel = true, .function_len = 33 },
	{ .frame = "0x12f0 (demo)", .address = true, .function_len = 13 },
	{ .frame = "... (the rest was left out)", .rest = true, .function_len = 27 },
	{ .frame = "poll+0x10 (libc.so.6)", .libc = true, .function_len = 4 },
	{ .frame = "0x99 (ld-linux-x86-64.so.2)", .address = true, .libc = true, .function_len = 27 },
	{ .frame = "poll+0x10 (libcurl.so.4)", .function_len = 4 },
	{ .frame = "pthread_mutex_lock+0x112 (libpthread-2.31.so)",
	  .libc = true,
	  .lock = true,
	  .function_len = 18 },
	{ .frame = "pthread_mutex_lock_all+0x1 (demo)", .function_len = 22 },
	{ .frame = "pthread_rwlock_wrlock+0x1 (libc.so.6)",
	  .libc = true,
	  .lock = true,
	  .rwlock = true,
	  .function_len = 21 },
	{ .frame = "__lll_lock_wait_private+0x1 (libc.so.6)",
	  .libc = true,
	  .lock = true,
	  .function_len = 23 },
	{ .frame = "my_pthread_rwlock_wrlock+0x1 (demo)", .function_len = 24 },
	{ .frame = "ObjectMonitor::EnterI+0x301 (libjvm.so)", .function_len = 21 },
	{ .frame = "ObjectMonitor::enter+0x268 (libjvm.so)", .lock = true, .function_len = 20 },
	{ .frame = "ObjectMonitor::wait+0x1a2 (libjvm.so)", .function_len = 19 },
	{ .frame = "<std::sys::sync::rwlock::futex::RwLock>::read_contended+0x124 (m)",
	  .lock = true,
	  .rwlock = true,
	  .function_len = 55 },
	{ .frame = "std::sys::unix::locks::futex_mutex::Mutex::lock_contended+0x1 (m)",
	  .lock = true,
	  .function_len = 57 },
	{ .frame = "my::Mutex::lock_contended+0x1 (m)", .function_len = 25 },
	{ .frame = "std::sys::sync::condvar::futex::Condvar::wait+0x5 (m)", .function_len = 45 },
	{ .frame = "", .function_len = 0 },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *f = rows[i].frame;

		print_message("%s\n", f);
		assert_int_equal(frame_is_kernel(f), rows[i].kernel);
		assert_int_equal(frame_is_address(f), rows[i].address);
		assert_int_equal(frame_is_rest(f), rows[i].rest);
		assert_int_equal(frame_is_libc(f), rows[i].libc);
		assert_int_equal(frame_is_lock(f), rows[i].lock);
		assert_int_equal(frame_is_rwlock(f), rows[i].rwlock);
		assert_int_equal(frame_function_len(f), rows[i].function_len);
	}
}

static void test_go(void **state)
{
	(void)state;
	assert_true(frame_is_go_runtime("runtime.semrelease1+0x1 (app)"));
	assert_true(frame_is_go_runtime("sync.(*Mutex).Unlock+0x1 (app)"));
	assert_true(frame_is_go_runtime("internal/sync.(*Mutex).Unlock+0x1 (app)"));
	assert_false(frame_is_go_runtime("main.sync+0x1 (app)"));
	assert_false(frame_is_go_runtime("syncer.Run+0x1 (app)"));
}

static void test_thaw(void **state)
{
	(void)state;
	assert_true(frame_waits_for_thaw("k:percpu_rwsem_wait+0x1", "k:mnt_want_write+0x1"));
	assert_true(frame_waits_for_thaw("k:__percpu_down_read+0x1", "k:__sb_start_write+0x1"));
	assert_false(frame_waits_for_thaw("k:percpu_rwsem_wait+0x1", "k:cgroup_attach_task+0x1"));
	assert_false(frame_waits_for_thaw("k:rwsem_down_read_slowpath+0x1", "k:mnt_want_write+0x1"));
	assert_false(frame_waits_for_thaw("percpu_rwsem_wait+0x1 (demo)", "k:mnt_want_write+0x1"));
	assert_false(frame_waits_for_thaw("k:percpu_rwsem_wait+0x1", "mnt_want_write+0x1 (demo)"));
}

static void test_directory(void **state)
{
	(void)state;
	assert_true(frame_locks_directory("k:iterate_dir+0x86"));
	assert_true(frame_locks_directory("k:do_mkdirat+0x13f"));
	assert_false(frame_locks_directory("k:fuse_iterate_dir+0x1"));
	assert_false(frame_locks_directory("iterate_dir+0x86 (demo)"));
	assert_false(frame_locks_directory("k:vfs_read+0x1"));
}

static void test_channel(void **state)
{
	(void)state;
	assert_true(frame_sends_to_channel("std::sync::mpmc::array::Channel<T>::send+0x1 (shop)"));
	assert_true(
		frame_sends_to_channel("std::sync::mpmc::array::Channel<T>::send::{{closure}}+0x1 (shop)"));
	assert_true(frame_sends_to_channel("<std::sync::mpmc::zero::Channel<shop::Job>>::send+0x1 (shop)"));
	assert_true(frame_sends_to_channel("crossbeam_channel::flavors::array::Channel<T>::send+0x1 (shop)"));
	assert_false(frame_sends_to_channel("std::sync::mpmc::array::Channel<T>::recv+0x1 (shop)"));
	assert_false(frame_sends_to_channel("std::sync::mpmc::list::Channel<T>::send+0x1 (shop)"));
	assert_false(frame_sends_to_channel("shop::Channel<T>::send+0x1 (shop)"));
}

static void test_fork(void **state)
{
	(void)state;
	assert_true(frame_retries_fork("sleep+0x1 (libc.so.6)", "make_child+0x1 (bash)"));
	assert_false(frame_retries_fork("sleep+0x1 (libc.so.6)", "make_child+0x1 (demo)"));
	assert_false(frame_retries_fork("sleep+0x1 (bash)", "make_child+0x1 (bash)"));
	assert_false(frame_retries_fork("fork+0x1 (libc.so.6)", "make_child+0x1 (bash)"));
	assert_false(frame_retries_fork("sleep+0x1 (libc.so.6)", "make_children+0x1 (bash)"));
}

static void test_function(void **state)
{
	(void)state;
	assert_true(frame_is_function("run+0x1 (demo)", "run"));
	assert_true(frame_is_function("run (demo)", "run"));
	assert_true(frame_is_function("run", "run"));
	assert_false(frame_is_function("run_all+0x1 (demo)", "run"));
	assert_false(frame_is_function("ru", "run"));
	assert_true(frame_is_function("k:run+0x1", "run"));
	assert_true(frame_is_function("k:run+0x1", "k:run"));
	assert_false(frame_is_function("run+0x1 (demo)", "k:run"));
}

static void test_same_function(void **state)
{
	(void)state;
	assert_true(frame_is_same_function("run+0x1 (demo)", "run+0x200 (demo)"));
	assert_false(frame_is_same_function("run+0x1 (demo)", "run_all+0x1 (demo)"));
	assert_false(frame_is_same_function("run+0x1 (demo)", "k:run+0x1"));
	assert_true(frame_is_same_function("0x10 (demo)", "0x10 (demo)"));
	assert_false(frame_is_same_function("0x10 (demo)", "0x10 (other)"));
	assert_false(frame_is_same_function("f(int, int)+0x1 (demo)", "f(int, char)+0x1 (demo)"));
}

static void test_own_code_and_libraries(void **state)
{
	static const struct {
		const char *frame;
		bool library, own;
	} cases[] = {
		{ "read+0x10 (libc.so.6)", true, false },
		{ "curl_multi_poll+0x35 (libcurl.so.4.8.0)", true, false },
		{ "0x1234 (libcurl.so)", true, false },
		{ "__vdso_clock_gettime+0x1 ([vdso])", true, false },
		{ "pthread_cond_wait+0x1 (libpthread-2.31.so)", true, false },
		{ "serve(int, (anonymous namespace)::X)+0x3 (web)", false, true },
		{ "serve+0x3 (web.sock)", false, true },
		{ "serve+0x3 (my.source)", false, true },
		{ "serve+0x3 (a.sofa.so.1)", true, false },
		{ "serve", false, true },
		{ "main+0x3 (web)", false, false },
		{ "main", false, false },
		{ "main_loop+0x3 (web)", false, true },
		{ "_start+0x25 (web)", false, false },
		{ "0x1234 (web)", false, false },
		{ "k:main+0x3", false, false },
		{ "k:read+0x3 (x.so)", false, false },
		{ "... (the rest was left out)", false, false },
		{ "", false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		print_message("%s\n", cases[i].frame);
		assert_int_equal(frame_is_library(cases[i].frame), cases[i].library);
		assert_int_equal(frame_is_own_code(cases[i].frame), cases[i].own);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_thaw),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_function),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_channel),
		cmocka_unit_test(test_same_function),
		cmocka_unit_test(test_own_code_and_libraries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

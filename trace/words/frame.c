// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/words/frame.h"

#include <string.h>

#include "ctrace/glibc.h"
#include "ctrace/jvm.h"
#include "ctrace/mariadb.h"
#include "ctrace/runtimes.h"
#include "lib/cleanup.h"

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool frame_is_kernel(const char *frame)
{
	return begins(frame, "k:");
}

bool frame_is_address(const char *frame)
{
	return begins(frame, "0x");
}

bool frame_is_rest(const char *frame)
{
	return begins(frame, "... (");
}

bool frame_is_libc(const char *frame)
{
	static const char *const files[] = { GLIBC_FRAME_FILES };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (strstr(frame, files[i]))
			return true;
	return false;
}

/* Returns the name of the file in "function+0x12 (file)", without the bracket before it. "" if there is none.
 */
static const char *file_of(const char *frame)
{
	const char *open = strrchr(frame, '(');

	return open ? open + 1 : "";
}

bool frame_is_library(const char *frame)
{
	const char *file = file_of(frame), *so = strstr(file, ".so");

	if (frame_is_kernel(frame) || frame_is_rest(frame))
		return false;
	while (so && so[3] != ')' && so[3] != '.')
		so = strstr(so + 1, ".so");
	return so || !strcmp(file, "[vdso])") || frame_is_libc(frame);
}

bool frame_is_own_code(const char *frame)
{
	return *frame && !frame_is_kernel(frame) && !frame_is_rest(frame) && !frame_is_address(frame) &&
	       !frame_is_library(frame) && !frame_is_function(frame, "main") &&
	       !frame_is_function(frame, "_start");
}

bool frame_is_lock(const char *frame)
{
	static const char *const functions[] = { GLIBC_LOCK_FUNCTIONS, HOTSPOT_LOCK_FUNCTION };
	static const char *const rust[] = { RUST_LOCK_FUNCTIONS };

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (begins(frame, functions[i]))
			return true;
	for (size_t i = 0; strstr(frame, RUST_LOCK_MODULE) && i < ARRAY_SIZE(rust); i++)
		if (strstr(frame, rust[i]))
			return true;
	return frame_is_metadata_lock(frame) || frame_is_innodb_lock(frame);
}

bool frame_is_go_runtime(const char *frame)
{
	return begins(frame, "runtime.") || begins(frame, "sync.") || begins(frame, "internal/sync.");
}

bool frame_is_rwlock(const char *frame)
{
	static const char *const rust[] = { RUST_RWLOCK_FUNCTIONS };

	for (size_t i = 0; strstr(frame, RUST_LOCK_MODULE) && i < ARRAY_SIZE(rust); i++)
		if (strstr(frame, rust[i]))
			return true;
	return begins(frame, GLIBC_RWLOCK_FUNCTIONS);
}

static bool is_mariadb(const char *frame)
{
	static const char *const files[] = { MARIADB_FILES };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (strstr(frame, files[i]))
			return true;
	return false;
}

bool frame_waits_for_class(const char *inner, const char *frame)
{
	static const char *const waits[] = { JVM_CLASS_WAITS };

	if (!strstr(frame, JVM_FILE) || !frame_is_function(frame, JVM_CLASS_FUNCTION))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		if (frame_is_function(inner, waits[i]))
			return true;
	return false;
}

bool frame_initializes_class(const char *frame)
{
	return strstr(frame, JVM_FILE) && frame_is_function(frame, JVM_CLASS_RUNS);
}

bool frame_is_metadata_lock(const char *frame)
{
	return is_mariadb(frame) && frame_is_function(frame, MARIADB_METADATA_FUNCTION);
}

bool frame_is_innodb_lock(const char *frame)
{
	static const char *const functions[] = { MARIADB_INNODB_FUNCTIONS };

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (is_mariadb(frame) && frame_is_function(frame, functions[i]))
			return true;
	return false;
}

static bool is_of_jvm(const char *frame, const char *const *functions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(frame, JVM_FILE) && frame_is_function(frame, functions[i]))
			return true;
	return false;
}

bool frame_is_java_monitor(const char *frame)
{
	static const char *const functions[] = { JVM_MONITOR_ENTERS };

	return is_of_jvm(frame, functions, ARRAY_SIZE(functions));
}

bool frame_is_java_sleep(const char *frame)
{
	static const char *const functions[] = { JVM_SLEEPS };

	return is_of_jvm(frame, functions, ARRAY_SIZE(functions));
}

bool frame_is_out_of_memory(const char *frame)
{
	/* mm/memcontrol.c; since Linux 6.11 mm/memcontrol-v1.c */
	return frame_is_function(frame, "k:mem_cgroup_oom_synchronize");
}

bool frame_waits_for_thaw(const char *inner, const char *frame)
{
	/* kernel/locking/percpu-rwsem.c; before Linux 5.6, only the second one */
	static const char *const waits[] = { "k:percpu_rwsem_wait", "k:__percpu_down_read" };
	/* fs/namespace.c, fs/super.c, include/linux/fs.h, and the functions into which the compiler puts
	 * the functions of include/linux/fs.h. They take no other lock of this kind. */
	static const char *const begins_write[] = { "k:mnt_want_write",     "k:mnt_want_write_file",
						    "k:__sb_start_write",   "k:sb_start_write",
						    "k:sb_start_pagefault", "k:sb_start_intwrite",
						    "k:vfs_write",          "k:vfs_iter_write",
						    "k:vfs_fallocate" };
	bool waiting = false, writes = false;

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		waiting |= frame_is_function(inner, waits[i]);
	for (size_t i = 0; i < ARRAY_SIZE(begins_write); i++)
		writes |= frame_is_function(frame, begins_write[i]);
	return waiting && writes;
}

bool frame_locks_directory(const char *frame)
{
	/* fs/readdir.c and fs/namei.c: these functions lock a directory for a call of its file system, and
	 * wait for no other lock of this kind. */
	static const char *const functions[] = { "k:iterate_dir",     "k:lookup_slow",  "k:open_last_lookups",
						 "k:filename_create", "k:do_unlinkat",  "k:do_rmdir",
						 "k:lock_rename",     "k:do_renameat2", "k:do_mkdirat",
						 "k:do_symlinkat",    "k:do_linkat",    "k:do_mknodat" };

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (frame_is_function(frame, functions[i]))
			return true;
	return false;
}

bool frame_sends_to_channel(const char *frame)
{
	static const char *const channels[] = { RUST_BOUNDED_CHANNELS };

	for (size_t i = 0; i < ARRAY_SIZE(channels); i++) {
		const char *type = strstr(frame, channels[i]),
			   *end = type ? strstr(type, RUST_CHANNEL_SEND) : NULL;

		if (end)
			return true;
	}
	return false;
}

bool frame_retries_fork(const char *inner, const char *frame)
{
	/* jobs.c of bash: make_child() sleeps only if fork() has failed with EAGAIN */
	return strstr(frame, " (bash)") && frame_is_function(frame, "make_child") && frame_is_libc(inner) &&
	       frame_is_function(inner, "sleep");
}

bool frame_is_function(const char *frame, const char *function)
{
	const char *rest;

	if (frame_is_kernel(frame) && !frame_is_kernel(function))
		frame += 2;
	if (!begins(frame, function))
		return false;
	rest = frame + strlen(function);
	return !*rest || begins(rest, "+0x") || begins(rest, " (");
}

size_t frame_function_len(const char *frame)
{
	const char *plus = strstr(frame, "+0x");

	return plus ? (size_t)(plus - frame) : strlen(frame);
}

bool frame_is_same_function(const char *a, const char *b)
{
	size_t n = frame_function_len(a);

	return n == frame_function_len(b) && !strncmp(a, b, n);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/stack/unwind_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"

struct unwind_elf_id unwind_elf_id(const struct stat *st)
{
	return (struct unwind_elf_id){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = (uint64_t)st->st_size,
		.mtime_ns = st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec,
		.ctime_ns = st->st_ctim.tv_sec * 1000000000LL + st->st_ctim.tv_nsec,
	};
}

static int elf_new(const struct elf_file *file, struct unwind_elf_id id, struct unwind_elf **ret)
{
	static uint64_t serial;
	struct unwind_elf *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->id = id;
	e->file = *file;
	e->serial = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
	*ret = e;
	return 0;
}

int unwind_elf_new(int fd, const struct stat *st, struct unwind_elf **ret)
{
	struct elf_file file;
	int r = elf_file_open(fd, (uint64_t)st->st_size, &file);

	return r ?: elf_new(&file, unwind_elf_id(st), ret);
}

int unwind_elf_new_image(const void *image, size_t size, struct unwind_elf **ret)
{
	struct elf_file file;
	int r = elf_file_open_image(image, size, &file);

	return r ?: elf_new(&file, (struct unwind_elf_id){ .size = size }, ret);
}

void unwind_elf_free(struct unwind_elf *e)
{
	if (!e)
		return;
	unwind_elf_detach(e);
	unwind_elf_free(e->debug);
	elf_functions_done(&e->functions);
	free(e->index);
	free(e);
}

void unwind_elf_detach(struct unwind_elf *e)
{
	if (e->debug)
		unwind_elf_detach(e->debug);
	if (e->file.fd >= 0)
		close(e->file.fd);
	e->file.fd = -1;
}

size_t unwind_elf_bytes(const struct unwind_elf *e)
{
	return (e->debug ? unwind_elf_bytes(e->debug) : 0) + sizeof(*e) +
	       e->functions.n * sizeof(e->functions.v[0]) + e->n_index * sizeof(e->index[0]);
}

/* Returns NULL if there is no debug file, or if it has changed since it was first opened. */
static struct unwind_elf *debug_get(struct unwind_elf *e)
{
	char path[64 + 2 * ELF_BUILD_ID_MAX] = "/usr/lib/debug/.build-id/";
	size_t n = strlen(path);
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (e->debug_looked && (!e->debug || e->debug->file.fd >= 0))
		return e->debug;
	for (unsigned i = 0; i < e->file.build_id_n; i++)
		n += (size_t)snprintf(path + n, sizeof(path) - n, i ? "%02x" : "%02x/", e->file.build_id[i]);
	snprintf(path + n, sizeof(path) - n, ".debug");
	if (e->file.build_id_n)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		struct unwind_elf_id id = unwind_elf_id(&st);

		if (!e->debug_looked) {
			if (!unwind_elf_new(fd, &st, &e->debug))
				TAKE_FD(fd);
		} else if (!memcmp(&id, &e->debug->id, sizeof(id))) {
			e->debug->file.fd = TAKE_FD(fd);
		}
	}
	e->debug_looked = true;
	return e->debug && e->debug->file.fd >= 0 ? e->debug : NULL;
}

int unwind_elf_function(struct unwind_elf *e, uint64_t vaddr, char name[ELF_NAME_MAX], uint64_t *ret_start)
{
	struct unwind_elf *debug;
	int r;

	r = elf_functions_find(&e->functions, &e->file, vaddr, name, ret_start);
	debug = r == -ENOENT ? debug_get(e) : NULL;
	return debug ? elf_functions_find(&debug->functions, &debug->file, vaddr, name, ret_start) : r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "elf/elf_symbols.h"

struct wanted {
	const char *name;
	struct elf_symbol found;
	unsigned n;
};

int elf_test_variable = 0x5eed;

static int file_open(int fd, struct elf_file *ret)
{
	struct stat st;

	return fstat(fd, &st) ? -errno : elf_file_open(fd, (uint64_t)st.st_size, ret);
}

static int look(void *arg, const struct elf_symbol *s)
{
	struct wanted *w = arg;

	if (!strcmp(s->name, w->name)) {
		w->found = *s;
		w->n++;
	}
	return 0;
}

static int stop_at_once(void *arg, const struct elf_symbol *s)
{
	return 7;
}

static int base_of(struct dl_phdr_info *info, size_t size, void *arg)
{
	*(uintptr_t *)arg = info->dlpi_addr;
	return 1;
}

static void itself(void **state)
{
	struct wanted function = { .name = "elf_file_open" }, variable = { .name = "elf_test_variable" },
		      none = { .name = "printf" };
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY);
	_cleanup_free_ void *section = NULL;
	struct elf_file e;
	uint8_t code[16];
	uintptr_t base = 0;
	struct elf_functions functions = { 0 };
	char name[ELF_NAME_MAX];
	uint64_t off, vaddr;
	Elf64_Shdr sh;
	int value;

	dl_iterate_phdr(base_of, &base);
	assert_int_equal(file_open(fd, &e), 0);
	assert_int_equal(elf_symbols_each(&e, look, &function), 0);
	assert_true(function.n >= 1);
	assert_int_equal(function.found.type, STT_FUNC);
	assert_int_equal(function.found.vaddr + base, (uintptr_t)elf_file_open);
	assert_int_equal(elf_file_read_vaddr(&e, function.found.vaddr, code, sizeof(code)), sizeof(code));
	assert_memory_equal(code, (void *)elf_file_open, sizeof(code));
	elf_symbols_each(&e, look, &variable);
	assert_int_equal(variable.found.type, STT_OBJECT);
	assert_int_equal(variable.found.size, sizeof(int));
	assert_int_equal(elf_file_offset(&e, variable.found.vaddr, &off), 0);
	assert_int_equal(pread(fd, &value, sizeof(value), (off_t)off), sizeof(value));
	assert_int_equal(value, 0x5eed);
	assert_int_equal(elf_file_vaddr(&e, off, &vaddr), 0);
	assert_int_equal(vaddr, variable.found.vaddr);
	assert_int_equal(elf_functions_find(&functions, &e, function.found.vaddr + 1, name, &vaddr), 0);
	assert_string_equal(name, "elf_file_open");
	assert_int_equal(vaddr, function.found.vaddr);
	assert_int_equal(elf_functions_find(&functions, &e, variable.found.vaddr, name, &vaddr), -ENOENT);
	elf_functions_done(&functions);
	elf_symbols_each(&e, look, &none);
	assert_int_equal(none.n, 0);
	assert_int_equal(elf_symbols_each(&e, stop_at_once, NULL), 7);
	assert_int_equal(elf_file_section(&e, ".comment", &sh), 0);
	assert_true(sh.sh_size > 3);
	assert_int_equal(elf_file_load(&e, sh.sh_offset, sh.sh_size, 1 << 16, &section), 0);
	assert_int_equal(elf_file_load(&e, sh.sh_offset, sh.sh_size, 3, &section), -EFBIG);
	assert_int_equal(elf_file_section(&e, ".nonsense", &sh), -ENOENT);
	assert_int_equal(elf_file_section(&e, ".bss", &sh), -ENOENT);
	assert_int_equal(elf_file_offset(&e, UINT64_MAX, &off), -ENOENT);
	assert_int_equal(elf_file_read_vaddr(&e, UINT64_MAX, code, 1), 0);
}

/* Whatever the file contains, each call must return, and must not overrun a buffer. */
static int read_all(int fd)
{
	struct elf_functions functions = { 0 };
	struct wanted w = { .name = "x" };
	char buf[64], name[ELF_NAME_MAX];
	struct elf_file e;
	uint64_t start;
	Elf64_Shdr sh;
	int r = file_open(fd, &e);

	if (r)
		return r;
	r = elf_symbols_each(&e, look, &w);
	(void)elf_file_section(&e, ".comment", &sh);
	(void)elf_functions_find(&functions, &e, 0x1000, name, &start);
	elf_functions_done(&functions);
	elf_file_read_vaddr(&e, 0x1000, buf, sizeof(buf));
	return r;
}

static void damaged(void **state)
{
	_cleanup_close_ int self = open("/proc/self/exe", O_RDONLY), fd = memfd_create("elf", 0);
	static uint8_t image[8 << 20];
	ssize_t n = read(self, image, sizeof(image));
	const Elf64_Ehdr *h = (const void *)image;
	unsigned refused = 0;

	assert_true(n > 4096 && n < (ssize_t)sizeof(image));
	assert_int_equal(write(fd, image, (size_t)n), n);
	assert_int_equal(read_all(fd), 0);
	for (size_t at = 0; at < sizeof(*h) + h->e_shnum * sizeof(Elf64_Shdr); at++) {
		size_t off = at < sizeof(*h) ? at : h->e_shoff + at - sizeof(*h);
		static const uint8_t flips[] = { 0xff, 0x80, 0x01 };

		for (size_t k = 0; k < ARRAY_SIZE(flips); k++) {
			uint8_t bad = image[off] ^ flips[k];

			assert_int_equal(pwrite(fd, &bad, 1, (off_t)off), 1);
			refused += read_all(fd) != 0;
		}
		assert_int_equal(pwrite(fd, &image[off], 1, (off_t)off), 1);
	}
	assert_true(refused > 50);
	for (ssize_t cut = n / 4096 * 4096; cut >= 0; cut -= 4096) {
		assert_int_equal(ftruncate(fd, cut), 0);
		assert_true(read_all(fd) < 0);
	}
}

static void many_tables(void **state)
{
	enum { TABLES = 64 };
	const char strings[] = "\0x";
	const Elf64_Sym syms[2] = { { 0 }, { .st_name = 1, .st_shndx = 1 } };
	Elf64_Shdr sections[1 + TABLES] = { { .sh_type = SHT_STRTAB, .sh_offset = 64, .sh_size = 3 } };
	const Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
			       .e_type = ET_DYN,
			       .e_phoff = 192,
			       .e_phentsize = sizeof(Elf64_Phdr),
			       .e_phnum = 1,
			       .e_shoff = 256,
			       .e_shentsize = sizeof(Elf64_Shdr),
			       .e_shnum = ARRAY_SIZE(sections) };
	const Elf64_Phdr load = { .p_type = PT_LOAD, .p_filesz = 64 };
	_cleanup_close_ int fd = memfd_create("elf", 0);
	struct wanted w = { .name = "x" };
	struct elf_file e;

	for (size_t i = 1; i < ARRAY_SIZE(sections); i++)
		sections[i] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
					    .sh_offset = 128,
					    .sh_size = sizeof(syms),
					    .sh_entsize = sizeof(syms[0]) };
	assert_int_equal(pwrite(fd, &h, sizeof(h), 0), sizeof(h));
	assert_int_equal(pwrite(fd, strings, sizeof(strings), 64), sizeof(strings));
	assert_int_equal(pwrite(fd, syms, sizeof(syms), 128), sizeof(syms));
	assert_int_equal(pwrite(fd, &load, sizeof(load), 192), sizeof(load));
	assert_int_equal(pwrite(fd, sections, sizeof(sections), 256), sizeof(sections));
	assert_int_equal(file_open(fd, &e), 0);
	assert_int_equal(elf_symbols_each(&e, look, &w), 0);
	assert_int_equal(w.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(itself),
		cmocka_unit_test(damaged),
		cmocka_unit_test(many_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

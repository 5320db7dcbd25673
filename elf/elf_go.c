// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/elf_go.h"

#include <string.h>

/* src/debug/buildinfo of Go: the section begins with a magic, the size of a pointer, and flags. Since
 * Go 1.18, a flag says that the version follows in the section itself. */
#define GO_SECTION     ".go.buildinfo"
#define GO_MAGIC       "\xff Go buildinf:"
#define GO_MAGIC_BYTES 14
#define GO_FLAGS_AT    15
#define GO_INLINE      0x02

bool elf_go_is(const struct elf_file *e)
{
	uint8_t head[GO_FLAGS_AT + 1];
	Elf64_Shdr sh;

	return !elf_file_section(e, GO_SECTION, &sh) &&
	       elf_file_read(e, sh.sh_offset, head, sizeof(head)) == (long)sizeof(head) &&
	       !memcmp(head, GO_MAGIC, GO_MAGIC_BYTES) && head[GO_FLAGS_AT] & GO_INLINE;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_go.h - tells programs that were built with Go. */
#ifndef CTRACE_ELF_ELF_GO_H
#define CTRACE_ELF_ELF_GO_H

#include "elf/elf_file.h"

/* Returns true if the program was built with Go 1.18 or later. Then its functions get their arguments in
 * registers (src/cmd/compile/abi-internal.md of Go). Earlier versions pass them on the stack. */
bool elf_go_is(const struct elf_file *e);

#endif

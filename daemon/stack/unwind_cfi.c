// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/stack/unwind_cfi.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/cursor.h"
#include "lib/vec.h"

#define REMEMBER_MAX  8
#define TABLE_AT_ONCE 64
#define FIRST_READ    512
#define INDEX_MAX     (4u << 20) /* bytes; a larger .eh_frame gets no index */

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint32_t ra_reg;
	uint8_t fde_enc;
	bool has_z, signal;
	struct cursor code;
};

static uint8_t cursor_u8(struct cursor *c)
{
	uint8_t v;

	cursor_read(c, &v, sizeof(v));
	return v;
}

static uint64_t cursor_le(struct cursor *c, unsigned n)
{
	uint64_t v = 0;

	cursor_read(c, &v, n);
	return v;
}

static uint64_t cursor_format(struct cursor *c, uint8_t enc)
{
	switch (enc & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return cursor_le(c, 8);
	case DW_EH_PE_uleb128:
		return cursor_varint(c);
	case DW_EH_PE_sleb128:
		return (uint64_t)cursor_sleb(c);
	case DW_EH_PE_udata2:
		return cursor_le(c, 2);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)cursor_le(c, 2);
	case DW_EH_PE_udata4:
		return cursor_le(c, 4);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)cursor_le(c, 4);
	default:
		c->bad = true;
		return 0;
	}
}

/* Finds the last FDE in .eh_frame_hdr that begins at vaddr or before it. -ENOENT: there is none, or
 * the table has another format. */
static int table_search(const struct unwind_elf *e, uint64_t vaddr, uint64_t *ret_fde)
{
	struct entry {
		int32_t loc, fde;
	} chunk[TABLE_AT_ONCE];
	uint8_t head[32];
	struct cursor c;
	uint64_t n, table, lo = 0, hi;
	uint8_t enc[4];
	long got;

	got = elf_file_read_vaddr(&e->file, e->file.eh_frame_hdr, head,
				  MIN(sizeof(head), e->file.eh_frame_hdr_bytes));
	c = cursor_init(head, got > 0 ? (size_t)got : 0);
	cursor_read(&c, enc, sizeof(enc));
	if (c.bad || enc[0] != 1 || enc[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return -ENOENT;
	cursor_format(&c, enc[1]);
	n = cursor_format(&c, enc[2]);
	if (c.bad)
		return -EBADMSG;
	table = e->file.eh_frame_hdr + (uint64_t)(c.p - head);
	hi = MIN(n, e->file.eh_frame_hdr_bytes / sizeof(struct entry));
	while (hi - lo > TABLE_AT_ONCE) {
		uint64_t mid = lo + (hi - lo) / 2;
		struct entry at;

		if (elf_file_read_vaddr(&e->file, table + mid * sizeof(at), &at, sizeof(at)) != sizeof(at))
			return -EBADMSG;
		if (e->file.eh_frame_hdr + (uint64_t)(int64_t)at.loc <= vaddr)
			lo = mid;
		else
			hi = mid;
	}
	got = elf_file_read_vaddr(&e->file, table + lo * sizeof(chunk[0]), chunk,
				  (hi - lo) * sizeof(chunk[0]));
	n = got > 0 ? (uint64_t)got / sizeof(chunk[0]) : 0;
	for (uint64_t i = n; i-- > 0;)
		if (e->file.eh_frame_hdr + (uint64_t)(int64_t)chunk[i].loc <= vaddr) {
			*ret_fde = e->file.eh_frame_hdr + (uint64_t)(int64_t)chunk[i].fde;
			return 0;
		}
	return -ENOENT;
}

static int entry_read(const struct unwind_elf *e, uint64_t vaddr, uint8_t *buf, size_t cap,
		      struct cursor *ret)
{
	size_t first = MIN(cap, (size_t)FIRST_READ);
	long got = elf_file_read_vaddr(&e->file, vaddr, buf, first);
	uint32_t len;

	if (got < 8)
		return -EBADMSG;
	memcpy(&len, buf, sizeof(len));
	if (len < 4 || len > cap - sizeof(len))
		return -EBADMSG;
	if (len + sizeof(len) > (size_t)got &&
	    elf_file_read_vaddr(&e->file, vaddr, buf, len + sizeof(len)) != (long)(len + sizeof(len)))
		return -EBADMSG;
	*ret = cursor_init(buf + sizeof(len), len);
	return 0;
}

static int cie_augmentation(struct cursor *c, const char *aug, struct cie *cie)
{
	uint64_t len = cursor_varint(c);
	const void *p = cursor_take(c, len);
	struct cursor a;

	if (!p)
		return -EBADMSG;
	a = cursor_init(p, len);
	for (aug++; *aug; aug++) {
		switch (*aug) {
		case 'R':
			cie->fde_enc = cursor_u8(&a);
			break;
		case 'L':
			cursor_u8(&a);
			break;
		case 'P':
			cursor_format(&a, cursor_u8(&a));
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* arm64: return addresses are signed with key B; the walk removes any signature */
			break;
		default:
			return a.bad ? -EBADMSG : 0;
		}
	}
	return a.bad ? -EBADMSG : 0;
}

static int cie_read(const struct unwind_elf *e, uint64_t vaddr, struct unwind_cfi_buf *buf, struct cie *cie)
{
	char aug[16] = "";
	struct cursor c;
	uint8_t version;
	int r = entry_read(e, vaddr, buf->cie, sizeof(buf->cie), &c);

	if (r)
		return r;
	*cie = (struct cie){ .fde_enc = DW_EH_PE_absptr };
	if (cursor_le(&c, 4) != 0)
		return -EBADMSG;
	version = cursor_u8(&c);
	if (version != 1 && version != 3)
		return -EBADMSG;
	for (unsigned i = 0; (aug[i] = (char)cursor_u8(&c)); i++)
		if (i + 2 >= sizeof(aug))
			return -EBADMSG;
	cie->code_align = cursor_varint(&c);
	cie->data_align = cursor_sleb(&c);
	cie->ra_reg = version == 1 ? cursor_u8(&c) : (uint32_t)MIN(cursor_varint(&c), (uint64_t)UINT32_MAX);
	cie->has_z = aug[0] == 'z';
	if (cie->has_z)
		r = cie_augmentation(&c, aug, cie);
	else if (aug[0])
		return -EBADMSG;
	cie->code = c;
	return r || c.bad || cie->ra_reg >= UNWIND_CFI_REGS ? -EBADMSG : 0;
}

static uint64_t fde_begin(const struct unwind_elf *e, uint8_t enc, uint64_t field, struct cursor *c)
{
	uint64_t begin = cursor_format(c, enc);

	switch (enc & 0x70) {
	case DW_EH_PE_absptr:
		return begin;
	case DW_EH_PE_pcrel:
		return begin + field;
	case DW_EH_PE_datarel:
		return begin + e->file.eh_frame_hdr;
	default:
		c->bad = true;
		return 0;
	}
}

/* Moves c to the instructions of the FDE. -ENOENT: vaddr is not in the FDE's range. */
static int fde_range(const struct unwind_elf *e, const struct cie *cie, uint64_t fde_vaddr,
		     const uint8_t *start, struct cursor *c, uint64_t vaddr, uint64_t *ret_begin)
{
	uint64_t begin = fde_begin(e, cie->fde_enc, fde_vaddr + (uint64_t)(c->p - start), c);
	uint64_t len = cursor_format(c, cie->fde_enc & 0x0f);

	if (cie->has_z)
		cursor_take(c, cursor_varint(c));
	if (c->bad)
		return -EBADMSG;
	*ret_begin = begin;
	return vaddr - begin < len ? 0 : -ENOENT;
}

static int index_cmp(const void *a, const void *b)
{
	const struct unwind_elf_fde *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int index_fill(struct unwind_elf *e, const uint8_t *bytes, size_t n, uint64_t vaddr,
		      struct unwind_cfi_buf *buf)
{
	struct cursor c = cursor_init(bytes, n);
	uint64_t cie_vaddr = 0;
	struct cie cie = { 0 };
	size_t cap = 0;

	while (c.left >= 8) {
		uint64_t at = vaddr + (uint64_t)(c.p - bytes), begin;
		uint32_t len = (uint32_t)cursor_le(&c, 4);
		const uint8_t *p = cursor_take(&c, len);
		struct cursor body = cursor_init(p, p ? len : 0);
		uint32_t back = (uint32_t)cursor_le(&body, 4);

		if (!len || !p || body.bad)
			break;
		if (!back)
			continue;
		if (cie_vaddr != at + 4 - back && cie_read(e, at + 4 - back, buf, &cie))
			continue;
		cie_vaddr = at + 4 - back;
		begin = fde_begin(e, cie.fde_enc, at + 8, &body);
		if (body.bad || begin - e->file.base > UINT32_MAX || at - e->file.base > UINT32_MAX)
			continue;
		if (vec_grow((void **)&e->index, &cap, e->n_index + 1, sizeof(*e->index)))
			return -ENOMEM;
		e->index[e->n_index++] = (struct unwind_elf_fde){ .begin = (uint32_t)(begin - e->file.base),
								  .fde = (uint32_t)(at - e->file.base) };
	}
	return 0;
}

static int index_build(struct unwind_elf *e, struct unwind_cfi_buf *buf)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	Elf64_Shdr sh;
	long got;
	int r;

	r = elf_file_section(&e->file, ".eh_frame", &sh);
	if (r)
		return r;
	if (!(sh.sh_flags & SHF_ALLOC))
		return -ENOENT;
	if (sh.sh_size > INDEX_MAX)
		return -EFBIG;
	bytes = malloc(sh.sh_size);
	if (!bytes)
		return -ENOMEM;
	got = elf_file_read_vaddr(&e->file, sh.sh_addr, bytes, sh.sh_size);
	r = index_fill(e, bytes, got > 0 ? (size_t)got : 0, sh.sh_addr, buf);
	if (r || !e->n_index) {
		free(TAKE_PTR(e->index));
		e->n_index = 0;
		return r ?: -ENOENT;
	}
	qsort(e->index, e->n_index, sizeof(*e->index), index_cmp);
	return 1;
}

static int index_search(struct unwind_elf *e, uint64_t vaddr, struct unwind_cfi_buf *buf, uint64_t *ret_fde)
{
	size_t n;

	if (!e->index_state)
		e->index_state = index_build(e, buf);
	if (e->index_state < 0)
		return -ENOENT;
	n = BISECT(i, 0, e->n_index, e->file.base + e->index[i].begin > vaddr);
	if (!n)
		return -ENOENT;
	*ret_fde = e->file.base + e->index[n - 1].fde;
	return 0;
}

struct machine {
	const struct cie *cie;
	struct unwind_cfi_row row, initial;
	struct unwind_cfi_row remembered[REMEMBER_MAX];
	unsigned n_remembered;
	uint64_t loc, target;
	bool past;
};

static void rule_set(struct machine *m, uint64_t reg, enum unwind_cfi_how how, int64_t off)
{
	/* a walk does not need registers with higher numbers, such as vector registers */
	if (reg < UNWIND_CFI_REGS)
		m->row.regs[reg] = (struct unwind_cfi_rule){ .how = how, .off = off };
}

static void rule_expr(struct machine *m, struct cursor *c, enum unwind_cfi_how how)
{
	uint64_t reg = cursor_varint(c), len = cursor_varint(c);
	const uint8_t *p = cursor_take(c, len);

	if (p && reg < UNWIND_CFI_REGS)
		m->row.regs[reg] =
			(struct unwind_cfi_rule){ .how = how, .expr = p, .expr_len = (uint32_t)len };
}

static void rule_restore(struct machine *m, uint64_t reg)
{
	if (reg < UNWIND_CFI_REGS)
		m->row.regs[reg] = m->initial.regs[reg];
}

static void cfa_set(struct machine *m, uint64_t reg, int64_t off)
{
	m->row.cfa_is_expr = 0;
	m->row.cfa_reg = reg;
	m->row.cfa_off = off;
}

static void advance(struct machine *m, uint64_t delta)
{
	m->loc += delta * m->cie->code_align;
	m->past = m->loc > m->target;
}

static int cfa_expr(struct machine *m, struct cursor *c)
{
	uint64_t len = cursor_varint(c);

	m->row.cfa_is_expr = 1;
	m->row.cfa_expr_len = (uint32_t)len;
	m->row.cfa_expr = cursor_take(c, len);
	return m->row.cfa_expr ? 0 : -EBADMSG;
}

static int execute_extended(struct machine *m, uint8_t op, struct cursor *c)
{
	int64_t align = m->cie->data_align;
	uint64_t reg;

	switch (op) {
	case DW_CFA_nop:
		return 0;
	case DW_CFA_advance_loc1:
		advance(m, cursor_le(c, 1));
		return 0;
	case DW_CFA_advance_loc2:
		advance(m, cursor_le(c, 2));
		return 0;
	case DW_CFA_advance_loc4:
		advance(m, cursor_le(c, 4));
		return 0;
	case DW_CFA_offset_extended:
		reg = cursor_varint(c);
		rule_set(m, reg, UNWIND_CFI_AT_CFA, (int64_t)(cursor_varint(c) * (uint64_t)align));
		return 0;
	case DW_CFA_offset_extended_sf:
		reg = cursor_varint(c);
		rule_set(m, reg, UNWIND_CFI_AT_CFA, (int64_t)((uint64_t)cursor_sleb(c) * (uint64_t)align));
		return 0;
	case DW_CFA_GNU_negative_offset_extended:
		reg = cursor_varint(c);
		rule_set(m, reg, UNWIND_CFI_AT_CFA, (int64_t)(-cursor_varint(c) * (uint64_t)align));
		return 0;
	case DW_CFA_val_offset:
		reg = cursor_varint(c);
		rule_set(m, reg, UNWIND_CFI_CFA, (int64_t)(cursor_varint(c) * (uint64_t)align));
		return 0;
	case DW_CFA_val_offset_sf:
		reg = cursor_varint(c);
		rule_set(m, reg, UNWIND_CFI_CFA, (int64_t)((uint64_t)cursor_sleb(c) * (uint64_t)align));
		return 0;
	case DW_CFA_restore_extended:
		rule_restore(m, cursor_varint(c));
		return 0;
	case DW_CFA_undefined:
		rule_set(m, cursor_varint(c), UNWIND_CFI_UNDEFINED, 0);
		return 0;
	case DW_CFA_same_value:
		rule_set(m, cursor_varint(c), UNWIND_CFI_SAME, 0);
		return 0;
	case DW_CFA_register:
		reg = cursor_varint(c);
		rule_set(m, reg, UNWIND_CFI_REGISTER, (int64_t)cursor_varint(c));
		return 0;
	case DW_CFA_remember_state:
		if (m->n_remembered == REMEMBER_MAX)
			return -EBADMSG;
		m->remembered[m->n_remembered++] = m->row;
		return 0;
	case DW_CFA_restore_state:
		if (!m->n_remembered)
			return -EBADMSG;
		m->row = m->remembered[--m->n_remembered];
		return 0;
	case DW_CFA_def_cfa:
		reg = cursor_varint(c);
		cfa_set(m, reg, (int64_t)cursor_varint(c));
		return 0;
	case DW_CFA_def_cfa_sf:
		reg = cursor_varint(c);
		cfa_set(m, reg, (int64_t)((uint64_t)cursor_sleb(c) * (uint64_t)align));
		return 0;
	case DW_CFA_def_cfa_register:
		cfa_set(m, cursor_varint(c), m->row.cfa_off);
		return 0;
	case DW_CFA_def_cfa_offset:
		cfa_set(m, m->row.cfa_reg, (int64_t)cursor_varint(c));
		return 0;
	case DW_CFA_def_cfa_offset_sf:
		cfa_set(m, m->row.cfa_reg, (int64_t)((uint64_t)cursor_sleb(c) * (uint64_t)align));
		return 0;
	case DW_CFA_def_cfa_expression:
		return cfa_expr(m, c);
	case DW_CFA_expression:
		rule_expr(m, c, UNWIND_CFI_AT_EXPR);
		return 0;
	case DW_CFA_val_expression:
		rule_expr(m, c, UNWIND_CFI_EXPR);
		return 0;
	case DW_CFA_GNU_args_size:
		cursor_varint(c);
		return 0;
	/* arm64: signing of the return address begins or ends; the walk removes any signature */
	case DW_CFA_GNU_window_save:
		return 0;
	default:
		return -EBADMSG;
	}
}

static int execute(struct machine *m, struct cursor c)
{
	while (c.left && !m->past) {
		uint8_t op = cursor_u8(&c), low = op & 0x3f;
		int r = 0;

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			advance(m, low);
			break;
		case DW_CFA_offset:
			rule_set(m, low, UNWIND_CFI_AT_CFA,
				 (int64_t)(cursor_varint(&c) * (uint64_t)m->cie->data_align));
			break;
		case DW_CFA_restore:
			rule_restore(m, low);
			break;
		default:
			r = execute_extended(m, op, &c);
		}
		if (r || c.bad)
			return -EBADMSG;
	}
	return 0;
}

int unwind_cfi_find(struct unwind_elf *e, uint64_t vaddr, struct unwind_cfi_buf *buf, struct unwind_cfi *ret)
{
	struct machine m = { .target = vaddr };
	uint64_t fde_vaddr, begin;
	struct cursor c;
	struct cie cie;
	uint32_t back;
	int r;

	r = e->file.eh_frame_hdr ? table_search(e, vaddr, &fde_vaddr)
				 : index_search(e, vaddr, buf, &fde_vaddr);
	if (r)
		return r;
	r = entry_read(e, fde_vaddr, buf->fde, sizeof(buf->fde), &c);
	if (r)
		return r;
	back = (uint32_t)cursor_le(&c, 4);
	if (!back)
		return -EBADMSG;
	r = cie_read(e, fde_vaddr + 4 - back, buf, &cie);
	if (r)
		return r;
	r = fde_range(e, &cie, fde_vaddr, buf->fde, &c, vaddr, &begin);
	if (r)
		return r;
	m.cie = &cie;
	m.loc = begin;
	r = execute(&m, cie.code);
	if (r)
		return r;
	m.initial = m.row;
	r = execute(&m, c);
	if (r)
		return r;
	ret->row = m.row;
	ret->ra_reg = cie.ra_reg;
	ret->signal_frame = cie.signal;
	return 0;
}

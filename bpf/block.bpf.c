/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block.bpf.c - records when requests to block devices are issued and completed. */
#include "object.h"

#define REQ_OP_MASK 0xff
/* If one of these low bits of page->mapping is set, the page belongs to no file. */
#define PAGE_MAPPING_LOW 3

static __always_inline __u8 block_op(__u32 flags)
{
	__u32 op = flags & REQ_OP_MASK;

	return op <= 3 ? op : 4; /* 0 to 3 are as in CT_BLK_ISSUE; 4 is any other operation */
}

static __always_inline __u32 block_dev(struct request *rq)
{
	struct block_device *part = BPF_CORE_READ(rq, part);
	struct request___old *old = (void *)rq;
	struct gendisk *disk;

	if (part) /* NULL if the kernel does not account the request */
		return BPF_CORE_READ(part, bd_dev);
	if (bpf_core_field_exists(old->rq_disk))
		disk = BPF_CORE_READ(old, rq_disk);
	else
		disk = BPF_CORE_READ(rq, q, disk);
	return disk ? BPF_CORE_READ(disk, part0, bd_dev) : 0;
}

static __always_inline __u64 block_file(struct request *rq)
{
	struct bio_vec *vec = BPF_CORE_READ(rq, bio, bi_io_vec);
	struct page *page;
	struct inode *host;
	__u64 head, mapping;

	if (!vec || !BPF_CORE_READ(rq, bio, bi_vcnt))
		return 0;
	page = BPF_CORE_READ(vec, bv_page);
	head = BPF_CORE_READ(page, compound_head);
	if (head & 1)
		page = (void *)(head - 1);
	mapping = RD_NUM(page, mapping);
	if (!mapping || mapping & PAGE_MAPPING_LOW)
		return 0;
	host = BPF_CORE_READ((struct address_space *)mapping, host);
	/* A page of the block device itself has data of the file system, such as a directory. */
	if (!host || (BPF_CORE_READ(host, i_mode) & S_IFMT) != S_IFREG)
		return 0;
	return object_hash_id(CT_OBJ_FILE, host);
}

static __always_inline int block_emit(__u8 kind, struct request *rq, __u32 bytes)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	__u64 now = bpf_ktime_get_boot_ns();
	struct cpu *c = emit_cpu();
	struct emit_rec2 *r;
	__u64 file;
	__u32 dev;

	if (!c)
		return 0;
	file = block_file(rq);
	dev = block_dev(rq);
	r = emit_rec2(c, kind, now);
	if (!r)
		return 0;
	r->r.tid = cur->pid;
	r->r.peer = bytes;
	r->r.state = block_op(rq->cmd_flags);
	r->r.obj = CT_OBJ_ID(CT_OBJ_BLOCKDEV, dev);
	r->x[0] = rq->__sector;
	r->x[1] = file;
	emit_submit(r, now);
	govern_ran(c, GOVERN_OTHER, now);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int ct_block_issue(__u64 *ctx)
{
	struct request *rq = (void *)ctx[0];

	return block_emit(CT_BLK_ISSUE, rq, rq->__data_len);
}

SEC("tp_btf/block_rq_complete")
int ct_block_done(__u64 *ctx)
{
	return block_emit(CT_BLK_DONE, (void *)ctx[0], ctx[2]);
}

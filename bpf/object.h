/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object.h - finds the file of a descriptor, and the id of its object. The functions only read kernel
 * memory, so any program may call them, under any lock. */
#ifndef CTRACE_BPF_OBJECT_H
#define CTRACE_BPF_OBJECT_H

#include "compat.h"
#include "emit.h"

#define S_IFMT   0170000
#define S_IFSOCK 0140000
#define S_IFREG  0100000
#define S_IFBLK  0060000
#define S_IFDIR  0040000
#define S_IFCHR  0020000
#define S_IFIFO  0010000

#define PIPEFS_MAGIC        0x50495045
#define SOCKFS_MAGIC        0x534f434b
#define ANON_INODE_FS_MAGIC 0x09041934
#define PID_FS_MAGIC        0x50494446

#define AF_UNIX  1
#define AF_INET  2
#define AF_INET6 10

#define TCP_ESTABLISHED 1
#define TCP_LISTEN      10

#define OBJECT_DEV_MAJOR(dev) ((dev) >> 20)
#define OBJECT_FUSE_DEV       (10U << 20 | 229)
#define OBJECT_PTMX_DEV       (5U << 20 | 2)

struct object {
	__u64 id;
	struct file *file; /* at least one of file and sk is set */
	struct inode *inode;
	struct sock *sk;
	__u32 sig;
	__u32 tid;
};

/* A cache of the kinds of anonymous inodes: (address of the file operations) << 16 | CT_OBJ_*. */
__u64 ct_anon_kinds[16] __weak = {};

/* BPF has no memcmp(). Each string has OBJECT_ANON bytes, and ends in zeros. */
#define OBJECT_ANON 16
static __always_inline bool object_is(const char *name, const char *s)
{
	__u64 a[2], b[2];

	__builtin_memcpy(a, name, sizeof(a));
	__builtin_memcpy(b, s, sizeof(b));
	return a[0] == b[0] && a[1] == b[1];
}
#define OBJECT_IS(name, s) object_is(name, (const char[OBJECT_ANON]){ s })

static __noinline __u32 object_anon_learn(struct file *f, __u64 fop)
{
	char name[OBJECT_ANON] = {};
	__u32 kind = CT_OBJ_ANON;

	bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(f, f_path.dentry, d_name.name));
	if (OBJECT_IS(name, "[eventfd]"))
		kind = CT_OBJ_EVENTFD;
	else if (OBJECT_IS(name, "[eventpoll]"))
		kind = CT_OBJ_EPOLL;
	else if (OBJECT_IS(name, "[timerfd]"))
		kind = CT_OBJ_TIMERFD;
	else if (OBJECT_IS(name, "[signalfd]"))
		kind = CT_OBJ_SIGNALFD;
	else if (OBJECT_IS(name, "inotify"))
		kind = CT_OBJ_INOTIFY;
	else if (OBJECT_IS(name, "[io_uring]"))
		kind = CT_OBJ_URING;
	else if (OBJECT_IS(name, "[pidfd]"))
		kind = CT_OBJ_PIDFD;
	ct_anon_kinds[(fop >> 7) & 15] = fop << 16 | kind;
	return kind;
}

static __always_inline __u32 object_anon_kind(struct file *f)
{
	__u64 fop = RD_NUM(f, f_op);
	__u64 known = ct_anon_kinds[(fop >> 7) & 15];

	return known >> 16 == fop << 16 >> 16 ? known & 0xff : object_anon_learn(f, fop);
}

/* A socket that is closed, or not accepted yet, has no inode. Then its id is made from the address sk. The
 * verifier forbids this if the caller has read sk with RD(). Read it with RD_NUM() or BPF_CORE_READ(). */
static __always_inline __u64 object_sock_id(struct sock *sk)
{
	struct socket *s = RD(sk, sk_socket);
	struct inode *inode;

	if (!s)
		return CT_OBJ_ID(CT_OBJ_SOCK, ((__u64)sk & (CT_OBJ_NOT_ACCEPTED - 1)) | CT_OBJ_NOT_ACCEPTED);
	inode = (void *)s + bpf_core_field_offset(struct socket_alloc, vfs_inode);
	return CT_OBJ_ID(CT_OBJ_SOCK, RD(inode, i_ino));
}

static __always_inline void object_of_sock(struct object *o, struct sock *sk)
{
	o->sk = sk;
	o->sig = RD(sk, __sk_common.skc_state);
}

static __always_inline __u64 object_hash_id(__u32 kind, struct inode *inode)
{
	struct super_block *sb = RD(inode, i_sb);

	return CT_OBJ_ID(kind, CT_OBJ_HASH(RD(sb, s_dev), RD(inode, i_ino)));
}

/* The id of a pseudo terminal's master side is made from the id of its slave side. */
static __always_inline __u64 object_ptmx_id(struct file *f)
{
	struct tty_file_private *p = (void *)RD_NUM(f, private_data);
	struct tty_struct *tty = p ? (void *)RD_NUM(p, tty) : NULL;
	struct tty_struct *slave = tty ? (void *)RD_NUM(tty, link) : NULL;
	struct dentry *d = slave ? (void *)RD_NUM(slave, driver_data) : NULL;
	struct inode *inode = d ? (void *)RD_NUM(d, d_inode) : NULL;

	return inode ? object_hash_id(CT_OBJ_TTY, inode) ^ CT_OBJ_PTY_MASTER : 0;
}

static __always_inline __u64 object_chardev_id(struct file *f, struct inode *inode)
{
	__u32 rdev = RD(inode, i_rdev);
	__u32 major = OBJECT_DEV_MAJOR(rdev);
	__u64 pty = rdev == OBJECT_PTMX_DEV ? object_ptmx_id(f) : 0;

	if (rdev == OBJECT_FUSE_DEV)
		return CT_OBJ_ID(CT_OBJ_FUSEDEV, RD_NUM(f, private_data));
	if (pty)
		return pty;
	if (major == 4 || major == 5 || (major >= 136 && major <= 143))
		return object_hash_id(CT_OBJ_TTY, inode);
	return object_hash_id(CT_OBJ_CHARDEV, inode);
}

static __always_inline __u64 object_special_id(struct file *f, struct inode *inode, unsigned long magic)
{
	if (magic == ANON_INODE_FS_MAGIC)
		return CT_OBJ_ID(object_anon_kind(f), RD_NUM(f, private_data));
	if (magic == PID_FS_MAGIC) /* pidfds since 6.9 */
		return CT_OBJ_ID(CT_OBJ_PIDFD, RD_NUM(inode, i_private));
	if (magic == PIPEFS_MAGIC)
		return CT_OBJ_ID(CT_OBJ_PIPE, RD(inode, i_ino));
	return 0;
}

static __always_inline void object_find(struct object *o)
{
	struct file *f = o->file;
	struct inode *inode;
	struct super_block *sb;
	unsigned long magic;
	struct socket *s;
	__u32 fmt;

	inode = (void *)RD_NUM(f, f_inode);
	fmt = RD(inode, i_mode) & S_IFMT;
	sb = RD(inode, i_sb);
	magic = RD(sb, s_magic);
	o->inode = inode;
	o->sk = NULL;
	o->sig = 0;
	if (fmt == S_IFSOCK && magic == SOCKFS_MAGIC) {
		s = (void *)inode - bpf_core_field_offset(struct socket_alloc, vfs_inode);
		o->id = CT_OBJ_ID(CT_OBJ_SOCK, RD(inode, i_ino));
		object_of_sock(o, (void *)RD_NUM(s, sk));
		return;
	}
	o->id = object_special_id(f, inode, magic);
	if (o->id)
		return;
	/* The kernel reuses the inode number of a deleted file, with another generation. */
	o->sig = RD(inode, i_generation);
	switch (fmt) {
	case S_IFDIR:
		o->id = object_hash_id(CT_OBJ_DIR, inode);
		break;
	case S_IFBLK:
		o->id = CT_OBJ_ID(CT_OBJ_BLOCKDEV, RD(inode, i_rdev));
		break;
	case S_IFCHR:
		o->id = object_chardev_id(f, inode);
		break;
	case S_IFIFO:
		o->id = object_hash_id(CT_OBJ_FIFO, inode);
		break;
	default:
		o->id = object_hash_id(CT_OBJ_FILE, inode);
	}
}

__weak int ct_object_of_file(struct object *o)
{
	if (o && o->file)
		object_find(o);
	return 0;
}

static __always_inline struct file *object_fd_file(struct task_struct *t, __u32 fd)
{
	struct files_struct *files = (void *)RD_NUM(t, files);
	struct fdtable *fdt = files ? RD(files, fdt) : NULL;

	if (!fdt || fd >= RD(fdt, max_fds))
		return NULL;
	return (void *)rd_num(RD(fdt, fd) + fd);
}

/* t must be the current task. */
static __always_inline struct file *object_own_file(struct task_struct *t, __u32 fd)
{
	struct fdtable *fdt;

	t = task_plain(t);
	if (!t->files)
		return NULL;
	fdt = t->files->fdt;
	if (!fdt || fd >= fdt->max_fds)
		return NULL;
	return (void *)rd_num(fdt->fd + fd);
}

#endif

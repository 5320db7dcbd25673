/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object_name.h - names an object: writes a struct ct_object_blob into the ring. An object is named when
 * it is first seen, and when its name may have changed. This is rare, so the code need not be fast. The
 * __weak functions are global, so that the verifier checks each of them once.
 */
#ifndef CTRACE_BPF_OBJECT_NAME_H
#define CTRACE_BPF_OBJECT_NAME_H

#include <bpf/bpf_endian.h>

#include "object.h"

#define NAME_DEPTH     10
#define NAME_COMPONENT (CPU_OBJECT_NAME - CT_OBJ_NAME_MAX)

struct name_buf {
	struct ct_object_blob b;
	char name[CPU_OBJECT_NAME];
};

/* The length of the name so far is in n->b.name_len: the verifier checks the code again for each value of
 * a local variable, but only once for a value in memory. */

static __always_inline void name_add(struct name_buf *n, const void *s)
{
	__u64 at = n->b.name_len;
	long got;

	barrier_var(at); /* the verifier needs the check and the use in one register */
	if (at >= CT_OBJ_NAME_MAX)
		return;
	got = bpf_probe_read_kernel_str(n->name + at, NAME_COMPONENT, s);
	if (got > 1)
		n->b.name_len = at + got - 1;
}

static __always_inline void name_char(struct name_buf *n, char ch)
{
	__u64 at = n->b.name_len;

	barrier_var(at);
	if (at < CT_OBJ_NAME_MAX) {
		n->name[at] = ch;
		n->b.name_len = at + 1;
	}
}

__weak int ct_name_part(struct name_buf *n, __u64 part)
{
	if (!n || !part)
		return 0;
	name_char(n, '/');
	name_add(n, (void *)part);
	return 0;
}

static __always_inline __u32 name_need(struct dentry *d)
{
	__u32 n = BPF_CORE_READ(d, d_name.len) + 1;

	return n < NAME_COMPONENT ? n : NAME_COMPONENT - 1;
}

struct name_walk {
	struct dentry *d;
	struct vfsmount *mnt;
	__u64 part[NAME_DEPTH]; /* addresses of the names, from the file up */
};

enum name_step { NAME_UP, NAME_WHOLE, NAME_CUT };

/* Goes from w->d to the entry above, across mounts, and notes the name of w->d as part i. Returns
 * NAME_WHOLE if the path is whole, and NAME_CUT if its beginning is too long or not known. */
__weak int ct_name_up(struct name_buf *n, struct name_walk *w, __u32 i)
{
	struct vfsmount *mnt;
	struct dentry *d, *up;

	if (!n || !w || i >= NAME_DEPTH)
		return NAME_CUT;
	d = w->d;
	mnt = w->mnt;
	/* A mount that is its own parent is the root, or was unmounted (umount -l). */
	for (int m = 0; m < 2 && d == BPF_CORE_READ(mnt, mnt_root); m++) {
		struct mount *in = (void *)mnt - bpf_core_field_offset(struct mount, mnt);
		struct mount *out = BPF_CORE_READ(in, mnt_parent);

		if (out == in)
			return NAME_WHOLE;
		d = BPF_CORE_READ(in, mnt_mountpoint);
		mnt = (void *)out + bpf_core_field_offset(struct mount, mnt);
	}
	up = BPF_CORE_READ(d, d_parent);
	n->b.name_len += name_need(d);
	if (i && n->b.name_len > CT_OBJ_NAME_MAX)
		return NAME_CUT;
	/* The top entry is its own parent. If the file itself is the top (a memfd), its name is the whole
	 * path. */
	if (i == 0 || d != up)
		w->part[i] = (__u64)BPF_CORE_READ(d, d_name.name);
	w->d = up;
	w->mnt = mnt;
	if (d != up)
		return NAME_UP;
	return i == 0 ? NAME_WHOLE : NAME_CUT;
}

/* Writes the path of a file, across mounts. "..." stands for a beginning that is too long or not known. */
static __always_inline void name_path(struct name_buf *n, struct file *f)
{
	struct name_walk w = { .d = BPF_CORE_READ(f, f_path.dentry), .mnt = BPF_CORE_READ(f, f_path.mnt) };
	int step = NAME_UP;

	n->b.name_len = 4;
	for (int i = 0; i < NAME_DEPTH && step == NAME_UP; i++)
		step = ct_name_up(n, &w, i);
	n->b.name_len = 0;
	barrier();
	if (step != NAME_WHOLE && w.part[0]) {
		name_char(n, '.');
		name_char(n, '.');
		name_char(n, '.');
	}
	for (int i = NAME_DEPTH - 1; i >= 0; i--)
		ct_name_part(n, w.part[i]);
	if (!n->b.name_len)
		name_char(n, '/');
}

static __always_inline __u32 name_unix(struct name_buf *n, struct unix_sock *u)
{
	struct unix_address *a = BPF_CORE_READ(u, addr);
	__u32 size = a ? BPF_CORE_READ(a, len) : 0;
	char *path;

	if (size <= 2)
		return 0;
	size -= 2;
	path = (char *)a + bpf_core_field_offset(struct unix_address, name) + sizeof(__u16);
	if (size > sizeof(((struct sockaddr_un *)0)->sun_path))
		size = sizeof(((struct sockaddr_un *)0)->sun_path);
	barrier_var(size); /* keeps the bound of size known to the verifier */
	bpf_probe_read_kernel(n->name, size & 127, path);
	if (n->name[0] == 0) {
		n->name[0] = '@';
		return size;
	}
	return size - 1;
}

static __always_inline bool name_unix_sock(struct name_buf *n, struct object *o)
{
	struct unix_sock *u = (struct unix_sock *)o->sk;
	struct sock *peer;

	if (!bpf_core_type_exists(struct unix_sock))
		return true;
	n->b.name_len = name_unix(n, u);
	peer = BPF_CORE_READ(u, peer);
	if (!peer)
		return n->b.state != TCP_ESTABLISHED;
	n->b.peer = object_sock_id(peer);
	return !(n->b.peer & CT_OBJ_NOT_ACCEPTED);
}

static __always_inline bool name_inet_sock(struct name_buf *n, struct sock *sk)
{
	struct sock_common *c = &sk->__sk_common;

	n->b.lport = BPF_CORE_READ(c, skc_num);
	n->b.rport = bpf_ntohs(BPF_CORE_READ(c, skc_dport));
	/* If a connection is reset, the kernel clears skc_num, but leaves inet_sport: __inet_put_port(), as
	 * of Linux 6.18. */
	if (!n->b.lport && n->b.rport)
		n->b.lport = bpf_ntohs(BPF_CORE_READ((struct inet_sock *)sk, inet_sport));
	if (n->b.family == AF_INET) {
		__be32 l = BPF_CORE_READ(c, skc_rcv_saddr), r = BPF_CORE_READ(c, skc_daddr);

		__builtin_memcpy(n->b.laddr, &l, 4);
		__builtin_memcpy(n->b.raddr, &r, 4);
	} else {
		bpf_core_read(n->b.laddr, 16, &c->skc_v6_rcv_saddr);
		bpf_core_read(n->b.raddr, 16, &c->skc_v6_daddr);
	}
	return n->b.lport != 0;
}

static __always_inline bool name_sock(struct name_buf *n, struct object *o)
{
	struct sock *sk = o->sk;

	n->b.x = (__u64)sk;
	n->b.family = BPF_CORE_READ(sk, __sk_common.skc_family);
	n->b.state = BPF_CORE_READ(sk, __sk_common.skc_state);
	n->b.type = BPF_CORE_READ(sk, sk_type);
	n->b.protocol = BPF_CORE_READ(sk, sk_protocol);
	n->b.netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	if (n->b.family == AF_UNIX)
		return name_unix_sock(n, o);
	if (n->b.family == AF_INET || n->b.family == AF_INET6)
		return name_inet_sock(n, sk);
	return true;
}

static __always_inline bool name_is_anon(__u32 kind)
{
	return kind >= CT_OBJ_EVENTFD && kind <= CT_OBJ_ANON;
}

/* Returns the pid in the first pid namespace. */
static __always_inline __u64 name_pidfd(struct object *o)
{
	struct pid *pid = (struct pid *)(CT_OBJ_MASK & o->id);

	/* The id lacks the upper bits of the address, which are all 1. */
	pid = (struct pid *)((__u64)pid | ~CT_OBJ_MASK);
	return BPF_CORE_READ(pid, numbers[0].nr);
}

static __always_inline __u64 name_fuse(struct file *f)
{
	/* Since 6.18 the lowest bit of the address is a flag. */
	struct fuse_dev___module *d = (void *)(RD_NUM(f, private_data) & ~1UL);

	return d && bpf_core_field_exists(d->fc->dev) ? BPF_CORE_READ(d, fc, dev) : 0;
}

/* Fills in n, except its time. Returns 0 if the name is incomplete: a socket may get a port later,
 * or a connection a peer. Otherwise returns 1. */
__weak int ct_object_fill(struct name_buf *n, struct object *o)
{
	struct inode *inode;
	struct file *file;
	bool complete = true;
	__u32 kind, len;

	if (!n || !o)
		return 0;
	inode = o->inode;
	file = o->file;
	kind = CT_OBJ_KIND(o->id);
	__builtin_memset(n, 0, sizeof(*n));
	n->b.h.kind = CT_OBJECT;
	n->b.h.tid = o->tid;
	n->b.id = o->id;
	if (inode) {
		n->b.ino = BPF_CORE_READ(inode, i_ino);
		n->b.dev = BPF_CORE_READ(inode, i_sb, s_dev);
		n->b.fs_magic = BPF_CORE_READ(inode, i_sb, s_magic);
		if (kind == CT_OBJ_CHARDEV || kind == CT_OBJ_TTY || kind == CT_OBJ_FUSEDEV)
			n->b.dev = BPF_CORE_READ(inode, i_rdev);
	}
	if (kind == CT_OBJ_PIDFD)
		n->b.x = name_pidfd(o);
	if (kind == CT_OBJ_FUSEDEV && file)
		n->b.x = name_fuse(file);
	if (o->sk)
		complete = name_sock(n, o);
	else if (name_is_anon(kind))
		name_add(n, BPF_CORE_READ(file, f_path.dentry, d_name.name));
	else if (kind != CT_OBJ_PIPE && file)
		name_path(n, file);
	len = n->b.name_len;
	if (len > CT_OBJ_NAME_MAX)
		len = CT_OBJ_NAME_MAX;
	n->b.name_len = len;
	n->b.h.size = sizeof(n->b) + ((len + 7) & ~7);
	return complete;
}

/*
 * Names an object whose name is missing, out of date or incomplete. An incomplete name does not
 * replace a complete one, while ct_objects has the object. Returns 1 if the object has a complete
 * name that is up to date.
 */
__weak int ct_object_announce(struct object *o, __u64 now)
{
	struct cpu *c = emit_cpu();
	struct seen *was, is = {};
	struct name_buf *n;
	__u64 id;

	if (!c || !o)
		return 0;
	id = o->id; /* before 6.2 a key has to be on the stack */
	was = bpf_map_lookup_elem(&ct_objects, &id);
	is.sig = o->sig;
	if (was && was->sig == o->sig && !was->incomplete)
		return 1;
	n = emit_reserve(c, sizeof(*n), now);
	if (!n)
		return 0;
	is.incomplete = !ct_object_fill(n, o);
	/* The new name is no better. Example: after a failed blocking connect(), a socket has no port any
	 * more, as of Linux 6.18. */
	if (was && is.incomplete && (was->sig == o->sig || !was->incomplete)) {
		n->b.h.size = 0; /* an empty record, which the daemon skips */
		emit_submit(n, now);
		return 0;
	}
	emit_submit(n, now);
	if (bpf_map_update_elem(&ct_objects, &id, &is, 0))
		emit_loss(c, CT_LOSS_OBJECTS, now);
	return !is.incomplete;
}

static __always_inline __u64 object_key(__u64 id, __u32 sig)
{
	return id ^ (__u64)sig << 40;
}

static __always_inline ct_u64 *object_named(struct cpu *c, __u64 key)
{
	return &c->named[(key ^ key >> 6 ^ key >> 13) & (CPU_NAMED - 1)];
}

static __always_inline void object_see(struct object *o, __u64 now)
{
	__u64 key = object_key(o->id, o->sig);
	struct cpu *c = emit_cpu();
	ct_u64 *named;

	if (!c)
		return;
	named = object_named(c, key);
	if (*named != key && ct_object_announce(o, now))
		*named = key;
}

static __always_inline __u64 object_of_file(struct file *f, __u32 tid, __u64 now)
{
	struct object o = {};

	if (!f)
		return 0;
	o.file = f;
	ct_object_of_file(&o);
	o.tid = tid;
	object_see(&o, now);
	return o.id;
}

static __always_inline __u64 object_of_fd(struct task_struct *t, __u32 fd, __u64 now)
{
	return object_of_file(object_fd_file(t, fd), t->pid, now);
}

__weak __u64 ct_object_of_fd(__u32 fd, __u64 now)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct object o = { .file = object_own_file(t, fd), .tid = t->pid };

	if (!o.file)
		return 0;
	object_find(&o); /* inlined, because a call of ct_object_of_file() takes time */
	object_see(&o, now);
	return o.id;
}

/*
 * Names the socket whose struct sock is at `at`, and returns its id.
 *
 * Each object file that includes this header has a copy of this weak function. The linker keeps only
 * the first copy. meson.build puts sched.bpf.c first, because the macro RD is fast only in that file
 * (compat.h).
 */
__weak __u64 ct_object_of_sk(__u64 at, __u32 tid, __u64 now)
{
	struct object o = { .tid = tid };
	struct sock *sk = (void *)at;
	struct socket *s = RD(sk, sk_socket);

	if (s)
		o.inode = (void *)s + bpf_core_field_offset(struct socket_alloc, vfs_inode);
	o.id = object_sock_id(sk);
	object_of_sock(&o, sk);
	object_see(&o, now);
	return o.id;
}

#endif

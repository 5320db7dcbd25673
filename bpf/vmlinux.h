/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmlinux.h - types of the kernel, written by hand, so that a build needs no kernel BTF. They have only
 * the members that the programs need, in any order: the loader sets the real offsets (CO-RE). */
#ifndef CTRACE_BPF_VMLINUX_H
#define CTRACE_BPF_VMLINUX_H

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

/* From linux/bpf.h. */
enum bpf_map_type {
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum {
	BPF_F_NO_PREALLOC = 1 << 0,
	BPF_F_MMAPABLE = 1 << 10,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1 << 0,
	BPF_RB_NO_WAKEUP = 1 << 0,
	BPF_RB_FORCE_WAKEUP = 1 << 1,
	BPF_RB_AVAIL_DATA = 0,
	BPF_F_USER_STACK = 1 << 8,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head {
	struct list_head *next, *prev;
};
struct timespec64 {
	s64 tv_sec;
};
typedef struct {
	int counter;
} atomic_t;
typedef struct {
	u32 val;
} kuid_t;

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip;
	unsigned long flags, sp;
};
struct thread_info {
	unsigned long flags;
	u32 status, cpu;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	u64 regs[31];
	u64 sp, pc;
	u64 orig_x0;
	s32 syscallno;
};
struct thread_info {
	unsigned long flags;
	u32 cpu;
};
#endif

struct cfs_rq {
	int throttle_count;
};
struct sched_entity {
	u64 exec_start;
	u64 sum_exec_runtime;
	u64 prev_sum_exec_runtime;
	struct cfs_rq *cfs_rq;
};
struct sched_info {
	unsigned long long run_delay;
	unsigned long long last_arrival, last_queued;
};
struct ns_common {
	unsigned int inum;
};
struct pid_namespace {
	struct ns_common ns;
};
struct upid {
	int nr;
	struct pid_namespace *ns;
};
struct hlist_node;
struct hlist_head {
	struct hlist_node *first;
};
struct pid {
	unsigned int level;
	struct hlist_head tasks[4];
	struct upid numbers[1];
};
struct xarray {
	void *xa_head;
};
struct xa_node {
	unsigned char shift;
	void *slots[64];
};
struct idr {
	struct xarray idr_rt;
};
struct ipc_ids {
	struct idr ipcs_idr;
};
struct ipc_namespace {
	struct ipc_ids ids[3];
};
struct nsproxy {
	struct ipc_namespace *ipc_ns;
};
struct kern_ipc_perm {
	int id;
};
struct sem {
	int semval;
	struct pid *sempid;
};
struct sem_array {
	struct kern_ipc_perm sem_perm;
	int sem_nsems;
	struct sem sems[];
};
struct cred {
	kuid_t uid;
};
struct kernfs_node {
	u64 id;
};
struct cgroup {
	struct kernfs_node *kn;
};
struct css_set {
	struct cgroup *dfl_cgrp;
};
struct sigaction {
	void *sa_handler;
};
struct k_sigaction {
	struct sigaction sa;
};
struct sighand_struct {
	struct k_sigaction action[64];
};
struct kernel_siginfo {
	int si_signo, si_errno, si_code;
};
struct signal_struct {
	atomic_t live;
	struct list_head thread_head;
	int group_exit_code;
	unsigned int flags;
};
struct files_struct {
	struct fdtable *fdt;
};
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};
struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int on_cpu;
	int on_rq;
	int prio;
	unsigned long jobctl;
	struct sched_entity se;
	struct sched_info sched_info;
	int exit_code;
	unsigned in_iowait : 1;
	unsigned in_memstall : 1;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct list_head thread_node;
	unsigned long nvcsw, nivcsw;
	u64 start_boottime;
	const struct cred *real_cred;
	char comm[16];
	struct files_struct *files;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	struct sighand_struct *sighand;
	struct css_set *cgroups;
	struct mm_struct *mm;
	u64 self_exec_id;
};
struct linux_binprm;
struct maple_tree {
	void *ma_root;
};
struct vm_area_struct;
struct mm_struct {
	struct maple_tree mm_mt;     /* since 6.1 */
	struct vm_area_struct *mmap; /* before 6.1 */
	unsigned long arg_start, arg_end;
};

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};
struct qstr {
	u32 len;
	const unsigned char *name;
};
struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};
struct tty_struct {
	struct tty_struct *link;
	void *driver_data;
};
struct tty_file_private {
	struct tty_struct *tty;
};
struct vfsmount {
	struct dentry *mnt_root;
};
struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};
struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};
struct inode {
	u16 i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_rdev;
	void *i_private;
	__u32 i_generation;
};
struct file;
struct vm_area_struct {
	unsigned long vm_start, vm_end;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file *vm_file;
	struct vm_area_struct *vm_next; /* before 6.1 */
};
struct file {
	unsigned int f_mode;
	const struct file_operations *f_op;
	struct inode *f_inode;
	struct path f_path;
	void *private_data;
};

struct wait_queue_entry {
	void *private;
	struct list_head entry;
};
struct poll_table_entry {
	struct file *filp;
	u32 key;
	struct wait_queue_entry wait;
};
struct poll_table_page;
struct poll_wqueues {
	struct poll_table_page *table;
	struct task_struct *polling_task;
	int inline_index;
	struct poll_table_entry inline_entries[9];
};

struct rb_node {
	unsigned long __rb_parent_color;
	struct rb_node *rb_right, *rb_left;
};
struct rb_root {
	struct rb_node *rb_node;
};
struct rb_root_cached {
	struct rb_root rb_root;
};
struct epitem;
struct eventpoll {
	struct list_head rdllist;
	struct rb_root_cached rbr;
	struct epitem *ovflist;
};
struct epoll_filefd {
	struct file *file;
	int fd;
};
struct epoll_event {
	u32 events;
};
struct epitem {
	struct rb_node rbn;
	struct list_head rdllink;
	struct epoll_filefd ffd;
	struct epoll_event event;
};

struct net {
	struct ns_common ns;
};
typedef struct {
	struct net *net;
} possible_net_t;
struct in6_addr {
	u8 s6_addr[16];
};
struct sock_common {
	__be32 skc_daddr, skc_rcv_saddr;
	__be16 skc_dport;
	u16 skc_num;
	u16 skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};
struct sk_buff_head {
	u32 qlen;
};
struct sock {
	struct sock_common __sk_common;
	struct sk_buff_head sk_receive_queue;
	u32 sk_ack_backlog;
	struct socket *sk_socket;
	u16 sk_type;
	u16 sk_protocol;
};
struct inet_sock {
	struct sock sk;
	__be16 inet_sport;
};
struct tcp_sock {
	u32 rcv_nxt, copied_seq;
};
struct socket {
	struct file *file;
	struct sock *sk;
};
struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
};
struct sockaddr_un {
	u16 sun_family;
	char sun_path[108];
};
struct unix_address {
	int len;
	struct sockaddr_un name[0];
};
struct unix_sock {
	struct sock sk;
	struct unix_address *addr;
	struct sock *peer;
};
struct msghdr;

struct hrtimer {
	void *function;
};
struct irqaction;

struct address_space {
	struct inode *host;
};
struct page {
	struct address_space *mapping;
	unsigned long compound_head;
};
struct bio_vec {
	struct page *bv_page;
};
struct bio {
	struct bio_vec *bi_io_vec;
	unsigned short bi_vcnt;
};
struct block_device {
	u32 bd_dev;
};
struct gendisk {
	struct block_device *part0;
};
struct request_queue {
	struct gendisk *disk;
};
struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	u64 __sector;
	struct bio *bio;
	struct block_device *part;
};

struct file_lock_core {
	unsigned int flc_flags;
	unsigned char flc_type;
	struct file *flc_file;
};
struct file_lock {
	struct file_lock_core c;
	s64 fl_start, fl_end;
};

struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
};
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};
struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	u32 fd;
	struct file *file;
};

#pragma clang attribute pop

#endif

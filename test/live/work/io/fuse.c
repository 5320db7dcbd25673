/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader makes no system call: it touches a page of a mapped file. */
#include "work.h"
#include <linux/fuse.h>
#include <sys/mount.h>
#include <sys/uio.h>

static char dir[] = "/tmp/ctrace-live-XXXXXX";
static int dev;

static void reply(uint64_t unique, int error, void *body, size_t n)
{
	struct fuse_out_header h = { .len = sizeof(h) + n, .error = error, .unique = unique };
	struct iovec v[2] = { { &h, sizeof(h) }, { body, n } };

	if (writev(dev, v, n ? 2 : 1) < 0 && errno != ENOENT)
		die("/dev/fuse");
}

static struct fuse_attr attributes(uint64_t ino)
{
	return (struct fuse_attr){ .ino = ino,
				   .size = ino == 1 ? 0 : 4096,
				   .mode = ino == 1 ? S_IFDIR | 0755 : S_IFREG | 0644,
				   .nlink = 1,
				   .blksize = 4096 };
}

static void serve(struct fuse_in_header *in)
{
	static char page[4096];

	switch (in->opcode) {
	case FUSE_INIT: {
		struct fuse_init_out o = { .major = 7, .minor = 31, .max_write = 65536 };
		reply(in->unique, 0, &o, sizeof(o));
		break;
	}
	case FUSE_LOOKUP: {
		struct fuse_entry_out o = {
			.nodeid = 2, .entry_valid = 60, .attr_valid = 60, .attr = attributes(2)
		};
		reply(in->unique, 0, &o, sizeof(o));
		break;
	}
	case FUSE_GETATTR: {
		struct fuse_attr_out o = { .attr_valid = 60, .attr = attributes(in->nodeid) };
		reply(in->unique, 0, &o, sizeof(o));
		break;
	}
	case FUSE_OPEN: {
		struct fuse_open_out o = {};
		reply(in->unique, 0, &o, sizeof(o));
		break;
	}
	case FUSE_READ:
		compute_ms(2500);
		reply(in->unique, 0, page, sizeof(page));
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
		break;
	default:
		reply(in->unique, in->opcode == FUSE_RELEASE || in->opcode == FUSE_FLUSH ? 0 : -ENOSYS, NULL,
		      0);
	}
}

static void server(void)
{
	static char buf[1 << 17];

	role("server");
	while (read(dev, buf, sizeof(buf)) > 0)
		serve((void *)buf);
}

int main(void)
{
	char opt[128], path[64];

	expect("long-wait", "busy|slow-peer", "fuse", "server", "victim,server");
	if (!mkdtemp(dir))
		die(dir);
	dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(opt, sizeof(opt), "fd=%d,rootmode=40000,user_id=0,group_id=0", dev);
	/* A mount namespace of its own: no mount remains if the program is killed. */
	if (dev < 0 || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("ctrace-live", dir, "fuse", MS_NOSUID | MS_NODEV, opt)) {
		rmdir(dir);
		skip("no /dev/fuse, or no right to mount it");
	}
	process(server);
	close(dev);
	snprintf(path, sizeof(path), "%s/file", dir);
	int fd = CHECK(open(path, O_RDONLY));
	volatile char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		die("mmap");
	victim();
	hang_begins();
	(void)p[0];
	hang_ends();
	munmap((void *)p, 4096);
	close(fd);
	umount2(dir, MNT_DETACH);
	rmdir(dir);
	return finish();
}

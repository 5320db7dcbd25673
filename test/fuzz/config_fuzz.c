// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char path[64], err[CONFIG_ERR_MAX] = "";
	char *argv[] = { "ctraced", "--config", path, NULL };
	int fd = memfd_create("fuzz", 0);
	struct config c;
	int r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, n) != (ssize_t)n)
		abort();
	r = config_read(3, argv, &c, err);
	if (r && (!*err || !memchr(err, 0, sizeof(err))))
		abort();
	if (!r && (c.size_bytes < CONFIG_SIZE_MIN || c.size_bytes > CONFIG_SIZE_MAX ||
		   c.ring_bytes < CONFIG_RING_MIN || c.ring_bytes > CONFIG_RING_MAX || !*c.socket))
		abort();
	close(fd);
	return 0;
}

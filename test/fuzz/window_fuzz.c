// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/fuzz/analyse.h"
#include "trace/read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char err[READER_ERR_MAX];
	struct window *w;
	struct reader *r;

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	if (!reader_open_fd(fd, "fuzz", &r, err)) {
		if (!window_load(r, reader_info(r)->from_ns, reader_info(r)->to_ns, 0, &w, err)) {
			analyse_window(w);
			window_free(w);
		}
		reader_free(r);
	}
	close(fd);
	return 0;
}

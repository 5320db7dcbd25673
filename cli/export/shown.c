// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/export/shown.h"

#include <inttypes.h>

#include "cli/cli.h"
#include "trace/words/describe.h"

const char *shown_text(const char *text, char buf[SHOWN_FRAME_MAX])
{
	describe_clean(text, buf, SHOWN_FRAME_MAX);
	return buf;
}

const char *shown_frame(const struct flame *f, uint32_t node, char buf[SHOWN_FRAME_MAX])
{
	return shown_text(flame_text(f, node), buf);
}

void shown_limits(const struct flame *f)
{
	if (f->refused)
		cli_warn(
			"frames are missing above their callers, because of a limit; narrow the window with --from and --to (missing frames, and waits not looked at to their end: %" PRIu64
			")",
			f->refused);
}

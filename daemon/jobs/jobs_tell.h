/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs_tell.h - the records that say when the jobs of a framework are not recorded (CT_JOB_OFF, CT_JOB_ON
 * in abi.h). Pure. */
#ifndef CTRACE_DAEMON_JOBS_JOBS_TELL_H
#define CTRACE_DAEMON_JOBS_JOBS_TELL_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/jobs/jobs_spec.h"

/* Makes a stream (drain_post()) with the name of the framework and the record. state: CT_JOB_OFF or
 * CT_JOB_ON. now_ns, since_ns: boot time. The caller frees *ret with free(). Returns 0 or -ENOMEM. */
int jobs_tell(const struct jobs_spec *spec, enum ct_job state, uint8_t flags, uint64_t now_ns,
	      uint64_t since_ns, void **ret, size_t *ret_size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain.h - the kinds of an answer in plain words, for people. The words of JSON are in
 * analysis/diagnose/diagnosis.h and graph/. doc/glossary.md, "How sure an answer is", explains the words
 * about certainty. Any thread. */
#ifndef CTRACE_REPORT_PLAIN_H
#define CTRACE_REPORT_PLAIN_H

#include <stdbool.h>

#include "analysis/diagnose/diagnosis.h"
#include "trace/words/resource.h"

/* Returns the state of the victim, such as "the victim was blocked". */
const char *plain_verdict(enum verdict verdict);
/* Returns the reason for this state, such as "another task is slow". NULL: there is none. */
const char *plain_cause(enum cause_kind cause);
/* Returns how sure a diagnosis is: "certain" or "partly inferred". */
const char *plain_confidence(const struct diagnosis *d);
/* Returns how sure an edge of a causal graph is: "certain", "inferred, likely" or "inferred". */
const char *plain_strength(enum edge_strength strength);
/* Returns the word for the thing for which a task waits, such as "file lock". */
const char *plain_resource(enum resource_kind kind);
/* Returns what a task does in this kind of time, such as "waits for a lock". */
const char *plain_time(enum time_kind time);

#endif

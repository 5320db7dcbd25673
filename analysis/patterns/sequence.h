/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sequence.h - the input of patterns.h: what tasks did in each transaction, as symbols.
 *
 * A transaction is one repetition of an action, such as one request to a service. A strand is the
 * events of one task in one transaction, in order of time. A symbol stands for events that are
 * alike. The text of a symbol has no id or address that changes from run to run, and no port of a
 * client.
 *
 * Pure; one thread at a time for each structure.
 */
#ifndef CTRACE_ANALYSIS_PATTERNS_SEQUENCE_H
#define CTRACE_ANALYSIS_PATTERNS_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/map.h"
#include "lib/vec.h"

#define SEQUENCE_EVENTS_MAX   4000000
#define SEQUENCE_SYMBOLS_MAX  65536 /* events with a further text get the symbol "other" */
#define SEQUENCE_SYMBOL_BYTES 160
#define SEQUENCE_VARIANTS     8 /* further variants of a symbol are not counted */

struct sequence_symbol {
	char *text;
	char *example;                    /* the first variant; "" if there is none */
	uint64_t seen[SEQUENCE_VARIANTS]; /* hashes of the variants */
	uint32_t n_variants;
};

struct sequence_event {
	uint32_t symbol;
	/* The time to the next event of the strand, or until the task stops working for the
	 * transaction. */
	uint64_t ns;
};

struct sequence_strand {
	uint32_t transaction;
	size_t first, n; /* events.v[first .. first + n) */
};

/* A zeroed structure is empty. */
struct sequence {
	VEC(struct sequence_symbol) symbols;
	VEC(struct sequence_event) events;
	VEC(struct sequence_strand) strands; /* in order of their transactions */
	size_t n_transactions;               /* also those without a strand */
	uint64_t ns;                         /* the sum over all events, refused ones too */
	struct map by_text;
	uint64_t refused_events, refused_symbols; /* left out because of a limit */
};

/* Sets *ret to the number of the symbol with this text. variant: what differs between events of one
 * symbol, such as the size of a message; "" if nothing does. Returns 0 or -ENOMEM. */
int sequence_symbol(struct sequence *q, const char *text, const char *variant, uint32_t *ret);
/* Begins a strand. The number of the transaction must not decrease from strand to strand. Returns
 * 0, -EINVAL or -ENOMEM. */
int sequence_begin(struct sequence *q, uint32_t transaction);
/* Adds an event to the last strand. Returns 0, -EINVAL or -ENOMEM. */
int sequence_add(struct sequence *q, uint32_t symbol, uint64_t ns);
void sequence_done(struct sequence *q);

#endif

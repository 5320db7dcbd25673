/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_value.h - the values of settings as the user writes them: numbers, sizes, times. Pure. */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_VALUE_H
#define CTRACE_DAEMON_CONFIG_CONFIG_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#define CONFIG_ERR_MAX 512
/* Bytes: the range of the setting `size`. CONFIG_SIZE_MAX also limits `hangs-size`. */
#define CONFIG_SIZE_MIN    (16ULL << 20)
#define CONFIG_SIZE_MAX    (1ULL << 40)
#define CONFIG_TIME_MAX_NS 3600000000000ULL

/* *ret_unit: the text after the number. Returns 0, or -EINVAL if s does not begin with a plain
 * decimal number, or if the number does not fit into a double. */
int config_value_number(const char *s, double *ret, const char **ret_unit);
/* Examples: "4M", "2G", "65536". Returns 0 or -EINVAL. */
int config_value_size(const char *s, uint64_t *ret_bytes);
/* Examples: "200ms", "1.5s", "50us", "2min". Returns 0 or -EINVAL. */
int config_value_time(const char *s, uint64_t *ret_ns);
/* For a setting that is "yes" or "no". what: the name as the user wrote it, for err (CONFIG_ERR_MAX bytes).
 * Returns 0, or -EINVAL with a sentence in err. */
int config_value_yes_no(const char *what, const char *value, bool *ret, char *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_value.h - the values of settings as the user writes them: numbers, sizes, times. Pure. */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_VALUE_H
#define CTRACE_DAEMON_CONFIG_CONFIG_VALUE_H

#include <stdint.h>

#define CONFIG_ERR_MAX 512
/* bytes: the smallest value of the setting `size`, and the largest value of the settings `size` and
 * `hangs-size` */
#define CONFIG_SIZE_MIN    (16ULL << 20)
#define CONFIG_SIZE_MAX    (1ULL << 40)
#define CONFIG_TIME_MAX_NS 3600000000000ULL /* the longest time that a setting can have */

/* Reads a number. *ret_unit becomes the text after the number, in s: the unit. Returns 0, or
 * -EINVAL if s does not begin with a plain decimal number. */
int config_value_number(const char *s, double *ret, const char **ret_unit);
/* Reads a size such as "4M", "2G" or "65536", in bytes. Returns 0 or -EINVAL. */
int config_value_size(const char *s, uint64_t *ret_bytes);
/* Reads a time such as "200ms", "1.5s", "50us" or "2min". Returns 0 or -EINVAL. */
int config_value_time(const char *s, uint64_t *ret_ns);

#endif

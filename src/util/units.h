/*
 * Parsing and printing of quantities: sizes, cpus, durations, times.
 *
 * Sizes: base 1024 with K M G T P (Ki Mi ... and KB, MiB ... are the same). Cpu: "500m" or "2" or
 * "1.5", in millicores. Durations: "90s" "30m" "2h" "1d" (also "ms", and sums like "1h30m"), Slurm's
 * "MM", "MM:SS", "HH:MM:SS", "D-HH", "D-HH:MM", "D-HH:MM:SS". Every parser accepts or refuses the whole text
 * and checks for overflow; err has the accepted form.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>
#include <stdint.h>

int parse_size(const char *text, int64_t *ret_bytes, struct err *err);
int parse_cpu(const char *text, int64_t *ret_milli, struct err *err);
/* In microseconds. A bare number is seconds here ("90"); see parse_time_limit for Slurm's minutes. */
int parse_duration(const char *text, int64_t *ret_us, struct err *err);
/* As parse_duration, but a bare number is minutes, and "UNLIMITED", "INFINITE" give -1. */
int parse_time_limit(const char *text, int64_t *ret_us, struct err *err);
int parse_int(const char *text, int64_t min, int64_t max, int64_t *ret_value, struct err *err);

/* "16G", "1536M": the largest unit that is exact, else with one decimal. */
void format_size(int64_t bytes, char *out, size_t size);
/* "2", "0.5" */
void format_cpu(int64_t milli, char *out, size_t size);
/* For listings: "1-02:03:04" or "00:03:04", always with hours; "UNLIMITED" below 0. Every parser reads it. */
void format_duration(int64_t us, char *out, size_t size);
/*
 * For sentences: "1 day 2 h 5 min", "1 min 30 s"; "1.5 s" below a minute, "20 ms" below a
 * second; "no limit" below 0. Use: printf("%s", duration_words(us).text).
 */
struct duration_words {
	char text[48];
};
struct duration_words duration_words(int64_t us);
/* "2026-11-21T05:30:00" in local time; "-" for 0. */
void format_time(int64_t wall_us, char *out, size_t size);

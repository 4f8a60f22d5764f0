/*
 * The mails that a job wants: types, their words (those of Slurm), and addresses.
 */
#pragma once

#include "util/err.h"

#include <stdint.h>

/* Bits of mail_types; they never change. */
enum {
	MAIL_END = 1 << 0,         /* the job has ended */
	MAIL_FAIL = 1 << 1,        /* it has ended and neither COMPLETED nor was cancelled */
	MAIL_TIME_LIMIT = 1 << 2,  /* it has reached its time limit */
	MAIL_ARRAY_TASKS = 1 << 3, /* of an array: one for each element */
	MAIL_BEGIN = 1 << 4,       /* it has started; an array: its first element */
	MAIL_REQUEUE = 1 << 5,     /* it waits again after a start */
	MAIL_ALL_BITS = (1 << 6) - 1,
};

/* "END,FAIL", "ALL", "NONE". -EINVAL and a sentence that names the word and those that exist. */
int mail_types_parse(const char *text, uint32_t *ret_types, struct err *err);
/* The words of the types, as in "END,FAIL"; "NONE": none. */
const char *mail_types_text(uint32_t types, char *ret_text, uint32_t size);
/*
 * An address or the name of a user: at most 254 bytes of printable ASCII without blanks, quotes and
 * characters of shells, and not beginning with a dash.
 */
int mail_check_user(const char *text, struct err *err);

/*
 * Amounts and fractions of resources as text.
 *
 *	amount	cpu=2		memory=4G		gpu=1
 *	share	armada-default:cpu=0.5,memory=0.5	fractions of the cluster, for a priority class
 *
 * Resources are those of conf_resources. Whether the class exists is not checked here.
 */
#pragma once

#include "conf/conf.h"

enum { QUANTITY_NAME = 254, QUANTITY_TEXT = 480 };

struct amount {
	int resource;   /* index */
	int64_t amount; /* millicores, bytes, units */
};

struct share {
	char class_name[QUANTITY_NAME];
	uint32_t limited; /* bits of the resources that are set */
	double of[CONF_RESOURCES];
};

/* "16G": a whole number of the largest unit that represents the size exactly. */
void size_print(int64_t bytes, char *out, size_t size);

int amount_parse(const char *text, struct amount *ret_amount, struct err *err);
/* amount_parse reads it back as the same amount. */
void amount_print(const struct amount *a, char ret_text[QUANTITY_TEXT]);
int share_parse(const char *text, struct share *ret_share, struct err *err);
void share_print(const struct share *s, char ret_text[QUANTITY_TEXT]);

/* Check a list: each entry is valid, and none occurs twice. */
int amounts_check(const char *const *texts, size_t count, struct err *err);
int shares_check(const char *const *texts, size_t count, struct err *err);

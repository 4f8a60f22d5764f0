/*
 * Amounts and parts of resources as people write them.
 *
 *	amount	cpu=2		memory=4G		gpu=1
 *	share	armada-default:cpu=0.5,memory=0.5	parts of the cluster, in a priority class
 *
 * Resources are those of conf_resources. Whether there is such a class is not looked at here.
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
	uint32_t limited; /* bits of the resources that are said */
	double of[CONF_RESOURCES];
};

/* "16G": a whole number of the largest unit that gives the size exactly. */
void size_print(int64_t bytes, char *out, size_t size);

int amount_parse(const char *text, struct amount *ret_amount, struct err *err);
/* Reads back as the same. */
void amount_print(const struct amount *a, char ret_text[QUANTITY_TEXT]);
int share_parse(const char *text, struct share *ret_share, struct err *err);
void share_print(const struct share *s, char ret_text[QUANTITY_TEXT]);

/* Lists: each is one, and none is there twice. */
int amounts_check(const char *const *texts, size_t count, struct err *err);
int shares_check(const char *const *texts, size_t count, struct err *err);

/*
 * Amounts and fractions of resources as text.
 *
 *	amount	cpu=2		memory=4G		gpu=1
 *	share	armada-default:cpu=0.5,memory=0.5	fractions of the cluster, for a priority class
 *
 * Resources are those of conf/resource_table.h. Whether the class exists is not checked here.
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
	double of[RESOURCE_MAX];
};

/* What a node has of a resource that the site adds; size: in bytes. */
struct offer {
	char name[RESOURCE_NAME_LEN + 1];
	int64_t amount;
	bool size;
	const char *files; /* a hostlist of devices, in the text; NULL: none */
};

/* "fpga=2", "fpga=/dev/fpga[0-1]" or "scratch=2T". Whether the resource exists is not checked. */
int offer_parse(const char *text, struct offer *ret_offer, struct err *err);
/* The same for armada.conf, whose resources are known. */
int check_node_resource(const char *text, struct err *err);

/* "2", or "500G", which is a size. */
int offer_amount(const char *text, int64_t *ret, bool *ret_size, struct err *err);

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

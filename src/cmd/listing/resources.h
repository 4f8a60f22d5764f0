/*
 * Amounts of resources (cpu, memory, gpu and those that a site adds) as text and as JSON.
 */
#pragma once

#include "proto/msg.h"
#include "util/buf.h"

#include <jansson.h>
#include <stdbool.h>

/* The amount of a resource in a list; 0 if the list does not have it. */
int64_t resources_amount(Armada__Resource *const *list, size_t count, const char *name);
/* Formats an amount with its unit: "1.5" for cpu, "16G" for memory; in_bytes: as Resource.size says. */
void resources_format(const char *name, bool in_bytes, int64_t amount, char *out, size_t size);
/* "cpu=1.5,memory=16G" */
void resources_add(Armada__Resource *const *list, size_t count, const char *separator,
		   struct buf *out);
/* "1.5/8" */
void resources_add_part(const char *name, int64_t part, int64_t all, struct buf *out);
/* A new object: {"cpu": 1500}. */
json_t *resources_json(Armada__Resource *const *list, size_t count);

/* A sentence about something that a user has written, as JSON. */
#pragma once

#include <jansson.h>

/*
 * Never NULL. A sentence may contain any bytes, and may be cut within a character: bytes that are not ASCII
 * become '?' in a text that is no UTF-8.
 */
json_t *sentence_json(const char *text);

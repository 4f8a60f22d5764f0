/*
 * The body of a message, in a sealed memfd.
 *
 * A sealed memfd cannot change, so it stays as the launcher has checked it.
 */
#pragma once

#include "util/err.h"
#include <stddef.h>
#include <stdint.h>

/* A new sealed memfd that holds the body. Returns the descriptor or a negative errno. */
int pipe_body_new(const void *data, size_t len, struct err *err);
/* The same in two parts: an empty one, which anyone with the descriptor may write, and its end. */
int pipe_body_open(struct err *err);
int pipe_body_seal(int fd, struct err *err);
/*
 * Read a body that came with an order: it must be a memfd sealed against every change, of at most
 * PIPE_BODY_MAX bytes. Returns a new copy, freed with free().
 */
int pipe_body_read(int fd, uint8_t **ret_data, size_t *ret_len, struct err *err);

/*
 * The auth plugin of a client, loaded when a session needs a credential for the first time.
 *
 * On the controller's own machine the kernel usually vouches for both ends (wire/kernel_peer.h), and then no
 * command reads the plugin and its libraries. Several threads may use one lazy_auth.
 */
#pragma once

#include "conf/conf.h"
#include <armada/auth.h>

struct lazy_auth;

/* The operations that make and check credentials with the plugin; their handle is the lazy_auth. */
extern const struct armada_auth_ops lazy_auth_ops;

/* Borrows conf, whose options of the plugin are read with it. */
struct lazy_auth *lazy_auth_new(struct conf *conf);
void lazy_auth_free(struct lazy_auth *a);

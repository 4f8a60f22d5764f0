/* The discover program of the site: it prints resources of this node. */
#pragma once

#include "armd/node.h"

/*
 * Runs the program, if there is one, and replaces the resources of the node's registration: those of
 * armada.conf, then those of the program, then those of the command line. After an error they stay. It
 * waits for the program, at most hooks.discover_timeout.
 */
int node_discover(struct node *n, struct err *err);
/* Sets the resources of the registration from what is known. */
void node_join_resources(struct node *n);
void node_discover_done(struct node *n);

/*
 * The text of an error, as libarmada and plugins hand it to whoever called them.
 */
#ifndef ARMADA_ERROR_H
#define ARMADA_ERROR_H

/* Owned by the caller, who gets one sentence without a full stop. */
struct armada_error {
	char text[512];
};

#endif

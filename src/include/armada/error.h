/*
 * The text of an error of libarmada or of a plugin.
 */
#ifndef ARMADA_ERROR_H
#define ARMADA_ERROR_H

/* The caller owns it. The text is one sentence without a full stop. */
struct armada_error {
	char text[512];
};

#endif

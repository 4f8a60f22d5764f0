/*
 * Executes the program again, in the same process: a controller that has lost the lead stands by.
 */
#pragma once

/* The arguments of the program. */
void again_keep(char **argv);
/* By any thread. Nothing survives but standard input, output and error. */
void again_now(void) __attribute__((noreturn));

/*
 * Words of Kubernetes' and Armada's job files, and what a job file has in their place.
 *
 * A task here is a process of the user on a node, not a container in a pod. So a job file has no pods,
 * services, ingresses or volumes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The words are separated by spaces. `instead` says what to use, as the end of an error message. */
struct kubernetes_words {
	const char *words, *instead;
};
extern const struct kubernetes_words kubernetes_words[];
extern const size_t kubernetes_words_count;

/* What to use in place of a key; case, - and _ do not matter. NULL: the key is no such word. */
const char *kubernetes_instead(const char *key);
/* Whether the first line that is neither empty nor a comment looks like YAML; `a: 1;` is libconfig. */
bool kubernetes_is_yaml(const char *text);

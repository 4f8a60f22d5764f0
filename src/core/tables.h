/*
 * The tables of the controller: finding, making and dropping its nouns.
 *
 * x_find borrows and gives NULL for none; x_obtain finds or makes; x_drop frees. None of these
 * decides anything: the fold calls them.
 */
#ifndef CORE_TABLES_H
#define CORE_TABLES_H

#include "core/world.h"

/* jobs.c */
struct job *job_find(const struct core *c, uint64_t id);
/* The slot of the first job with an id above after. */
size_t job_after(const struct core *c, uint64_t after);
struct job *job_insert(struct core *c, uint64_t id); /* id above every other */
void job_drop(struct core *c, struct job *j);
struct element *element_find(const struct job *j, uint32_t index);
struct element *element_obtain(struct job *j, uint32_t index);
void element_drop(struct core *c, struct element *e);
void element_lease(struct element *e, uint32_t task_count);
void element_free_tasks(struct core *c, struct element *e);
bool job_over(const struct job *j);
struct task *task_find(const struct core *c, const Armada__TaskKey *key);
struct task_key task_key_of(const struct task *t);
bool state_is_terminal(int state);

/* avoid.c */
void avoid_add(struct core *c, struct job *j, const char *node, int64_t until_us);
void avoids_drop(struct job *j);
Armada__Avoided **avoids_message(const struct job *j, struct arena *a, size_t *ret_count);

/* intern.c */
struct spec *spec_obtain(struct core *c, const Armada__JobSpec *spec);
void spec_release(struct core *c, struct spec *s);
/* May an element of it start with so many tasks? */
bool spec_starts_with(const struct spec *s, uint64_t tasks);
/* What one task of a group asks for. */
const struct resources *spec_request(const struct spec *s, uint32_t group);
/* Of the task with this rank, when none is left out. */
uint32_t spec_group_of(const struct spec *s, uint32_t rank);
static inline const struct resources *task_request(const struct task *t)
{
	return spec_request(t->element->job->spec, t->group);
}
/* Unpacked into the arena of the input. */
const Armada__JobSpec *spec_open(const struct core *c, const struct spec *s, struct arena *a);
struct user *user_obtain(struct core *c, const Armada__JobSubmitted *job);
void user_release(struct core *c, struct user *u);
struct blob *blob_find(const struct core *c, const uint8_t hash[HASH_SIZE]);
struct blob *blob_add(struct core *c, const uint8_t hash[HASH_SIZE], const void *data, size_t len);
void blob_drop_unused(struct core *c, struct blob *b);
void core_digest(const void *data, size_t len, uint8_t ret_hash[HASH_SIZE]);

/* queue.c */
struct queue *core_find_queue(const struct core *c, const char *name);
void queue_set(struct core *c, const Armada__QueueSpec *spec, int64_t now_us, const char *by);
void queue_drop(struct core *c, struct queue *q);
/* A copy in the arena, to be changed at will. */
Armada__QueueSpec *queue_spec(const struct queue *q, struct arena *a);

/* places.c */
struct node *core_find_node(const struct core *c, const char *name);
struct node *node_set(struct core *c, const Armada__NodeSet *set);
void node_drop(struct core *c, struct node *n);
struct node *node_by_conn(const struct core *c, uint64_t conn);
/* Index of a resource name; -1 for one that this cluster does not count. */
int resource_index(const struct core *c, const char *name);
void resources_of(struct core *c, Armada__Resource *const *list, size_t n, struct resources *ret);
/* What may run on a node: all that has not ended, but for promised tasks. */
void node_used(const struct node *n, struct resources *ret);
/* What is to stay there: promised tasks too, but not what is being preempted. */
void node_lasting(const struct node *n, struct resources *ret);
/* What one task of a spec asks for. */
void spec_task_request(struct core *c, const Armada__JobSpec *spec, struct resources *ret);

#endif

/*
 * What the files of src/sched call of one another, by the file that has it. Private, as world.h is.
 */
#ifndef SCHED_PARTS_H
#define SCHED_PARTS_H

#include "sched/lane.h"
#include "sched/world.h"

/* Rows. */
static inline int64_t *node_free(const struct sched *s, uint32_t node)
{
	return s->free + (size_t)node * s->dims;
}
static inline int64_t *node_total(const struct sched *s, uint32_t node)
{
	return s->total + (size_t)node * s->dims;
}
/* One level above 0 of a node. */
static inline int64_t *node_level(const struct sched *s, uint32_t node, uint32_t level)
{
	return s->levels + ((size_t)node * s->level_count + level - 1) * s->dims;
}
static inline int64_t *key_request(const struct sched *s, uint32_t key)
{
	return s->requests + (size_t)key * s->dims;
}
/* Of all its members. */
static inline int64_t *key_sum(const struct sched *s, uint32_t key)
{
	return s->keys[key].sum ? s->keys[key].sum : key_request(s, key);
}

static inline bool kinds_take(const struct kinds_taken *t, uint32_t kind)
{
	return (t->set ? t->set[kind / 64] >> (kind % 64) : t->bits >> (kind % 63)) & 1;
}

/* queue.c */
uint32_t view_queue_find(const struct sched *s, const char *name);
void queue_release(struct sched *s, uint32_t queue); /* free it if nothing needs it */
void queue_done(struct queue *q);
/* Its own limits of classes, by the numbers that these have now. */
void queue_number_own(struct sched *s, struct queue *q);
/*
 * The part of a resource that it may use in a class: the least of the class's limit and its own (ret_own).
 * INFINITY: all.
 */
double queue_class_part(const struct sched *s, const struct queue *q, size_t class, size_t d,
			bool *ret_own);

/* key.c: a key is kept while lanes or tasks use it. */
uint32_t key_intern(struct sched *s, const struct sched_job *job);
/* What is in the key, as it was given, but for its parts. Borrowed from it. */
void key_describe(const struct sched *s, uint32_t key, struct sched_job *ret);
void key_release(struct sched *s, uint32_t key);
void key_done(struct key *k);
/* Which kinds of node its members may use; borrowed until kinds come. */
const struct kinds_taken *key_kinds(struct sched *s, uint32_t key);
/* round: why it does not fit, if the text is not NULL. */
void key_reasons_begin(struct sched *s);
const struct reason *key_reason(const struct sched *s, uint32_t key);
void key_tell(struct sched *s, uint32_t key, struct reason reason);
/* Its parts: itself when all members are alike. */
const uint32_t *key_parts(const struct sched *s, const uint32_t *key, uint32_t *ret_count);
/* Up to which level a member of this part of the gang weighs on its node. */
uint32_t key_cutoff(const struct sched *s, uint32_t key, uint32_t part);
/* The part that member i belongs to. */
uint32_t key_find_part(const struct sched *s, uint32_t key, uint32_t member);
static inline uint32_t key_part_of(const struct sched *s, uint32_t key, uint32_t member)
{
	return s->keys[key].part_count ? key_find_part(s, key, member) : key;
}
/* Sums, and whether it may be displaced, from its parts and their classes. */
void key_complete(struct sched *s, uint32_t key);
uint32_t class_find(const struct sched *s, const char *name);

/* constraint.c: NULL is the job without any. */
struct constraint *constraint_new(const struct sched_job *job);
void constraint_free(struct constraint *c);
/* The one that is kept for all jobs that say the same, with one user more; one less. */
struct constraint *constraint_intern(struct sched *s, const struct sched_job *job);
void constraint_release(struct sched *s, struct constraint *c);
const struct kinds_taken *constraint_kinds(struct sched *s, struct constraint *c);
bool constraint_allows_kind(const struct constraint *c, const struct kind *k);
bool constraint_selects(const struct sched_selector *sel, const struct kind *k);
bool constraint_tolerates(const struct constraint *c, const struct sched_taint *taint);
/* Do the lists of nodes to use and to avoid leave this one? */
bool constraint_has_lists(const struct constraint *c);
/* Did the node of this name just fail it? */
bool constraint_avoids(const struct constraint *c, const char *node);
bool constraint_lists(const struct sched *s, struct constraint *c, uint32_t node);

/* node.c */
uint32_t view_node_find(const struct sched *s, const char *name);
uint32_t node_intern(struct sched *s, const char *name);
void node_release(struct sched *s, uint32_t node);
void node_unindex(struct sched *s, uint32_t node);
void node_reindex(struct sched *s, uint32_t node); /* if it may be used */
void kind_done(struct kind *k);
/* A member of the part begins (1) or ceases (-1) to use the node, up to this level. */
void node_use(struct sched *s, uint32_t node, uint32_t part, uint32_t cutoff, int sign);
/* The same for level 0 alone, as tasks that were put out of the way do. */
void node_use_free(struct sched *s, uint32_t node, uint32_t part, int sign);
void node_grown(struct sched *s, uint32_t node); /* it may have more room than before */
void node_count(struct sched *s, uint32_t node); /* after it changed: is it part of the whole? */

/* value.c */
const char *kind_label(const struct kind *k, const char *key); /* NULL: it has none */
/* All of the label; borrowed until those of another are asked for, or kinds come. */
const struct label_values *values_of(struct sched *s, const char *label);
size_t values_end(const struct label_values *v, size_t at); /* of those with the same value */
void values_done(struct label_values *v);

/* job.c, task.c */
uint32_t view_job_find(const struct sched *s, uint64_t id);
uint64_t job_waiting(const struct job *j);
void job_settle(struct sched *s, uint32_t job); /* something changed: in or out of its lane */
void job_unwait(struct sched *s, uint32_t job, uint32_t first, uint32_t last);
/* Whatever runs weighs on the levels of its nodes, which were all made anew. */
void tasks_weigh(struct sched *s);
/* To another lane of its queue, with all that runs of it. O(tasks) if anything does. */
void tasks_change_lane(struct sched *s, uint32_t job, uint32_t lane);
/* Count in (1) or out (-1) what the job asks for with its waiting elements. */
void job_count_demand(struct sched *s, uint32_t job, int sign);
uint32_t job_place(struct sched *s); /* a free record, its contents undefined */
/* The waiting range number i; false: there is none. */
bool job_range(const struct job *j, uint32_t i, struct range *ret_range);

/* policies.c: the plugins of config; on failure, close what was opened. */
int policies_open(struct sched *s, const struct armada_policy *policy,
		  const struct sched_config *config, struct err *err);
void policies_close(struct sched *s);

/* level.c */
void levels_init(struct sched *s);
void levels_forget(struct sched *s); /* for another levels_init; then nodes and tasks again */
void levels_room(struct sched *s, uint32_t node); /* for a new node: all 0 */
void level_use(struct sched *s, uint32_t node, uint32_t part, uint32_t cutoff, int sign);
void level_save(struct sched *s, uint32_t node); /* before a round changes it */
void levels_keep(struct sched *s);               /* all at once: most of them will change */
bool levels_any(const struct sched *s,
		bool (*is)(const struct sched *s, uint32_t node)); /* of those */
void levels_restore(struct sched *s);
void levels_grow(struct sched *s, uint32_t node, size_t resource, int64_t by);
/* The node that the select sequence puts first, of those with room at the level; NIL: none. */
uint32_t level_find(struct sched *s, uint32_t level, const struct index_ask *ask, uint32_t part,
		    uint32_t mark);
/* Is there one? */
bool level_any(struct sched *s, uint32_t level, const struct index_ask *ask, uint32_t part,
	       uint32_t mark);

/*
 * place.c: all members, or the minimum where that will do, or none, displacing others where that is
 * allowed. Their nodes are then in s->members; found: how many members had room.
 */
bool place_gang(struct sched *s, uint32_t key, uint32_t *ret_found);
void place_undo(struct sched *s); /* what the gang in hand did */
void place_save(struct sched *s, uint32_t node);
void place_restore(struct sched *s);
/* May a member of the key be on this node now? */
bool place_fits(struct sched *s, uint32_t key, uint32_t node);

/* displace.c: room for a member by putting others out. NIL: none. */
uint32_t displace_fair(struct sched *s, uint32_t part, const struct index_ask *ask, uint32_t mark);
uint32_t displace_urgent(struct sched *s, uint32_t part, const struct index_ask *ask,
			 uint32_t mark);
/* Members that have not ended. */
uint32_t actor_running(const struct actor *a);
/* An evicted actor loses its nodes (-1), or has them again (1). */
void displace_actor(struct sched *s, uint32_t actor, int sign);

/* evict.c */
struct round;
/* The table of those who were evicted, unless it was made already. */
void table_make(struct round *r);
void running_rows_done(struct running_rows *v);

/* select.c: for a plugin that scores nodes. */
void select_begin(struct sched *s, struct arena *a, size_t rows);
/* Of the nodes with room the one that the plugin likes best; NIL: none. */
uint32_t select_node(struct sched *s, uint32_t part, const struct index_ask *ask, uint32_t mark);
/* The row begins (1) or ceases (-1) to use the node for a member of the part. */
void select_use(struct sched *s, uint32_t row, uint32_t node, uint32_t part, int sign);

/* reason.c: why a gang of this key does not fit now, in the arena. found: members with room, or NIL. */
struct reason reason_blocked(struct sched *s, struct arena *a, uint32_t key, uint32_t found);
/* Why a job that has something to wait for is not ready. */
struct reason reason_unready(struct arena *a, const struct job *j);
/* Why a queue starts nothing. */
struct reason reason_closed(const struct queue *q);

#endif

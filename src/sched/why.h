/*
 * The catalogue of reasons: why a job waits, or lost its nodes.
 *
 * One row for each reason: its number (it goes over the wire and never changes), its name, the word
 * that listings show, and its meaning. The numbers of a case (which node, how many, which limit)
 * are in the text that the round makes.
 */
#pragma once

/* X(number, NAME, word, meaning) */
#define WHY_TABLE(X)                                                                               \
	X(1, PRIORITY, "Priority",                                                                 \
	  "others come first: of its queue, or of queues further below their share")               \
	X(2, RESOURCES, "Resources", "no node it may use has enough free now")                     \
	X(3, GANG, "GangRoom", "there is room for some of its members, not for all at once")       \
	X(4, RESERVED, "Reserved", "it would delay the gang that holds the reservation")           \
	X(5, TOO_LARGE, "TooLarge", "no node that is up is that large, were it empty")             \
	X(6, CONSTRAINTS, "Constraints",                                                           \
	  "no node that is up has the labels or is on the lists it "                               \
	  "asks for")                                                                              \
	X(7, TAINTS, "Taints", "every node has a taint that it does not tolerate")                 \
	X(8, NODES_DOWN, "NodesDown", "no node is up")                                             \
	X(9, HELD, "Held", "it is held until somebody releases it")                                \
	X(10, ARRAY_LIMIT, "ArrayLimit", "as many elements of its array run as may at once")       \
	X(11, QUEUE_CORDONED, "QueueCordoned", "its queue starts nothing for now")                 \
	X(12, QUEUE_REMOVED, "QueueRemoved", "its queue is gone")                                  \
	X(13, QUEUE_LIMIT, "QueueLimit", "its queue would use more than it may")                   \
	X(14, CLASS_LIMIT, "ClassLimit", "its queue would use more than it may in this class")     \
	X(15, ROUND_LIMIT, "RoundLimit", "a round may start no more")                              \
	X(16, RATE_LIMIT, "RateLimit", "tasks are being started as fast as they may")              \
	X(17, LOOKBACK, "Lookback", "a round looks no further down its queue")                     \
	X(18, BUDGET, "RoundTime", "the round's time was over before its turn")                    \
	X(19, FAIR_SHARE, "FairShare", "it made room for a queue below its share")                 \
	X(20, URGENCY, "Urgency", "it made room for a more urgent class")                          \
	X(21, GANG_INCOMPLETE, "GangIncomplete",                                                   \
	  "members of its gang have not been submitted yet")                                       \
	X(22, ENDING, "RoomEnding", "its room is promised; what runs there is being ended")        \
	X(23, DEPENDENCY, "Dependency", "it waits for other jobs")                                 \
	X(24, BEGIN_TIME, "BeginTime", "it is not to begin before its time")                       \
	X(25, DEPENDENCY_NEVER, "DependencyNeverSatisfied",                                        \
	  "what it waits for can never be: change its dependency, or cancel it")                   \
	X(26, QUEUE_JOBS_LIMIT, "QueueJobsLimit", "as many jobs of its queue run as may at once")  \
	X(27, USER_JOBS_LIMIT, "UserJobsLimit", "as many jobs of its user run as may at once")     \
	X(28, USER_CPU_LIMIT, "UserCpuLimit", "its user would use more cpus than a user may")      \
	X(29, USER_MEMORY_LIMIT, "UserMemoryLimit",                                                \
	  "its user would use more memory than a user may")                                        \
	X(30, USER_GPU_LIMIT, "UserGpuLimit", "its user would use more gpus than a user may")      \
	X(31, BEYOND_LIMIT, "BeyondLimit",                                                         \
	  "it asks for more than its queue or its user may ever have running")                     \
	X(32, PREEMPTED, "Preempted",                                                              \
	  "it was preempted by somebody, and no round has looked at it since")                     \
	X(34, SLICE, "Slice",                                                                      \
	  "it is larger than its queue's slice of what was free, and others were drawn for what "  \
	  "remained")                                                                              \
	X(35, HELD_ADMIN, "JobHeldAdmin", "an administrator holds it, and alone may release it")

enum sched_why {
	WHY_NONE,
#define X(number, NAME, word, meaning) WHY_##NAME = number,
	WHY_TABLE(X)
#undef X
};

/* "Resources"; NULL for a number that is not in the table. */
const char *why_word(int why);
const char *why_meaning(int why);

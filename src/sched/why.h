/*
 * The catalogue of reasons: why a job waits, or lost its nodes.
 *
 * One row for each reason: its number (it goes over the wire and never changes), its name, the word
 * that listings show, and its meaning. The values of a case (which node, how many, which limit)
 * are in the text that the round makes.
 */
#pragma once

/* X(number, NAME, word, meaning) */
#define WHY_TABLE(X)                                                                               \
	X(1, PRIORITY, "Priority",                                                                 \
	  "other jobs come first: of its queue, or of queues further below their share")           \
	X(2, RESOURCES, "Resources", "no eligible node has enough free resources now")             \
	X(3, GANG, "GangRoom",                                                                     \
	  "some of the tasks that start together would fit now, but not all of them at once")      \
	X(4, RESERVED, "Reserved", "starting it would delay the gang that holds the reservation")  \
	X(5, TOO_LARGE, "TooLarge",                                                                \
	  "it does not fit on any node that is up, even if the node were empty")                   \
	X(6, CONSTRAINTS, "Constraints",                                                           \
	  "no node that is up matches both its labels and its node lists")                         \
	X(7, TAINTS, "Taints", "every node has a taint that it does not tolerate")                 \
	X(8, NODES_DOWN, "NodesDown", "no node is up")                                             \
	X(9, HELD, "Held", "it is held until it is released")                                      \
	X(10, ARRAY_LIMIT, "ArrayLimit",                                                           \
	  "its array already runs as many elements as its limit allows")                           \
	X(11, QUEUE_CORDONED, "QueueCordoned",                                                     \
	  "its queue is cordoned and starts no jobs at present")                                   \
	X(12, QUEUE_REMOVED, "QueueRemoved", "its queue no longer exists")                         \
	X(13, QUEUE_LIMIT, "QueueLimit", "its queue would exceed its limit")                       \
	X(14, CLASS_LIMIT, "ClassLimit",                                                           \
	  "its queue would exceed its limit for this priority class")                              \
	X(15, ROUND_LIMIT, "RoundLimit",                                                           \
	  "the round has reached the limit of what one round may start")                           \
	X(16, RATE_LIMIT, "RateLimit",                                                             \
	  "tasks are already being started at the highest rate that is allowed")                   \
	X(17, LOOKBACK, "Lookback", "it is beyond the part of its queue that a round considers")   \
	X(18, BUDGET, "RoundTime", "the time of the round was over before it was tried")           \
	X(19, FAIR_SHARE, "FairShare", "it was preempted in favour of a queue below its share")    \
	X(20, URGENCY, "Urgency", "a job of a more urgent class takes its resources")              \
	X(21, GANG_INCOMPLETE, "GangIncomplete",                                                   \
	  "not all members of its gang have been submitted yet")                                   \
	X(22, ENDING, "RoomEnding",                                                                \
	  "resources are reserved for it; the tasks that still use them are being ended")          \
	X(23, DEPENDENCY, "Dependency", "it waits for other jobs")                                 \
	X(24, BEGIN_TIME, "BeginTime", "its begin time has not come yet")                          \
	X(25, DEPENDENCY_NEVER, "DependencyNeverSatisfied",                                        \
	  "its dependency can never be satisfied: change the dependency, or cancel the job")       \
	X(26, QUEUE_JOBS_LIMIT, "QueueJobsLimit",                                                  \
	  "its queue already runs as many jobs as its limit allows")                               \
	X(27, USER_JOBS_LIMIT, "UserJobsLimit",                                                    \
	  "its user already runs as many jobs as the limit allows")                                \
	X(28, USER_CPU_LIMIT, "UserCpuLimit", "its user would exceed the limit of cpus")           \
	X(29, USER_MEMORY_LIMIT, "UserMemoryLimit", "its user would exceed the limit of memory")   \
	X(30, USER_GPU_LIMIT, "UserGpuLimit", "its user would exceed the limit of gpus")           \
	X(31, BEYOND_LIMIT, "BeyondLimit",                                                         \
	  "its request alone exceeds a limit of its queue, its user or its account")               \
	X(32, PREEMPTED, "Preempted",                                                              \
	  "it was preempted on request, and no round has tried it since")                          \
	X(34, SLICE, "Slice",                                                                      \
	  "it is larger than its queue's slice of the free resources, and other "                  \
	  "jobs were drawn for the rest")                                                          \
	X(35, HELD_ADMIN, "JobHeldAdmin",                                                          \
	  "an administrator holds it, and only an administrator can release it")                   \
	X(50, SCAVENGE, "Scavenge",                                                                \
	  "it scavenges: a job that does not scavenge needs the resources that it used")           \
	X(37, LICENSES, "Licenses",                                                                \
	  "not enough of a floating resource, such as a licence, is free")                         \
	X(45, GANG_TIMEOUT, "GangTimeout",                                                         \
	  "its gang has waited too long for members that were not submitted, and is held")         \
	X(38, USER_RESOURCE_LIMIT, "UserResourceLimit",                                            \
	  "its user would exceed the limit of a resource")                                         \
	X(39, ACCOUNT_JOBS_LIMIT, "AccountJobsLimit",                                              \
	  "its account already runs as many jobs as the limit allows")                             \
	X(40, ACCOUNT_CPU_LIMIT, "AccountCpuLimit", "its account would exceed the limit of cpus")  \
	X(41, ACCOUNT_MEMORY_LIMIT, "AccountMemoryLimit",                                          \
	  "its account would exceed the limit of memory")                                          \
	X(42, ACCOUNT_GPU_LIMIT, "AccountGpuLimit", "its account would exceed the limit of gpus")  \
	X(43, ACCOUNT_RESOURCE_LIMIT, "AccountResourceLimit",                                      \
	  "its account would exceed the limit of a resource")                                      \
	X(46, RESTARTING, "Restarting",                                                            \
	  "a change restarts it: it starts with the change when its tasks have ended")             \
	X(51, RESTART_PAUSE, "RestartPause",                                                       \
	  "it has failed, and pauses before it is restarted")                                      \
	X(36, NODES_MISSING, "NodesMissing",                                                       \
	  "nodes that are up are not connected to the controller, so no job can start there yet")

enum sched_why {
	WHY_NONE,
#define X(number, NAME, word, meaning) WHY_##NAME = number,
	WHY_TABLE(X)
#undef X
};

/* "Resources"; NULL for a number that is not in the table. */
const char *why_word(int why);
const char *why_meaning(int why);

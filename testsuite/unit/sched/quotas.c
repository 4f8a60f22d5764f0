/*
 * Absolute limits on running jobs of queues, users and accounts, in small worlds (script.h): which jobs
 * start, and the reasons of the others.
 */
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "unit/sched/script.h"
#include "util/mem.h"

/* The first id of the jobs for single tasks. */
#define V "9223372036854775809"

static const struct {
	const char *name, *text;
} worlds[] = {
	{"a queue has a limit of running jobs",
	 "node n0 cpu=8 mem=8\nqueue a 1\nqueue b 1\nquota a running=2\njob 1 a\njob 2 a\njob 3 a\n"
	 "job 4 a cpu=2\njob 5 b\nround\n> 1.0@n0 5.0@n0 2.0@n0\n"
	 "? 3 queue a has 2 of at most 2 jobs running (limit of queue a: max_running)\n? 4 -\n@ 3 -\n"
	 "end 1 0\nround\n> 3.0@n0\n"},
	{"a queue has a limit for each resource",
	 "node n0 cpu=64 mem=64 gpu=8\nqueue a 1\nquota a cpus=4 memory=10 gpus=1\n"
	 "job 1 a cpu=3 mem=2\njob 2 a cpu=2 mem=2\njob 3 a cpu=1 mem=7\njob 4 a cpu=1 mem=9\n"
	 "job 5 a cpu=0.5 mem=1 gpu=1\nround\n> 1.0@n0 3.0@n0\n"
	 "? 2 queue a uses 3 of at most 4 cpus, this job asks for 2 (limit of queue a: max_cpus)\n"
	 "? 4 queue a uses 4 of at most 4 cpus, this job asks for 1 (limit of queue a: max_cpus)\n"
	 "? 5 queue a uses 4 of at most 4 cpus, this job asks for 0.5 (limit of queue a: max_cpus)\n"
	 "end 1 0\nunwait 2 0\nround\n> 5.0@n0\n"
	 "? 4 queue a uses 7G of at most 10G memory, this job asks for 9G (limit of queue a: max_memory)\n"
	 "job 6 a cpu=0.5 mem=1 gpu=1\nround\n>\n"
	 "? 6 queue a uses 1 of at most 1 gpu, this job asks for 1 (limit of queue a: max_gpus)\n"},
	{"a user has a limit in a queue, whatever other users do",
	 "node n0 cpu=9 mem=9\nqueue a 1\nqueue b 1\neach a running=1\njob 1 a user=ann\n"
	 "job 2 a user=ann\njob 3 a user=bob\njob 4 a user=bob cpu=2\njob 5 a\njob 6 a\n"
	 "job 7 b user=ann\njob 8 b user=ann\nround\n"
	 "> 1.0@n0 7.0@n0 3.0@n0 8.0@n0 5.0@n0 6.0@n0\n"
	 "? 2 user ann has 1 of at most 1 job running (limit of queue a for each user: "
	 "user_max_running)\n"
	 "? 4 user bob has 1 of at most 1 job running (limit of queue a for each user: "
	 "user_max_running)\n@ 4 -\n"
	 "end 1 0\nround\n> 2.0@n0\n"},
	{"a user has a limit in all queues, some users by name",
	 "node n0 cpu=64 mem=64\nqueue a 1\nqueue b 1\nusers cpus=4 bob cpus=6 eve running=1\n"
	 "job 1 a user=ann cpu=3\njob 2 b user=ann cpu=2\njob 3 a user=ann\njob 4 a user=bob cpu=3\n"
	 "job 5 b user=bob cpu=3\njob 6 b user=bob\njob 7 a user=eve\njob 8 a user=eve\n"
	 "job 9 b user=eve cpu=5\nround\n> 2.0@n0 3.0@n0 4.0@n0 7.0@n0 5.0@n0\n"},
	{"the reason names the limit",
	 "node n0 cpu=64 mem=64 gpu=4\nqueue a 1\nusers cpus=4 memory=8 gpus=1 bob running=1\n"
	 "job 1 a user=ann cpu=3 mem=7\njob 2 a user=bob\nround\n> 1.0@n0 2.0@n0\n"
	 "job 3 a user=ann cpu=2\njob 4 a user=ann mem=2\njob 5 a user=bob\njob 6 a user=ann cpu=5\n"
	 "job 7 a user=ann gpu=2\nround\n>\n"
	 "? 3 user ann uses 3 of at most 4 cpus, this job asks for 2 "
	 "(limit of each user: user_limits.max_cpus)\n@ 3 1 cpu instead of 2 [--cpus=1]\n"
	 "? 4 user ann uses 7G of at most 8G memory, this job asks for 2G "
	 "(limit of each user: user_limits.max_memory)\n@ 4 1G memory instead of 2G [--memory=1G]\n"
	 "? 5 user bob has 1 of at most 1 job running (limit of user bob: users.max_running)\n@ 5 -\n"
	 "? 6 it asks for 5 cpus, user ann may use 4 (limit of each user: user_limits.max_cpus): "
	 "it can never start\n@ 6 1 cpu instead of 5 [--cpus=1]\n"
	 "? 7 it asks for 2 gpus, user ann may use 1 (limit of each user: user_limits.max_gpus): "
	 "it can never start\n@ 7 1 gpu instead of 2 [--gpus-per-task=1]\n"},
	{"a limit of zero, and a job that asks for none of it",
	 "node n0 cpu=8 mem=8 gpu=1\nqueue a 1\nqueue b 1\nquota a gpus=0\neach b running=0\njob 1 a gpu=1\n"
	 "job 2 a\njob 3 b user=ann\njob 4 b\nround\n> 4.0@n0 2.0@n0\n"
	 "? 1 it asks for 1 gpu, queue a may use 0 (limit of queue a: max_gpus): it can never start\n"
	 "? 3 it counts as 1 job, user ann may have 0 running "
	 "(limit of queue b for each user: user_max_running): it can never start\n"},
	{"array elements count one by one, tasks of a job do not",
	 "node n0 cpu=32 mem=32\nqueue a 1\neach a running=3 cpus=7\njob 1 a user=ann wait=0-9\n"
	 "job 2 a user=bob members=4\njob 3 a user=bob members=4\njob 4 a user=bob members=3\n"
	 "round\n> 1.0@n0 1.1@n0 1.2@n0 2.0@n0,n0,n0,n0 4.0@n0,n0,n0\n"
	 "? 3 user bob uses 4 of at most 7 cpus, this job asks for 4 "
	 "(limit of queue a for each user: user_max_cpus)\n"
	 "end 1 1\nround\n> 1.3@n0\n"},
	{"a gang of jobs counts its members",
	 "node n0 cpu=32 mem=32\nqueue a 1\neach a running=4\njob 1 a user=ann members=3 elements=3\n"
	 "job 2 a user=ann members=3 elements=2\njob 3 a user=ann members=3\njob 4 a user=ann members=3\n"
	 "job 5 a user=ann members=5 elements=5\nround\n> 1.0@n0,n0,n0 3.0@n0,n0,n0\n"
	 "? 2 user ann has 3 of at most 4 jobs running, this gang is 2 "
	 "(limit of queue a for each user: user_max_running)\n"
	 "? 4 user ann has 4 of at most 4 jobs running "
	 "(limit of queue a for each user: user_max_running)\n"
	 "? 5 it counts as 5 jobs, user ann may have 4 running "
	 "(limit of queue a for each user: user_max_running): it can never start\n"
	 "ended 1 0 0\nleft 1 0 2\nround\n> 4.0@n0,n0,n0\n"},
	{"an ended task gives back its part, member by member",
	 "node n0 cpu=32 mem=32\nqueue a 1\nusers cpus=6\njob 1 a user=ann cpu=2 members=3\n"
	 "job 2 a user=ann cpu=2\nround\n> 1.0@n0,n0,n0\nended 1 0 1\nround\n> 2.0@n0\nend 1 0\n"
	 "job 3 a user=ann cpu=4\nround\n> 3.0@n0\n"},
	{"a preempted job counts until its end",
	 "node n0 cpu=32 mem=32\nqueue a 1\nusers cpus=4 running=2\njob 1 a user=ann cpu=2 members=2\n"
	 "job 2 a user=ann\nround\n> 1.0@n0,n0\nyield 1 0 0\nyield 1 0 1\nyield 1 0 1\nround\n>\n"
	 "preempted 1 0\nhold 1\nround\n> 2.0@n0\n"},
	{"a restarted task counts as part of the running job",
	 "node n0 cpu=32 mem=32\nqueue a 1\nquota a running=1 cpus=4\nusers cpus=4 running=1\n"
	 "job 1 a user=ann cpu=2 members=2\nround\n> 1.0@n0,n0\nended 1 0 1\njob " V
	 " a user=ann cpu=2\njob 3 a user=ann cpu=2\npeek\n> " V ".0@n0\n"
	 "quota a cpus=4\nusers cpus=4\npeek\n> " V ".0@n0\n"
	 "unwait " V " 0\nremove " V "\nback 1 0 1 n0\nround\n>\n"
	 "ended 1 0 1\nround\n> 3.0@n0\n"},
	{"a limit of one user does not change the order of the jobs of others",
	 "node n0 cpu=32 mem=32\nqueue a 1\njob 1 a user=ann\njob 2 a user=ann\njob 3 a user=bob\n"
	 "job 4 a user=bob\nround\n> 1.0@n0 2.0@n0 3.0@n0 4.0@n0\n"
	 "job 5 a user=ann\njob 6 a user=ann\njob 7 a user=bob\nusers ann running=3\n"
	 "round\n> 5.0@n0 7.0@n0\nusers\nround\n> 6.0@n0\n"},
	{"a lowered limit ends no job and applies to later starts",
	 "node n0 cpu=32 mem=32\nqueue a 1\njob 1 a user=ann wait=0-3\nround\n"
	 "> 1.0@n0 1.1@n0 1.2@n0 1.3@n0\neach a running=2\njob 2 a user=ann wait=0-3\nround\n>\n"
	 "? 2 user ann has 4 of at most 2 jobs running (limit of queue a for each user: "
	 "user_max_running)\nend 1 0\nend 1 1\nround\n>\nend 1 2\nround\n> 2.0@n0\n"
	 "each a running=9\nround\n> 2.1@n0 2.2@n0 2.3@n0\neach a\nquota a running=3\n"
	 "job 3 a user=ann\nround\n>\nquota a\nround\n> 3.0@n0\n"},
	{"a new limit ends no job",
	 "node n0 cpu=32 mem=32\nqueue a 1\njob 1 a user=ann\njob 2 a user=ann\njob 3 a user=bob\n"
	 "each a running=1\nround\n> 1.0@n0 3.0@n0\n"},
	{"a changed job keeps its user",
	 "node n0 cpu=32 mem=32\nqueue a 1\neach a running=1\njob 1 a user=ann\njob 2 a user=ann\n"
	 "round\n> 1.0@n0\nchange 2 a cpu=2\nround\n>\nend 1 0\nround\n> 2.0@n0\n"},
	{"an account has a limit over all queues and users",
	 "node n0 cpu=64 mem=64 gpu=8\nqueue a 1\nqueue b 1\naccounts phys cpus=4 running=3 bio gpus=1\n"
	 "job 1 a user=ann account=phys cpu=3\njob 2 b user=bob account=phys cpu=2\n"
	 "job 3 b user=bob account=phys\njob 4 a user=ann account=bio gpu=1\njob 5 a user=ann cpu=2\n"
	 "job 6 a user=bob account=bio gpu=1\njob 7 b user=ann account=chem cpu=9\n"
	 "job 8 a account=phys cpu=5\n"
	 "round\n> 2.0@n0 3.0@n0 4.0@n0 5.0@n0 7.0@n0\n"
	 "? 1 account phys uses 2 of at most 4 cpus, this job asks for 3 "
	 "(limit of account phys: accounts.max_cpus)\n"
	 "? 6 account bio uses 1 of at most 1 gpu, this job asks for 1 "
	 "(limit of account bio: accounts.max_gpus)\n"
	 "? 8 it asks for 5 cpus, account phys may use 4 "
	 "(limit of account phys: accounts.max_cpus): it can never start\n"
	 "job 9 a user=eve account=phys cpu=0.5\njob 10 b user=eve account=phys cpu=0.5\nround\n> 10.0@n0\n"
	 "? 9 account phys has 3 of at most 3 jobs running "
	 "(limit of account phys: accounts.max_running)\n"
	 "end 2 0\nround\n> 9.0@n0\n"},
	{"a user has a limit in an account, whatever other users do",
	 "node n0 cpu=64 mem=64\nqueue a 1\nqueue b 1\naccounts phys each running=1\n"
	 "job 1 a user=ann account=phys\njob 2 b user=ann account=phys\njob 3 a user=bob account=phys\n"
	 "job 4 a user=ann account=bio\njob 5 a user=ann\njob 6 a account=phys\njob 7 a account=phys\nround\n"
	 "> 1.0@n0 3.0@n0 4.0@n0 5.0@n0 6.0@n0 7.0@n0\n"
	 "? 2 user ann has 1 of at most 1 job running (limit of account phys for each user: "
	 "accounts.user_max_running)\nend 1 0\nround\n> 2.0@n0\n"},
	{"new limits of accounts end no job, and removed ones do not apply",
	 "node n0 cpu=64 mem=64\nqueue a 1\njob 1 a user=ann account=phys wait=0-1\nround\n> 1.0@n0 1.1@n0\n"
	 "accounts phys running=1\njob 2 a user=bob account=phys\njob 3 a user=bob account=bio\n"
	 "round\n> 3.0@n0\n"
	 "? 2 account phys has 2 of at most 1 job running "
	 "(limit of account phys: accounts.max_running)\n"
	 "accounts\nround\n> 2.0@n0\n"},
	{"a changed job counts for its new account",
	 "node n0 cpu=64 mem=64\nqueue a 1\naccounts phys running=1 bio running=1\njob 1 a account=phys\n"
	 "job 2 a account=phys\nround\n> 1.0@n0\nchange 2 a account=bio\nround\n> 2.0@n0\n"
	 "job 3 a account=bio\nround\n>\n"},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		script_play(worlds[i].name, worlds[i].text);
	return done();
}

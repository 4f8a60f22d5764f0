/*
 * Explanations of pending jobs in small worlds: the state of the nodes, and the change that would
 * start the job.
 */
#include "tap/tap.h"
#include "unit/sched/script.h"
#include "util/mem.h"

#define TWO_BUSY                                                                                   \
	"node n0 cpu=8 mem=16\nnode n1 cpu=8 mem=16\nqueue a 1\njob 1 a cpu=6 mem=4\n"             \
	"job 2 a cpu=3 mem=12\nround\n> 1.0@n0 2.0@n1\n"

static const struct {
	const char *name, *text;
} worlds[] = {
	{"a job that starts needs no change", "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a\n@ 1 -\n"
					      "% 1 1 of 1 fit; 1 of 1 in line\nround\n> 1.0@n0\n"},
	{"the change reduces the cpus to the free amount",
	 TWO_BUSY "job 3 a cpu=6\nround\n>\n@ 3 5 cpu instead of 6 [--cpus=5]\n"
		  "% 3 0 of 2 fit; 2 busy cpu; nearest n1 lacks 1 cpu; 1 of 1 in line\n"
		  "remove 3\njob 3 a cpu=5\nround\n> 3.0@n1\n"},
	{"the change reduces the memory to a multiple of 1 MiB",
	 "node n0 cpu=8 mem=16\nqueue a 1\njob 1 a mem=4.3\nround\njob 2 a mem=12\n"
	 "@ 2 11980M memory instead of 12G [--memory=11980M]\n"},
	{"the smaller reduction is named",
	 TWO_BUSY "job 3 a cpu=3 mem=8\nround\n>\n@ 3 2 cpu instead of 3 [--cpus=2]\n"
		  "job 4 a cpu=5 mem=5\n@ 4 4G memory instead of 5G [--memory=4G]\n"},
	{"tenths of a core", "node n0 cpu=0.75 mem=8\nqueue a 1\njob 1 a cpu=1\n"
			     "@ 1 0.7 cpu instead of 1 [--cpus=0.7]\n"},
	{"the loss of all gpus counts as more than half",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a gpu=2\n@ 1 0 gpu instead of 2\n"
	 "% 1 0 of 1 fit; 1 too small gpu; nearest n0 lacks 2 gpu; 1 of 1 in line\n"
	 "node n1 cpu=4 mem=8 gpu=1\n@ 1 1 gpu instead of 2 [--gpus-per-task=1]\n"},
	{"the change reduces the number of members",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=0.1 mem=2 members=5\n"
	 "@ 1 4 tasks at once instead of 5 [--ntasks=4]\n"
	 "remove 1\njob 2 a cpu=4 members=3 distinct\nnode n1 cpu=4 mem=8\n"
	 "@ 2 2 nodes at once instead of 3 [--nodes=2 --ntasks=2]\n"},
	{"for a member with several tasks the option is per task",
	 "node n0 cpu=7 mem=16 gpu=8\nqueue a 1\njob 1 a cpu=8 mem=4 gpu=4 each=2\n"
	 "@ 1 6 cpu on each node instead of 8 [--cpus=3]\nremove 1\n"
	 "job 1 a cpu=2 mem=24 gpu=4 each=2\n@ 1 16G memory on each node instead of 24G [--mem=16G]\n"
	 "remove 1\njob 1 a cpu=6 mem=4 gpu=4 each=2 members=2 distinct\n"
	 "@ 1 1 node at once instead of 2 [--nodes=1 --ntasks=2 --gpus-per-task=2]\n"},
	{"another value of a label is preferred to no label",
	 "node n0 cpu=4 mem=8 label=gpu:v100\nqueue a 1\njob 1 a sel=gpu:a100 sel=gpu\n"
	 "@ 1 label gpu=v100 instead of gpu=a100 [--constraint=gpu=v100&gpu]\n"
	 "% 1 0 of 1 fit; 1 label gpu=a100; 1 of 1 in line\n"
	 "job 2 a unsel=gpu\n@ 2 without label !gpu\n"
	 "job 3 a sel=rack:r1 sel=gpu\n@ 3 without label rack=r1 [--constraint=gpu]\n"},
	{"changes of node lists, uniformity, exclusive nodes and taints",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8 down\nqueue a 1\njob 1 a\nround\n> 1.0@n0\n"
	 "job 2 a include=n1\n@ 2 without its list of nodes\n"
	 "% 2 0 of 2 fit; 1 down; 1 list; 1 of 1 in line\nremove 2\n"
	 "job 2 a exclude=n0\n@ 2 without its list of nodes to avoid\nremove 2\n"
	 "job 2 a exclusive\n@ 2 without --exclusive\n"
	 "% 2 0 of 2 fit; 1 down; 1 occupied; 1 of 1 in line\nremove 2\n"
	 "job 2 a keeps user=ann\n@ 2 without --exclusive=user\n"
	 "% 2 0 of 2 fit; 1 down; 1 kept; 1 of 1 in line\nremove 2\n"
	 "job 2 a members=2 uniform=rack\n@ 2 on nodes that need not share a value of label rack\n"
	 "% 2 0 of 2 fit; 1 down; 1 label rack; 1 of 1 in line\nremove 2\n"
	 "node n0 cpu=4 mem=8 taint=maint:yes:NoSchedule\njob 2 a\n"
	 "@ 2 tolerating taint maint [--toleration=maint]\n"
	 "% 2 0 of 2 fit; 1 down; 1 taint maint=yes:NoSchedule; 1 of 1 in line\n"},
	{"there is no change if no single change starts the job",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a gpu=1 sel=rack:r1\n@ 1 -\n"
	 "queue a 1 cordoned\njob 2 a\n@ 2 -\nqueue a 1\njob 3 a cpu=9\nhold 3\n@ 3 -\n"
	 "% 3 0 of 1 fit; 1 too small cpu; nearest n0 lacks 5 cpu; 0 of 0 in line\n"},
	{"the change is a time limit that ends before the reservation begins",
	 "node n0 cpu=8 mem=8\nqueue a 1\njob 1 a cpu=5 limit=3600\nround\n> 1.0@n0\n"
	 "job 2 a class=high cpu=8\njob 3 a\njob 4 a limit=7200\nround\n>\n= 2.0 at 3600 n0\n"
	 "@ 3 a time limit of 1 h instead of none [--time=01:00:00]\n"
	 "% 3 0 of 1 fit; 1 reserved; 2 of 3 in line\n"
	 "@ 4 a time limit of 1 h instead of 2 h [--time=01:00:00]\n"
	 "time 3541\n@ 4 a time limit of 59 s instead of 2 h [--time=00:00:59]\n"
	 "time 3581\n@ 3 a time limit of 19 s instead of none [--time=00:00:19]\n"
	 "remove 3\njob 3 a limit=19\nround\n> 3.0@n0\n"},
	{"a job behind equal jobs of its queue is explained",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=3\nround\n> 1.0@n0\njob 2 a cpu=3\n"
	 "job 3 a cpu=3\njob 4 a class=high cpu=3\nround\n>\n"
	 "% 3 0 of 1 fit; 1 busy cpu; nearest n0 lacks 2 cpu; 3 of 3 in line\n"
	 "@ 3 1 cpu instead of 3 [--cpus=1]\n? 3 -\nround\n? 3 -\n"},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		script_play(worlds[i].name, worlds[i].text);
	return done();
}

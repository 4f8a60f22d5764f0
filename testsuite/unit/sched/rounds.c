/*
 * Rounds of small worlds (script.h), one for each rule of the scheduler: order, shares, arrays,
 * constraints, placement, reasons.
 */
#include "tap/tap.h"
#include "unit/sched/script.h"
#include "util/mem.h"

static const struct {
	const char *name, *text;
} worlds[] = {
	{"one job starts", "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a\nround\n> 1.0@n0\nround\n>\n"},
	{"a decision without acceptance changes nothing",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=3\njob 2 a cpu=3\n"
	 "peek\n> 1.0@n0\npeek\n> 1.0@n0\nround\n> 1.0@n0\nround\n>\n"
	 "end 1 0\nround\n> 2.0@n0\n"},
	{"jobs of a queue are ordered by class, priority, submission and id",
	 "node n0 cpu=8 mem=8\nqueue a 1\njob 5 a at=1\njob 4 a at=1\njob 3 a at=0\n"
	 "job 2 a prio=-1 at=9\njob 1 a class=low at=0\njob 6 a class=high prio=7 at=9\n"
	 "round\n> 6.0@n0 2.0@n0 3.0@n0 4.0@n0 5.0@n0 1.0@n0\n"},
	{"a requeued job keeps its place in the queue",
	 "node n0 cpu=1 mem=8\nqueue a 1\njob 1 a\njob 2 a\nround\n> 1.0@n0\nend 1 0\nwait 1 0-0\n"
	 "round\n> 1.0@n0\nend 1 0\nround\n> 2.0@n0\n"},
	{"queues of equal weight alternate",
	 "node n0 cpu=4 mem=8\nqueue b 1\nqueue a 1\njob 1 a wait=0-9\njob 2 b wait=0-9\n"
	 "round\n> 1.0@n0 2.0@n0 1.1@n0 2.1@n0\n"},
	{"factors 1 and 2 share 2 to 1",
	 "node n0 cpu=6 mem=9\nqueue a 1\nqueue b 2\njob 1 a wait=0-9\njob 2 b wait=0-9\n"
	 "round\n> 1.0@n0 1.1@n0 2.0@n0 1.2@n0 1.3@n0 2.1@n0\n"},
	{"running jobs count",
	 "node n0 cpu=4 mem=8\nqueue a 1\nqueue b 1\njob 1 a cpu=2\nround\n> 1.0@n0\n"
	 "job 2 a wait=0-9\njob 3 b wait=0-9\nround\n> 3.0@n0 3.1@n0\n"},
	{"a more urgent class goes first between queues",
	 "node n0 cpu=2 mem=8\nqueue a 1\nqueue b 1\njob 1 a wait=0-9\njob 2 b class=high wait=0-9\n"
	 "round\n> 2.0@n0 2.1@n0\n"},
	{"the dominant resource counts",
	 "node n0 cpu=8 mem=8\nqueue a 1\nqueue b 1\njob 1 a cpu=1 mem=2 wait=0-9\n"
	 "job 2 b cpu=1 mem=0.5 wait=0-9\n"
	 "round\n> 2.0@n0 1.0@n0 2.1@n0 2.2@n0 1.1@n0 2.3@n0 2.4@n0 2.5@n0\n"},
	{"binpack chooses the node with least free cpu, then memory, then gpu, then the first one declared",
	 "node n3 cpu=4 mem=9\nnode n2 cpu=4 mem=8 gpu=1\nnode n1 cpu=4 mem=8\nnode n0 cpu=4 mem=8\n"
	 "node big cpu=9 mem=1\nqueue a 1\njob 1 a cpu=4 wait=0-4\n"
	 "round\n> 1.0@n1 1.1@n0 1.2@n2 1.3@n3 1.4@big\n"},
	{"a shape that never fits does not stop others of its queue",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=9\njob 2 a cpu=9\njob 3 a\nround\n> 3.0@n0\n"
	 "? 1 no node has 9 cpu at all (largest: n0 with 4)\n? 2 -\n"},
	{"arrays start from the front, removed elements stay out",
	 "node n0 cpu=3 mem=8\nqueue a 1\njob 1 a wait=5-7\nwait 1 20-30:5\nunwait 1 6-6\n"
	 "round\n> 1.5@n0 1.7@n0 1.20@n0\nend 1 7\nwait 1 7-7\nround\n> 1.7@n0\nend 1 5\nround\n"
	 "> 1.25@n0\n"},
	{"a throttle holds",
	 "node n0 cpu=8 mem=8\nqueue a 1\njob 1 a wait=0-9 throttle=2\njob 2 a\n"
	 "round\n> 1.0@n0 1.1@n0 2.0@n0\nround\n>\n? 1 array limit of 2 running elements reached\n"
	 "round\n? 1 -\nend 1 0\nround\n> 1.2@n0\n"},
	{"a held job is released",
	 "node n0 cpu=8 mem=8\nqueue a 1\njob 1 a\nhold 1\nround\n>\n? 1 held\nround\n? 1 -\n"
	 "release 1\nround\n> 1.0@n0\n"},
	{"a job removed while held leaves no state",
	 "node n0 cpu=8 mem=8\nqueue a 1\njob 1 a\nhold 1\nremove 1\njob 2 a\nround\n> 2.0@n0\n"},
	{"a cordoned queue starts nothing",
	 "node n0 cpu=8 mem=8\nqueue a 1 cordoned\nqueue b 1\njob 1 a\njob 2 b\nround\n> 2.0@n0\n"
	 "? 1 queue is cordoned\nqueue a 1\nround\n> 1.0@n0\n"},
	{"without nodes nothing starts",
	 "queue a 1\njob 1 a\nround\n>\n? 1 no nodes are up\n"
	 "node n0 cpu=1 mem=1 down\nround\n>\n? 1 -\nnode n0 cpu=1 mem=1\nround\n"
	 "> 1.0@n0\n"},
	{"a node leaves with its jobs and comes back with them",
	 "node n0 cpu=2 mem=8\nqueue a 1\njob 1 a\nround\n> 1.0@n0\ngone n0\njob 2 a cpu=2\nround\n>\n"
	 "node n0 cpu=2 mem=8\nround\n>\n? 2 no node has 2 cpu free now (best: n0 with 1)\n"
	 "end 1 0\nround\n> 2.0@n0\n"},
	{"reasons name the nearest node",
	 "node n0 cpu=8 mem=64\nnode n1 cpu=16 mem=8\nqueue a 1\njob 1 a cpu=4\nround\n> 1.0@n0\n"
	 "job 2 a cpu=16 mem=1\nround\n> 2.0@n1\njob 3 a cpu=9\njob 4 a mem=64\njob 5 a cpu=99\n"
	 "job 6 a gpu=1\nround\n>\n"
	 "? 3 none of 2 nodes has 9 cpu free now (best: n0 with 4)\n"
	 "? 4 none of 2 nodes has 64G memory free now (best: n0 with 63G)\n"
	 "? 5 none of 2 nodes has 99 cpu at all (largest: n1 with 16)\n"
	 "? 6 none of 2 nodes has 1 gpu at all (largest: n0 with 0)\n"},
	{"the reason says that no single node has all resources together",
	 "node n0 cpu=2 mem=64\nnode n1 cpu=16 mem=9\nqueue a 1\njob 1 a cpu=4 mem=16\nround\n>\n"
	 "? 1 none of 2 nodes has 4 cpu, 16G memory free together (nearest: n1 with 16 cpu, 9G memory)\n"},
	{"a gang starts complete or not at all",
	 "node n0 cpu=2 mem=8\nnode n1 cpu=2 mem=8\nqueue a 1\njob 1 a cpu=2 members=3\n"
	 "job 2 a cpu=1 members=4\nround\n> 2.0@n0,n0,n1,n1\n"
	 "? 1 needs room for 3 tasks at once, there is room for 2\n"},
	{"distinct members get distinct nodes",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nnode n2 cpu=1 mem=8\nqueue a 1\n"
	 "job 1 a cpu=2 members=3 distinct\njob 2 a cpu=1 members=3 distinct\nround\n"
	 "> 2.0@n2,n0,n1\n? 1 needs 3 nodes at once, 2 have room\n"},
	{"an exclusive job gets an empty node, and no other job joins it",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=8 mem=8\nqueue a 1\njob 1 a\nround\n> 1.0@n0\n"
	 "job 2 a exclusive\njob 3 a cpu=5\nround\n> 2.0@n1\n"
	 "? 3 none of 2 nodes has 5 cpu free now (best: n0 with 3)\njob 4 a exclusive\nround\n>\n"
	 "? 4 wants a whole node, and none of 2 nodes is empty\nend 2 0\nround\n> 3.0@n1\nend 1 0\n"
	 "round\n> 4.0@n0\n"},
	{"a job that keeps its nodes joins jobs of its user alone, and no job of another user joins it",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nqueue a 1\njob 1 a user=ann\njob 2 a user=bob\n"
	 "round\n> 1.0@n0 2.0@n0\njob 3 a user=ann keeps\nround\n> 3.0@n1\n"
	 "job 4 a user=bob cpu=3 include=n1\njob 5 a user=ann cpu=2\njob 6 a user=bob keeps\nround\n"
	 "> 5.0@n0\n"
	 "? 4 1 node has room, but is kept for the jobs of another user\n"
	 "? 6 shares nodes only with jobs of its user, and 1 node has room beside tasks of other users\n"
	 "end 5 0\nround\n>\nend 1 0\nround\n> 6.0@n0\n"
	 "end 3 0\nround\n> 4.0@n1\n"},
	{"a job may join the job that keeps a node for its user, also behind one of another user",
	 "node n0 cpu=2 mem=8\nqueue a 1\njob 1 a user=ann\nround\n> 1.0@n0\njob 2 a user=ann keeps\n"
	 "round\n> 2.0@n0\nend 1 0\njob 3 a user=bob\njob 4 a user=ann\nround\n> 4.0@n0\n"
	 "end 2 0\nround\n> 3.0@n0\n"},
	{"a gang that keeps its nodes has several members on one",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a user=ann keeps members=3\nround\n> 1.0@n0,n0,n0\n"
	 "job 2 a user=bob\nround\n>\nended 1 0 0\nended 1 0 1\nround\n>\nended 1 0 2\nround\n> 2.0@n0\n"},
	{"selectors are obeyed",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8 label=rack:r1 label=fast:\nqueue a 1\n"
	 "job 1 a sel=rack:r1\njob 2 a sel=fast\njob 3 a unsel=rack:r1\njob 4 a sel=rack:r2\n"
	 "round\n> 1.0@n1 2.0@n1 3.0@n0\n? 4 no node that is up has label rack=r2\n"
	 "job 5 a cpu=4 sel=rack:r1\nround\n>\n"
	 "? 5 no node of the 1 it may use has 4 cpu free now (best: n1 with 2)\n"},
	{"of alternatives one is enough",
	 "node n0 cpu=1 mem=8\nnode n1 cpu=1 mem=8 label=gpu:a\nnode n2 cpu=1 mem=8 label=gpu:b "
	 "label=old:\nqueue a 1\njob 1 a sel=gpu:a orsel=gpu:b\njob 2 a sel=gpu:a orsel=gpu:b\n"
	 "job 3 a sel=gpu:c orsel=old unsel=gpu:a\njob 4 a sel=gpu:c orsel=gpu:d\nround\n"
	 "> 1.0@n1 2.0@n2\n? 4 no node that is up has label gpu=c or gpu=d\nend 2 0\nround\n> 3.0@n2\n"},
	{"the jobs of a queue run on the nodes that it selects",
	 "node n0 cpu=1 mem=8\nnode n1 cpu=1 mem=8 label=rack:r1\nnode n2 cpu=1 mem=8 label=rack:r1 "
	 "label=fast:\nqueue a 1\nqueue b 1\nselect a rack:r1\njob 1 a\njob 2 a\njob 3 a\njob 4 b\n"
	 "round\n> 1.0@n1 4.0@n0 2.0@n2\nend 1 0\nend 4 0\nselect a fast:\nround\n>\nselect a\nround\n"
	 "> 3.0@n0\nselect a rack:r9\njob 5 a\nround\n>\n"
	 "? 5 no node that is up has label rack=r9, which its queue requires\n"},
	{"a change of what a queue selects reaches arrays that run in part, gangs and groups",
	 "node n0 cpu=2 mem=8\nnode n1 cpu=2 mem=8 label=rack:r1\nqueue a 1\nselect a rack:r1\n"
	 "job 1 a wait=0-3\nround\n> 1.0@n1 1.1@n1\nselect a\nround\n> 1.2@n0 1.3@n0\n"
	 "end 1 0\nend 1 1\nend 1 2\nend 1 3\nselect a rack:r1\njob 2 a members=3\nround\n>\n"
	 "select a\nround\n> 2.0@n0,n0,n1\n"},
	{"taints are obeyed",
	 "node n0 cpu=1 mem=8 taint=gpu:yes:NoSchedule\nnode n1 cpu=9 mem=8 "
	 "taint=x:y:PreferNoSchedule\n"
	 "queue a 1\njob 1 a\njob 2 a tol=gpu:Equal:no\njob 3 a tol=gpu:Equal:yes\nround\n"
	 "> 1.0@n1 2.0@n1 3.0@n0\nend 3 0\njob 4 a tol=gpu:Exists:\nround\n> 4.0@n0\n"
	 "node n1 cpu=9 mem=8 taint=x:y:NoExecute\njob 5 a\nround\n>\n"
	 "? 5 every node that is up has a taint it does not tolerate\n"},
	{"lists of nodes are obeyed",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nnode n2 cpu=4 mem=8\nqueue a 1\n"
	 "job 1 a include=n1 include=n2\njob 2 a exclude=n0 exclude=n1\njob 3 a include=n7\nround\n"
	 "> 1.0@n1 2.0@n2\n"
	 "? 3 no node on its list (n7) is up and accepts it\n"
	 "node n7 cpu=1 mem=1\nround\n> 3.0@n7\n"},
	{"all members share one value of a label",
	 "node n0 cpu=2 mem=8 label=rack:r2\nnode n1 cpu=1 mem=8 label=rack:r1\n"
	 "node n2 cpu=1 mem=8 label=rack:r2\nnode n3 cpu=9 mem=9\nqueue a 1\n"
	 "job 1 a members=3 uniform=rack\njob 2 a members=4 uniform=rack\n"
	 "job 3 a members=2 uniform=row\nround\n> 1.0@n2,n0,n0\n"
	 "? 2 needs room for 4 at once on nodes with one value of label rack, at most 1 has it\n"
	 "? 3 no node that is up has label row\n"},
	{"the reason changes with the state",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=9\nround\n"
	 "? 1 no node has 9 cpu at all (largest: n0 with 4)\nround\n? 1 -\nhold 1\nround\n? 1 held\n"
	 "release 1\nround\n? 1 no node has 9 cpu at all (largest: n0 with 4)\n"
	 "queue a 1 cordoned\nround\n? 1 queue is cordoned\nqueue a 1\nround\n"
	 "? 1 no node has 9 cpu at all (largest: n0 with 4)\nnode n1 cpu=6 mem=8\nround\n"
	 "? 1 none of 2 nodes has 9 cpu at all (largest: n1 with 6)\nnode n1 cpu=9 mem=8\nround\n> 1.0@n1\n"},
	{"an extremely large request does not fit",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=9e15 mem=8e9 members=4000000000\njob 2 a\nround\n"
	 "> 2.0@n0\n? 1 no node has 9000000000000000 cpu at all (largest: n0 with 4)\n"},
	{"the check whether a job could ever fit on the nodes",
	 "queue a 1\ncould 1 a cpu=99\nnode n0 cpu=4 mem=8 label=rack:r1\nnode n1 cpu=8 mem=4 down\n"
	 "could 1 a cpu=8\nnever 1 a cpu=9 ! no node has 9 cpu (largest: n1 with 8)\n"
	 "never 1 a cpu=8 mem=8 ! no node has all that is asked for together\n"
	 "never 1 a sel=rack:r2 ! none of the 2 nodes has the labels, taints and name asked for\n"
	 "never 1 a cpu=5 sel=rack:r1 ! no node it may use has 5 cpu (largest: n0 with 4)\n"
	 "could 1 a members=12 mem=0.1\n"
	 "never 1 a members=3 distinct ! needs room for 3 at once, and all nodes together hold 2\n"},
	{"a removed queue keeps its running jobs' share until they end",
	 "node n0 cpu=4 mem=8\nqueue a 1\nqueue b 1\njob 1 a wait=0-1 throttle=1\nround\n> 1.0@n0\n"
	 "hold 1\nend 1 0\nunwait 1 1-1\nremove 1\njob 2 b\nround\n> 2.0@n0\n"},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		script_play(worlds[i].name, worlds[i].text);
	return done();
}

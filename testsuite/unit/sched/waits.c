/* Small worlds in which a gang waits for room and holds a reservation: who may go before it. */
#include "tap/tap.h"
#include "unit/sched/script.h"
#include "util/mem.h"

static const struct {
	const char *name, *text;
} worlds[] = {
	{"the textbook: a short one goes before, a long one does not",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=4 limit=60\n"
	 "job 2 a cpu=2 limit=100\nround\n> 1.0@n0 2.0@n1\n= -\n"
	 "job 3 a cpu=4 members=2 limit=50\njob 4 a cpu=1 limit=100\njob 5 a cpu=1 limit=101\n"
	 "job 6 a cpu=1\nround\n> 4.0@n1\n= 3.0 at 100 n0 n1\n"
	 "? 3 no node has 4 cpu free now (best: n1 with 2); starts in at most 2m on 2 nodes\n"
	 "? 5 would delay job 3, which starts in at most 2m on 2 nodes\n? 6 -\n"
	 "time 60\nend 1 0\nround\n>\n= 3.0 at 100 n0 n1\ntime 100\nend 2 0\nend 4 0\n"
	 "round\n> 3.0@n0,n1\n= 5.0 at 150 n0\n"},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		script_play(worlds[i].name, worlds[i].text);
	return done();
}

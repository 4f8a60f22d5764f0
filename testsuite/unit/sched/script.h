/*
 * Plays a small world that is written as text, one step a line, and tests the results:
 *
 *	order NAME [OPTION=NUMBER]	the first line: another order plugin than order/progressive
 *	node NAME cpu=4 mem=8 [gpu=1] [label=KEY:VALUE] [taint=KEY:VALUE:EFFECT] [down]
 *	gone NAME	the node is removed
 *	queue NAME FACTOR [cordoned]
 *	quota QUEUE [running=N] [cpus=N] [memory=G] [gpus=N]	limits of all jobs of the queue
 *	each QUEUE ...		limits of each user in the queue
 *	users [running=N] ... [NAME ...]	limits of users in all queues; after NAME: of this user
 *	accounts [NAME [running=N] ... [each ...]]	limits of accounts, after "each" of each user in it
 *	job ID QUEUE [class=C] [prio=P] [at=SUBMIT] [cpu=1] [mem=1] [gpu=1] [members=N] [distinct]
 *	    [exclusive] [keeps] [throttle=N]
 *	    [sel=KEY:VALUE] [orsel=KEY:VALUE] [unsel=KEY:VALUE] [tol=KEY:OP:VALUE]
 *	    [include=NODE] [exclude=NODE] [uniform=LABEL] [limit=SECONDS] [least=SECONDS] [grace=SECONDS]
 *	    [each=TASKS-OF-A-MEMBER] [user=NAME] [account=NAME] [elements=N]
 *	    [wait=0-9]
 *	change ID QUEUE ...		the job is updated to these values
 *	hold ID, release ID, remove ID, unwait ID A-B, wait ID A-B[:STEP], end ID ELEMENT,
 *	ended ID ELEMENT MEMBER, back ID ELEMENT MEMBER NODE, yield ID ELEMENT MEMBER,
 *	left ID ELEMENT ELEMENTS, preempted ID ELEMENT (it is pending again)
 *	time SECONDS	sets the time
 *	round		runs a round and accepts every decision
 *	peek		runs a round and accepts no decision
 *	> TEXT		the last round made exactly these decisions
 *	? ID TEXT	the last round gave this reason for the job; "-": none
 *	= TEXT		the reservation of the last round: "2.0 at 60 n0 n1*2", two members on n1
 *	@ ID TEXT	the change that would start it: "without label rack=r1 [--constraint=fast]"
 *	% ID TEXT	the nodes: "1 of 3 fit; 2 busy cpu; nearest n0 lacks 1 cpu; 1 of 2 in line"
 *	could JOB...	a job with these values could start on the nodes at some time
 *	never JOB... ! TEXT	such a job could never start, with this text
 *
 * cpu is in cores, mem in GiB. Each of > ? = @ % could never is one test.
 */
#pragma once

void script_play(const char *name, const char *text);

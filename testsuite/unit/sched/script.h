/*
 * Small worlds written as text, one step a line:
 *
 *	order NAME [OPTION=NUMBER]	first of all, instead of order/progressive
 *	node NAME cpu=4 mem=8 [gpu=1] [label=KEY:VALUE] [taint=KEY:VALUE:EFFECT] [down]
 *	gone NAME
 *	queue NAME FACTOR [cordoned]
 *	quota QUEUE [running=N] [cpus=N] [memory=G] [gpus=N]	all its jobs may have
 *	each QUEUE ...		so does each user's in it
 *	users [running=N] ... [NAME ...]	each user's in all queues; those after a name are of that one
 *	job ID QUEUE [class=C] [prio=P] [at=SUBMIT] [cpu=1] [mem=1] [gpu=1] [members=N] [distinct]
 *	    [exclusive] [throttle=N] [sel=KEY:VALUE] [unsel=KEY:VALUE] [tol=KEY:OP:VALUE]
 *	    [include=NODE] [exclude=NODE] [uniform=LABEL] [limit=SECONDS] [grace=SECONDS]
 *	    [each=TASKS-OF-A-MEMBER] [user=NAME] [elements=N]
 *	    [wait=0-9]
 *	change ID QUEUE ...		as job: it asks for this instead
 *	hold ID, release ID, remove ID, unwait ID A-B, wait ID A-B[:STEP], end ID ELEMENT,
 *	ended ID ELEMENT MEMBER, back ID ELEMENT MEMBER NODE, yield ID ELEMENT MEMBER,
 *	left ID ELEMENT ELEMENTS, preempted ID ELEMENT: it waits again
 *	time SECONDS	it is so late
 *	round		run one and accept every decision
 *	peek		run one and accept none
 *	> TEXT		the last round decided exactly this
 *	? ID TEXT	the last round gave this reason for the job; "-" for none
 *	= TEXT		the last round reserved this: "2.0 at 60 n0 n1*2", for job 2 two members on n1
 *	@ ID TEXT	this change would start it: "without label rack=r1 [--constraint=fast]"; "-"
 *	% ID TEXT	so do nodes stand: "1 of 3 fit; 2 busy cpu; nearest n0 lacks 1 cpu; 1 of 2 in line"
 *	could JOB...	as job: it could fit
 *	never JOB... ! TEXT	it could not, with this text
 *
 * cpu is in cores, mem in GiB. Each of > ? = @ % could never is one test.
 */
#pragma once

void script_play(const char *name, const char *text);

/*
 * A controller killed at any moment: every record that was reported as durable is present
 * afterwards.
 */
#include "unit/state/harness.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 50

/*
 * Appends records and writes snapshots and history without end; reports after each what is durable.
 */
static _Noreturn void victim(const char *dir, unsigned seed, int fd)
{
	struct armada_state_info info;
	uint64_t seq;
	void *h;

	if (state_open(dir, &h, &info))
		_exit(1);
	seq = info.last_seq;
	for (;;) {
		uint64_t n = 1 + (uint64_t)rand_r(&seed) % 40;

		if (state_append(h, seq + 1, seq + n))
			_exit(2);
		seq += n;
		if (write(fd, &seq, sizeof(seq)) != sizeof(seq))
			_exit(3);
		if (rand_r(&seed) % 16 == 0 && state_snapshot_at(h, seq - n / 2, 20))
			_exit(4);
		if (rand_r(&seed) % 8 == 0 && ops->history_put(h, seq, NULL, 0, NULL, 0, &err))
			_exit(5);
	}
}

/* The last sequence that was acknowledged before the child was killed, after this many. */
static uint64_t run_victim(const char *dir, unsigned seed, int acks)
{
	uint64_t seq = 0, acked = 0;
	int fds[2], status;
	pid_t pid;

	if (pipe(fds))
		bail("pipe");
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		victim(dir, seed, fds[1]);
	}
	close(fds[1]);
	while (read(fds[0], &seq, sizeof(seq)) == sizeof(seq)) {
		acked = seq;
		if (acks-- == 0) {
			/* At a random point of its next operation. */
			usleep(seed % 700);
			kill(pid, SIGKILL);
		}
	}
	close(fds[0]);
	waitpid(pid, &status, 0);
	if (!WIFSIGNALED(status))
		diag("the controller ended by itself with %d", WEXITSTATUS(status));
	return acked;
}

int main(void)
{
	struct armada_state_info info;
	struct replayed seen;
	const char *dir;
	uint64_t acked = 0;
	unsigned seed = 4711;
	int lost = 0, refused = 0, wrong = 0;
	void *h;

	harness_load();
	dir = harness_dir();
	if (state_init(dir))
		bail("%s", err.text);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t got = run_victim(dir, (unsigned)rand_r(&seed), rand_r(&seed) % 30);

		acked = got ? got : acked;
		if (state_open(dir, &h, &info)) {
			diag("round %d: %s", round, err.text);
			refused++;
			break;
		}
		lost += info.last_seq < acked;
		wrong += state_replay(h, &seen) != 0 || seen.wrong ||
			 (seen.last ? seen.last : seen.snapshot_seq) != info.last_seq;
		acked = info.last_seq;
		ops->close(h);
	}
	diag("%llu records after %d kills", (unsigned long long)acked, ROUNDS);
	is_int(refused, 0, "the state of every killed controller opens");
	is_int(lost, 0, "no acknowledged record is lost");
	is_int(wrong, 0, "no record is changed");
	ok(acked > ROUNDS, "records were acknowledged");
	return harness_done();
}

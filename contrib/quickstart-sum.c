/*
 * One task of a job whose tasks compute 1 + 2 + ... + N over TCP, for quickstart.
 *
 *	sum [N [FILE]]
 *
 * Each task sums a part. Rank 0 receives the parts of the other ranks and writes the total to FILE.
 * The rank, the number of tasks and the address of rank 0 come from the environment variables of
 * Armada. Rank 0 listens on one of TRIES ports that are computed from the job id. The other ranks
 * try these ports until one sends the greeting of this job.
 */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PORT_FIRST = 20000, PORTS = 10000, TRIES = 8, ROUNDS = 600 };

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	if (!value || !*value) {
		fprintf(stderr, "%s is not set\n", name);
		exit(1);
	}
	return value;
}

/* The port of an attempt, as text. */
static const char *port_of(int attempt)
{
	static char text[16];

	snprintf(text, sizeof(text), "%d",
		 PORT_FIRST +
			 (int)((atol(environment("ARMADA_JOB_ID")) * TRIES + attempt) % PORTS));
	return text;
}

/* Returns a listening socket (host NULL) or a connected socket; -1: failure. */
static int open_socket(const char *host, const char *port)
{
	struct addrinfo hints = {.ai_family = AF_INET,
				 .ai_socktype = SOCK_STREAM,
				 .ai_flags = host ? 0 : AI_PASSIVE};
	struct addrinfo *list;
	int fd, on = 1, rc;

	if (getaddrinfo(host, port, &hints, &list) != 0)
		return -1;
	fd = socket(list->ai_family, list->ai_socktype, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (host)
		rc = connect(fd, list->ai_addr, list->ai_addrlen);
	else
		rc = bind(fd, list->ai_addr, list->ai_addrlen) || listen(fd, 64);
	freeaddrinfo(list);
	if (rc == 0)
		return fd;
	close(fd);
	return -1;
}

/* Rank 0: adds the parts of the other ranks to sum. */
static long long collect(long long sum, int count, const char *greeting)
{
	int server = -1;

	for (int i = 0; server < 0 && i < TRIES; i++)
		server = open_socket(NULL, port_of(i));
	if (server < 0) {
		perror("listen");
		exit(1);
	}
	for (int have = 1; have < count;) {
		int fd = accept(server, NULL, NULL);
		FILE *f = fdopen(fd, "r+");
		long long part;

		fputs(greeting, f);
		fflush(f);
		if (fscanf(f, "%lld", &part) == 1) {
			sum += part;
			have++;
		}
		fclose(f);
	}
	return sum;
}

/* The other ranks: send their part to rank 0, which has the first of ARMADA_NODE_ADDRESSES. */
static void send_part(long long part, const char *greeting)
{
	const char *all = environment("ARMADA_NODE_ADDRESSES");
	char *host = strndup(all, strcspn(all, ", "));
	struct timespec pause = {0, 50000000};
	char received[128];

	for (int i = 0; i < ROUNDS * TRIES; i++) {
		int fd = open_socket(host, port_of(i % TRIES));
		FILE *f = fd < 0 ? NULL : fdopen(fd, "r+");

		if (f && fgets(received, sizeof(received), f) && strcmp(received, greeting) == 0) {
			fprintf(f, "%lld\n", part);
			fclose(f);
			return;
		}
		if (f)
			fclose(f);
		if (i % TRIES == TRIES - 1)
			nanosleep(&pause, NULL);
	}
	fprintf(stderr, "rank 0 does not answer on %s\n", host);
	exit(1);
}

int main(int argc, char **argv)
{
	int rank = atoi(environment("ARMADA_TASK_RANK")),
	    count = atoi(environment("ARMADA_TASK_COUNT"));
	long long max = argc > 1 ? atoll(argv[1]) : 100, sum = 0;
	char greeting[128];

	snprintf(greeting, sizeof(greeting), "armada %s.%s\n", environment("ARMADA_JOB_ID"),
		 environment("ARMADA_ATTEMPT"));
	for (long long i = rank; i <= max; i += count)
		sum += i;
	printf("rank %d of %d on %s added up %lld\n", rank, count, environment("ARMADA_NODE_NAME"),
	       sum);
	if (rank > 0) {
		send_part(sum, greeting);
		return 0;
	}
	sum = collect(sum, count, greeting);
	if (argc > 2) {
		FILE *f = fopen(argv[2], "w");

		if (!f || fprintf(f, "%lld\n", sum) < 0 || fclose(f) != 0) {
			perror(argv[2]);
			return 1;
		}
	}
	return 0;
}

/*
 * Replicated state: what a state plugin adds when several controllers share one state.
 *
 * The store holds one ordered log on several copies. One controller leads: it appends records. Others
 * stand by: they follow the log. The copies in the in-sync set hold each acknowledged record on disk; an
 * append is acknowledged only when all of them have it. The history stays in state_dir of each controller.
 *
 * Leading has an epoch, which the plugin takes in the store by compare-and-set. Every write carries it, and
 * the store refuses one with another epoch. Besides, the leader holds a lease. The leader counts it from
 * before the call that renewed it, by CLOCK_BOOTTIME; others count it from after they saw that call's
 * effect, by their own clocks, and some time more. So no two clocks are compared. A leader whose lease has
 * run out (lease_until is in the past) sends nothing that depends on its lead, but still leads: renew and
 * append may extend the lease again. -ESTALE ends the lead; then only another call of lead begins again.
 *
 * Differences of <armada/state.h> for a plugin whose table has these operations:
 *
 * - open does not take the state, and any number of controllers may have it open. last_seq is what the store
 *   had then. A controller that is new gets its local files from open; init makes the state in the store,
 *   and refuses a place that is not empty. Data that went backwards is refused (-EUCLEAN).
 * - replay calls for the newest snapshot and the records after it up to the last one that is known to be
 *   acknowledged; for a leader up to last_seq of lead.
 * - append, snapshot, snapshot_part and tidy belong to the leader. An append whose outcome is unknown is
 *   resolved inside: the plugin looks whether the records are in the store. -EAGAIN: they are not
 *   acknowledged yet, because the store or a copy is away, and err says which; the host repeats the call
 *   with the same records, and may add others behind them. -ENOSPC: as there. -ESTALE: the lead is lost;
 *   nothing that depends on these records may leave the process. -EUCLEAN: an acknowledged record is
 *   missing in the store; the host stops. After -ESTALE and -EUCLEAN the handle refuses writes.
 * - history_put and the other operations on the history work as there, for leader and standby alike. A
 *   plugin may also publish the events of events_put in the store while it leads, later than the records.
 *
 * Threads: append, snapshot, snapshot_part and tidy are called by one thread; lead, replay, follow,
 * check_mark and resign by one thread, and not while append runs; announce, controllers, renew, copies and
 * set_copies by one thread, which may be another one; interrupt, mark and lease_until by any. Operations that
 * wait for the store return -EINTR soon after interrupt(). -EAGAIN from any of them: the store cannot be
 * reached or does not answer, and the call may be repeated.
 */
#ifndef ARMADA_REPLICA_H
#define ARMADA_REPLICA_H

#include <armada/state_types.h>
#include <stdbool.h>

enum {
	ARMADA_REPLICA_COPIES_MAX = 8,
	ARMADA_REPLICA_NAME_MAX = 64,
	ARMADA_REPLICA_ADDRESS_MAX = 256,
	ARMADA_REPLICA_DATA_MAX = 65536,
	ARMADA_REPLICA_HASH_MAX = 32,
};

/* A record that a controller knows as acknowledged; seq 0: none. Only the plugin knows what the hash is. */
struct armada_replica_mark {
	uint64_t seq;
	size_t len;
	uint8_t hash[ARMADA_REPLICA_HASH_MAX];
};

/* The result of lead. */
struct armada_replica_lead {
	uint64_t epoch;
	uint64_t
		last_seq; /* of the last record in the log, which nobody else can change any more */
	int64_t lease_us; /* the time of a lease */
	int64_t wait_us;  /* with -EBUSY: about the time after which it is worth another try */
	char leader[ARMADA_REPLICA_NAME_MAX + 1]; /* with -EBUSY: the controller that leads */
};

/* What a controller says about itself, and what others see. */
struct armada_replica_controller {
	char name[ARMADA_REPLICA_NAME_MAX + 1];
	char address[ARMADA_REPLICA_ADDRESS_MAX + 1];
	bool leads;
	uint64_t epoch, seq; /* the epoch that it knows, and its last record */
	int64_t age_us; /* of controllers: since it announced something that this one saw; -1: before */
	const void *data; /* of the host, for instance its configuration; at most DATA_MAX bytes */
	size_t len;
};

/* A result other than 0 stops the caller, which returns it. The data is borrowed for the call. */
typedef int armada_replica_controller_fn(void *arg, const struct armada_replica_controller *c);

enum armada_replica_copy_state {
	ARMADA_REPLICA_IN_SYNC = 1,  /* holds all that it has got on disk */
	ARMADA_REPLICA_CATCHING = 2, /* connected, and not yet so far */
	ARMADA_REPLICA_AWAY = 3,
};

struct armada_replica_copies {
	uint64_t version; /* grows with each change of the set */
	uint64_t acked;   /* the last record that is known to be acknowledged */
	size_t count;
	struct armada_replica_copy {
		char name[ARMADA_REPLICA_NAME_MAX + 1]; /* as in the options: host:port */
		enum armada_replica_copy_state state;
		bool member;     /* of the in-sync set */
		bool primary;    /* takes the writes */
		bool removed;    /* out of the set until set_copies names it */
		uint64_t seq;    /* it holds the records up to this one at least; 0: not known */
		uint64_t lag;    /* bytes behind the primary, while it is connected */
		int64_t away_us; /* how long it has been away, as seen by this controller */
		char why[128];   /* what is wrong with it, or "" */
	} copies[ARMADA_REPLICA_COPIES_MAX];
};

struct armada_replica_ops {
	size_t size; /* of this table; a later release adds operations at its end */
	/*
	 * Takes the lead with an epoch that is above all earlier ones and at least `least`. The epoch is on
	 * a majority of the in-sync set before it returns, and on all that can be reached; only then the
	 * end of the log is read. The host that finds a higher epoch in the records calls it again. -EBUSY:
	 * the lease of another controller may still be valid, or it has named another heir. It never
	 * waits for that lease to end.
	 */
	int (*lead)(void *handle, uint64_t least, struct armada_replica_lead *ret_lead,
		    struct armada_error *err);
	/*
	 * Calls on_record for acknowledged records after `after`, in their order. If there are none it waits
	 * for them, up to timeout_ms. For a leader, records up to last_seq of lead count as acknowledged.
	 * ret_seq: the last record of the calls, or `after`; ret_acked: the last one that is acknowledged.
	 * -ESTALE: the log no longer has these records, or others in their places: the host forgets all that
	 * it has folded, and calls replay.
	 */
	int (*follow)(void *handle, uint64_t after, int timeout_ms,
		      armada_state_record_fn *on_record, void *arg, uint64_t *ret_seq,
		      uint64_t *ret_acked, struct armada_error *err);
	/*
	 * Renews the lease, on a majority of the in-sync set. Called several times in the time of a lease.
	 * -ESTALE: the lead is lost. It also shrinks and completes the in-sync set where options of the
	 * plugin say so; the host sees that by copies.
	 */
	int (*renew)(void *handle, struct armada_error *err);
	/*
	 * Until when, by CLOCK_BOOTTIME, this controller leads; 0: it does not. Never waits. lead, append and
	 * renew change it. The host asks before anything leaves that depends on its lead.
	 */
	int64_t (*lease_until)(void *handle);
	/*
	 * Gives the lead up. heir: the only controller that may take it while a lease would last; NULL: any.
	 * Others need not wait for the end of the lease.
	 */
	int (*resign)(void *handle, const char *heir, struct armada_error *err);
	/*
	 * Says what this controller is, once a second or so. -EEXIST: another running controller has this
	 * name. The first call finds that out, and may take some seconds.
	 */
	int (*announce)(void *handle, const struct armada_replica_controller *self,
			struct armada_error *err);
	/* Calls for each controller that has announced itself, in the order of names. */
	int (*controllers)(void *handle, armada_replica_controller_fn *on_controller, void *arg,
			   struct armada_error *err);
	/* The state of all copies. A standby sees what the store says. */
	int (*copies)(void *handle, struct armada_replica_copies *ret_copies,
		      struct armada_error *err);
	/*
	 * Makes these copies the in-sync set, as a leader only. Refused with -EINVAL: fewer than two copies
	 * of more, an unknown one, and a new one that does not hold all records on disk. out: copies that
	 * are none of the set and do not come back by themselves. The host appends a record that says so
	 * afterwards, as for every new version that it sees.
	 */
	int (*set_copies)(void *handle, const char *const *names, size_t count,
			  const char *const *out, size_t out_count, struct armada_error *err);
	/* Ends what waits, and all later waits until interrupt(handle, false). Any thread. */
	void (*interrupt)(void *handle, bool on);
	/* The last record that this controller knows as acknowledged. Never waits. Any thread. */
	void (*mark)(void *handle, struct armada_replica_mark *ret_mark);
	/*
	 * By the thread of lead, before a controller that has the lead acts: does the log have the record
	 * that another one knows as acknowledged? -EUCLEAN: no. Then the handle refuses writes and keeps the
	 * mark, so that open refuses the log, too. -EBADMSG: a mark of another kind, as of another release.
	 */
	int (*check_mark)(void *handle, const struct armada_replica_mark *mark,
			  struct armada_error *err);
};

#endif

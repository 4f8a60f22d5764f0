"""Fills history.db with N attempts of a year: fill_history.py DB N JOB. The packed row of JOB stands for all, with other
ids and times, so that answers have their real size."""
import sqlite3, sys, time

db, count, job = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
conn = sqlite3.connect(db, isolation_level=None)
conn.execute("PRAGMA synchronous = OFF")
conn.execute("PRAGMA cache_size = -400000")
packed = conn.execute("SELECT row FROM row WHERE job = ?", (job,)).fetchone()[0]
names = [r[1] for r in conn.execute("PRAGMA table_info(accounting)")]


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def field(number, n):
    return varint(number << 3) + varint(n)


def without(data, dropped):
    """The packed message without some of its fields."""
    out, at = b"", 0

    def number(i):
        n = shift = 0
        while True:
            n |= (data[i] & 127) << shift
            i, shift = i + 1, shift + 7
            if data[i - 1] < 128:
                return n, i
    while at < len(data):
        key, end = number(at)
        if key & 7 == 0:
            end = number(end)[1]
        elif key & 7 == 2:
            size, end = number(end)
            end += size
        else:
            end += 8 if key & 7 == 1 else 4
        if key >> 3 not in dropped:
            out += data[at:end]
        at = end
    return out


def rows():
    now, step = int(time.time() * 1e6), 365 * 86400 * 1000000 // count
    for k in range(count):
        user = 0 if k % 10 == 0 else k // 10 * 7 % 1000
        run, wait = (60 + k * 7919 % 7200) * 1000000, k * 31 % 3600 * 1000000
        end = now - (count - k) * step
        cpus, start = 1 + k % 16, end - run
        state, lost = (10, 1) if k % 100 == 7 else (11, 2) if k % 1000 == 11 else (7 if k % 20 == 3 else 6, 0)
        yield dict(
            end_us=end, job=1000000 + k, first_element=0, attempt=1, last_element=0, start_us=start, eligible_us=start - wait,
            state=state, lost=lost, uid=1000 + user, gid=100, requeued=0, submit_us=start - wait, exit_code=0, exit_signal=0,
            for_job=0, for_element=0, tasks=1, node_count=1, cpu_milli=1000 * cpus, memory_bytes=cpus << 30, gpus=k % 10 == 0,
            cpu_us=run * cpus // 2, user_us=run * cpus // 2, system_us=0, peak_bytes=1 << 29, read_bytes=1000000,
            written_bytes=2000000, user=f"user{user}", account=f"acct{user % 200}", queue=f"queue{user % 50}",
            job_set=f"set{k % 1000}", name=f"job{k % 300}", reason="", by_user="", for_queue="", nodes=f"n{k % 1000}",
            resources='{"cpu":1000,"memory":1073741824}', **{"class": "normal"})


def both():
    for r in rows():
        attempts.append([r[n] for n in names])
        blob = rest + field(1, r["job"]) + field(16, r["submit_us"]) + field(17, r["start_us"]) + field(18, r["end_us"])
        ends.append((r["job"], 0, 1, 0, r["state"], r["uid"], r["user"], r["queue"], r["job_set"], r["name"], r["nodes"],
                     r["submit_us"], r["start_us"], r["end_us"], 1, blob))
        if len(ends) == 100000:
            yield
    yield


rest = without(packed, {1, 16, 17, 18})
attempts, ends = [], []
for _ in both():
    conn.execute("BEGIN")
    conn.executemany(f"INSERT INTO accounting VALUES ({','.join('?' * len(names))})", attempts)
    conn.executemany("INSERT INTO row VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", ends)
    conn.execute("COMMIT")
    attempts.clear()
    ends.clear()
conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")

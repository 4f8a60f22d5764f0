#!/bin/bash
# arun --pty: a program on a pseudo-terminal; the user's terminal is restored afterwards.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

needs script
test_under_armada 2 --cpus 4 --memory 8G
unset ARMADA_JOB_ID

# on_terminal COMMAND: runs it on a terminal of 31 rows and 97 columns, and prints its output
# without carriage returns and without the ^@ that script prints at the end of its input. Standard input
# is the typed input.
on_terminal()
{
	script -qec "stty rows 31 cols 97; $1" /dev/null | tr -d '\r' | sed 's/\^@//g'
}

is "$(on_terminal 'arun --mem 100M --pty sh -c "test -t 0 && test -t 1 && test -t 2 && stty size"' </dev/null)" \
	'31 97' "the program has a terminal of the size of the user's"
is "$(on_terminal 'arun --mem 100M --pty sh -c "exit 7"; echo $?' </dev/null)" 7 'arun returns the exit code'
is "$(on_terminal 'before=$(stty -g); arun --mem 100M --pty true; [ "$before" = "$(stty -g)" ] && echo same' </dev/null)" \
	same "the user's terminal is restored"
is "$(on_terminal 'before=$(stty -g); arun --memory 100M --pty no-such-program; echo $?; [ "$before" = "$(stty -g)" ] && echo same' </dev/null | tail -n 2 | tr '\n' ' ')" \
	'127 same ' "the user's terminal is restored when the program cannot start"
is "$(echo word | arun --mem 100M --pty sh -c 'read word; echo got $word; read more || echo end' | tr -d '\r' | grep -v '^word' | tr '\n' ' ')" \
	'got word end ' "without a user's terminal the program reads the end of the input"

# prompts N: the shell has printed N prompts and waits for input
prompts()
{
	[ "$(grep -aoE 'bash-[0-9.]+[$#] ' screen.txt | wc -l)" = "$1" ]
}
# in_front NAME: the program NAME runs in the foreground process group of the terminal. A ^C that is typed
# before sleep is in the foreground goes to the shell, and sleep would continue.
in_front()
{
	local stat

	stat=$(cat "/proc/$(cat shell.pid)/stat") && stat=(${stat##*) }) &&
		[ "$(cat "/proc/${stat[5]}/comm")" = "$1" ]
}

# an interactive shell
mkfifo keys
TERM=dumb script -qefc 'arun --mem 100M --pty bash --norc --noprofile' /dev/null <keys >screen.txt &
shell=$!
exec 9>keys
ok 'a shell prints a prompt' wait_until 20 prompts 1
printf 'echo $$ >%q; echo one-$((1+1)); sleep 300\r' "$work/shell.pid" >&9
ok 'the shell runs the typed command' wait_until 20 in_front sleep
printf '\003' >&9
ok '^C ends only that command' wait_until 20 prompts 2
printf 'echo interrupted-$?\r' >&9
ok 'the command ended by SIGINT' wait_until 20 grep -q 'interrupted-130' screen.txt
printf 'sleep 300 &\rexit 3\r' >&9
exec 9>&-
wait $shell
like "$(cat screen.txt)" 'one-2' 'the output of the command is shown'
ok 'the job has ended' wait_until 20 eval '[ -z "$(aqueue --noheader --format id --name bash)" ]'
like "$(aqueue --state failed --noheader --format reason --name bash)" 'exit code 3' 'the job has the exit code of the shell'

# a change of the window size
cat >resize.sh <<'END'
trap 'stty size >changed' WINCH
echo ready
until [ -e changed ]; do sleep 0.05; done
cat changed
END
cat >resize.py <<'END'
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    os.execvp("arun", ["arun", "--mem", "100M", "--pty", "sh", "resize.sh"])
text = b""
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    text += data
    if b"ready" in text and b"told" not in text:
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        text += b"told"
sys.stdout.write(text.decode().replace("\r", ""))
os.waitpid(pid, 0)
END
if has python3; then
	like "$(timeout 60 python3 resize.py)" '40 120' 'a change of the window size reaches the program'
else
	skip "a change of the window size reaches the program: $missing"
fi

# an interactive session of several tasks
cat >session.sh <<'END'
echo tasks: $ARMADA_TASK_COUNT, launch $ARMADA_LAUNCH
arun -l sh -c 'echo $ARMADA_NODE_NAME' | sort
END
session=$(on_terminal 'arun -N 2 --mem 100M --pty sh session.sh' </dev/null)
like "$session" 'tasks: 2, launch first' 'the session knows its tasks'
like "$session" $'0: n[12]\n1: n[12]' 'a step of the session runs in all tasks'
run arun --pty -n 2 --label --input none --memory 100M sh -c 'arun --pty -n 2 true'
is "$status" 2 '--pty with two tasks is refused'
done_testing

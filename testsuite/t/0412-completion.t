#!/bin/bash
# Completion as a user sees it: the installed files, in bash, zsh and fish, with a key for each completion.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3 make

cat >site.conf <<'END'
security = { min_uid = 0; allow_root_jobs = true; };
queues = ( { name = "physics"; }, { name = "biology"; } );
accounts = ( { name = "phys"; }, { name = "chem"; } );
END
test_under_armada 2 --conf "$work/site.conf"
job=$(asubmit --parsable --mem 10M --begin now+1hour --wrap true)
touch 'some file' script.sh
mkdir sub

# The rule that installs; the tree is not written to.
sed -n '/^# Each shell finds/,$p' "$ARMADA_SRCDIR/contrib/local.mk" | grep -v '^EXTRA_DIST\|^	contrib' >rules.mk
ok 'the completions are installed' make -f rules.mk install-completions MKDIR_P='mkdir -p' INSTALL_DATA='install -m 644' \
	top_srcdir="$ARMADA_SRCDIR" bashcompletiondir="$work/bash" zshcompletiondir="$work/zsh" fishcompletiondir="$work/fish"

# type.py SHELL LINE...: starts the shell on a terminal, types each line and the tabulator, and prints the line that
# the shell then has.
cat >type.py <<'END'
import os, pty, select, sys, time
shell, setup, lines = sys.argv[1], sys.argv[2], sys.argv[3:]
end = time.monotonic() + 60
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="xterm", COLUMNS="200")
    args = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}[shell]
    os.execvp(args[0], args)
seen = b""
def wait(ready):
    global seen
    while not ready():
        left = end - time.monotonic()
        if left <= 0:
            sys.exit("no answer; the terminal shows: " + seen.decode(errors="replace"))
        if select.select([fd], [], [], min(left, 0.02))[0]:
            try:
                seen += os.read(fd, 65536)
            except OSError:
                sys.exit("the shell ended: " + seen.decode(errors="replace"))
os.write(fd, b". " + setup.encode() + b"\n")
wait(lambda: b"READY>" in seen)
for n, line in enumerate(lines):
    os.write(fd, line.encode() + b"\t\x14\x15")
    wait(lambda: os.path.exists("typed") and open("typed").read().count("\n") > n)
print(open("typed").read(), end="")
os.kill(pid, 9)
END
cat >setup.bash <<END
bind 'set bell-style none'
bind 'set completion-query-items 0'
bind 'set page-completions off'
bind 'set show-all-if-ambiguous off'
. /usr/share/bash-completion/bash_completion
for c in $work/bash/[!_]*; do . "\$c"; done
show() { printf '%s|\n' "\$READLINE_LINE" >>typed; }
bind -x '"\C-t": show'
PS1='READ''Y>'
END
cat >setup.zsh <<END
fpath=($work/zsh \$fpath)
autoload -U compinit
compinit -u -D
unsetopt list_beep list_ambiguous auto_menu
setopt no_auto_list
show() { print -r -- "\$BUFFER|" >>typed }
zle -N show
bindkey '^T' show
bindkey '^U' kill-whole-line
PS1='READ''Y>'
END

# What is typed, and the line after the tabulator; | is the end. A shell adds a blank after a whole word.
lines=(
	'asubmit --uni' 'asubmit --uniformity=|'
	'asubmit -q ph' 'asubmit -q physics |'
	'asubmit --queue=bio' 'asubmit --queue=biology |'
	'asubmit --priority-class=armada-d' 'asubmit --priority-class=armada-default |'
	'asubmit --open-mode=tr' 'asubmit --open-mode=truncate |'
	'asubmit --chdir su' 'asubmit --chdir sub/|'
	'asubmit scr' 'asubmit script.sh |'
	'asubmit --output some' 'asubmit --output some\ file |'
	'aqueue --state COMPLETI' 'aqueue --state COMPLETING |'
	'aqueue -t PENDING,CONF' 'aqueue -t PENDING,CONFIGURING |'
	'aqueue --state=PENDING,PREEMP' 'aqueue --state=PENDING,PREEMPTED |'
	'aqueue -o id,max_r' 'aqueue -o id,max_rss |'
	'aacct --usage -o wait_p9' 'aacct --usage -o wait_p95 |'
	'aacct -s COMPLETI' 'aacct -s COMPLETING |'
	'anode --format name,tai' 'anode --format name,taints |'
	'anode --reasons -o reason_t' 'anode --reasons -o reason_time |'
	'anode -s --format nodelist,gpu_s' 'anode -s --format nodelist,gpu_states |'
	'actl show que' 'actl show queue |'
	'actl show queue bio' 'actl show queue biology |'
	'ashare -o queue,wei' 'ashare -o queue,weight |'
	'aqueue -u root,daemo' 'aqueue -u root,daemon |'
	'acancel ' "acancel $job |"
	'aexplain ' "aexplain $job |"
	'actl queue show phy' 'actl queue show physics |'
	'actl queue cor' 'actl queue cordon |'
	'anode drai' 'anode drain |'
	'asim rounds scr' 'asim rounds script.sh |'
	'asubmit --signal ' 'asubmit --signal |'
	'asubmit --elastic-s' 'asubmit --elastic-signal=|'
	'asubmit --elastic=y' 'asubmit --elastic=yes |'
	'asubmit --elastic scr' 'asubmit --elastic script.sh |'
	'asubmit --exclusive=u' 'asubmit --exclusive=user |'
	'asubmit --sca' 'asubmit --scavenge |'
	'actl tak' 'actl takeover |'
	'actl copies rem' 'actl copies remove |'
	'actl token rev' 'actl token revoke |'
	'actl token create --verbs=watch,sub' 'actl token create --verbs=watch,submit |'
	'actl update 1 --rest' 'actl update 1 --restart |'
	'armctld --na' 'armctld --name=|'
	'armctld --migrate=sq' 'armctld --migrate=sqlite |'
	'armctld --log-level deb' 'armctld --log-level debug |'
)
typed=()
want=()
for ((i = 0; i < ${#lines[@]}; i += 2)); do
	typed+=("${lines[i]}")
	want+=("${lines[i + 1]}")
done

for shell in bash zsh; do
	if ! has $shell; then
		skip "$shell: $missing"
		continue
	elif [ $shell = bash ] && [ ! -e /usr/share/bash-completion/bash_completion ]; then
		skip 'bash: bash-completion is not installed (contrib/install-deps --tests)'
		continue
	fi
	rm -f typed
	run timeout 120 python3 type.py $shell "$work/setup.$shell" "${typed[@]}"
	[ "$status" -eq 0 ] || diag "$err"
	mapfile -t got <<<"$out"
	for i in "${!want[@]}"; do
		is "${got[i]-}" "${want[i]}" "$shell: ${typed[i]}"
	done
done

# fish says what it offers; the blank after a word is its own rule
if has fish; then
	for i in "${!want[@]}"; do
		expected=${want[i]%|}
		expected=${expected% }
		# the last word, as fish offers it: without quotes
		expected=${expected#"${typed[i]% *} "}
		got=$(HOME=$work XDG_CONFIG_HOME=$work/none fish -c "set fish_complete_path $work/fish; complete -C \$argv" -- \
			"${typed[i]}" 2>fish.err | cut -f 1)
		case ${typed[i]} in
		*--signal*) expected= ;;
		*some) expected='some file' ;;
		esac
		is "$got" "$expected" "fish: ${typed[i]}"
	done
else
	skip "fish: $missing"
fi

# ---- what is offered, by the program for other shells ----

offers()
{
	bash "$work/bash/_armada.bash" "$@"
}
is "$(offers aqueue -t '' | sort)" \
	"$( (sed -nE 's/.*ARMADA__JOB_STATE__[A-Z_]+, "([A-Z_]+)", .*/\1/p' "$ARMADA_SRCDIR/src/client/jobstate.c"; echo all) | sort)" \
	'every state is offered'
is "$(offers anode drain n | sort | paste -sd' ')" 'n1 n2' 'nodes are offered'
is "$(offers actl show node n | sort | paste -sd' ')" 'n1 n2' 'nodes are offered behind two words'
is "$(offers aqueue -o '' | sort | paste -sd' ')" \
	"$(aqueue --help | sed -n '/^Columns for/,/^$/s/^  \([a-z_]*\) .*/\1/p' | sort -u | paste -sd' ')" 'every column is offered'
is "$(offers actl preempt --class= | paste -sd' ')" "$(actl show classes --noheader --format class | sed 's/^/--class=/' |
	tr -d ' ' | paste -sd' ')" 'classes are offered behind an equals sign'
is "$(offers asubmit --account c | paste -sd' ')" chem 'accounts are offered'
is "$(offers actl show account '' | sort | paste -sd' ')" 'chem phys' 'also behind two words'

mkdir stub
cat >stub/actl <<'END'
#!/bin/sh
echo '{"nodes": 2, "controllers": [{"name": "c1", "role": "leads"}, {"name": "c2"}], "copies": [{"name": "r1"}]}'
END
chmod +x stub/actl
is "$(PATH=$PWD/stub:$PATH offers actl takeover '' | paste -sd' ')" 'c1 c2' 'actl takeover gets the controllers'

# without a controller there are no candidates, no messages and no delay
"$devcluster" kill "$cluster" armctld >/dev/null
begin=${EPOCHREALTIME/./}
run offers asubmit -q ''
is "$out$err" '' 'without a controller nothing is printed'
[ $((${EPOCHREALTIME/./} - begin)) -lt 10000000 ]
result $? 'and the shell does not wait'
done_testing

#compdef asubmit aalloc arun aacct aqueue acancel aexplain ashare anode actl awatch asim armctld
# zsh completion for the commands of Armada. The words come from the completion for bash, which runs as a program.
# make install puts the path of that program in the next line.
local engine=_armada.bash
local -a found open

found=("${(@f)$(bash $engine ${words[1]:t} "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
case ${found[1]-} in
:files | :directories | :commands) compset -P '--*=' ;;
'') return 1 ;;
esac
case $found[1] in
:files) _files ;;
:directories) _files -/ ;;
:commands) _command_names -e ;;
*)
	open=(${(M)found:#*=})
	compadd -S '' -- $open
	compadd -- ${found:#*=}
	;;
esac

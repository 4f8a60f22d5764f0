# bash completion for aexplain(1). A test compares the words with aexplain --help.

_aexplain()
{
	local cur=${COMP_WORDS[COMP_CWORD]}

	COMPREPLY=()
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "--json --help --version" -- "$cur"))
	else
		COMPREPLY=($(compgen -W "$(aqueue --me -t PD --noheader --format job 2>/dev/null)" -- "$cur"))
	fi
}
complete -F _aexplain aexplain

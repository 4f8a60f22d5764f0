# For tests with large programs of others. `runtests --foreign` installs them and sets $ARMADA_FOREIGN, the folder of
# the packages of npm.

[ -n "${ARMADA_FOREIGN:-}" ] || skip_all 'a test with programs of others: ./runtests --foreign installs them and runs it'
PATH=$PATH:$ARMADA_FOREIGN/node_modules/.bin:/usr/sbin:/sbin

# foreign COMMAND...: fails if one of them is missing.
foreign()
{
	local command

	for command; do
		command -v "$command" >/dev/null || bail "$command is not installed: ./runtests --foreign does it"
	done
}

# free_port: sets $port, where nothing listens on loopback.
free_port()
{
	until port=$((20000 + RANDOM % 12000)) && ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
}

# listens PORT: true if a server of loopback accepts connections.
listens()
{
	(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# For tests of the gateway. Set $url, its address, and $token before a call.

[ -x "$ARMADA_BUILDDIR/armrestd" ] || skip_all 'armrestd was not built: libmicrohttpd-dev is missing'
needs curl jq

# http [CURL OPTION]... PATH: $code and $body of an answer, with the token.
http()
{
	local path=${!#}

	set -- "${@:1:$#-1}"
	# shellcheck disable=SC2154
	code=$(curl -s --path-as-is -m 20 -o body -w '%{http_code}' -H "Authorization: Bearer $token" "$@" "$url$path")
	body=$(cat body)
}

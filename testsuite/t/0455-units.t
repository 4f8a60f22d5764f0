#!/bin/bash
# The unit files by systemd-analyze: no mistakes, and the sandboxes of the daemons that have one.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

# exposure_max: in tenths, as systemd-analyze security counts: 100 is a service without a sandbox
exposure_max=20
needs systemd-analyze
version=$(systemd-analyze --version | sed -n 's/^systemd \([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 250 ] || skip_all "systemd-analyze ${version:-of unknown release} cannot judge files: 250 can"

# The units with the programs of this build. systemd before 254 does not know DelegateSubgroup (armd.service).
mkdir units bin
for name in armctld armd armrestd; do
	printf '#!/bin/sh\n' >bin/$name && chmod 755 bin/$name
done
for unit in "$ARMADA_SRCDIR"/etc/systemd/*.service.in; do
	sed -e "s|@sbindir@|$work/bin|g; s|@sysconfdir@|/etc|g; s|@localstatedir@|/var|g; s|@runstatedir@|/run|g" \
		"$unit" >"units/$(basename "$unit" .in)"
done
mkdir units/redis-server.service.d
printf '[Service]\nExecStart=%s\n' "$work/bin/armd" >units/redis-server.service
sed "s|@pkglibexecdir@|$(cd "$ARMADA_SRCDIR/etc" && pwd)|g" "$ARMADA_SRCDIR/etc/redis-restart.conf.in" |
	sed "s|/usr/bin/redis-server|$work/bin/armd|" >units/redis-server.service.d/armada.conf
is "$(grep -rlE '@[a-z]+@' units | head -n 1)" '' 'the units have no other names to replace'

# complaints FILE...: about our units, not about those of others that they name
complaints()
{
	systemd-analyze verify --man=no "$@" 2>&1 | grep -E '(^|/)(arm[a-z-]*|redis-server)\.service|/armada\.conf' |
		if [ "$version" -lt 254 ]; then grep -v "Unknown key.*'DelegateSubgroup'"; else cat; fi
}
is "$(complaints units/*.service)" '' 'systemd-analyze verify finds no mistake'
mkdir wrong
sed 's/^ProtectSystem=strict/ProtectSytem=strict/' units/armrestd.service >wrong/armrestd.service
like "$(complaints wrong/armrestd.service)" "Unknown key.*ProtectSytem" '... but sees a mistake'

# judge UNIT: $status, 0 if the exposure is not above the limit
judge()
{
	run systemd-analyze security --no-pager --offline=true --threshold=$exposure_max "$1"
}
# armd has no sandbox: its jobs would inherit it.
for name in armctld armrestd; do
	judge units/$name.service
	is "$status" 0 "the exposure of $name is at most $((exposure_max / 10)) of 10" || diag "$out$err"
done
grep -vE '^(ProtectSystem|NoNewPrivileges|CapabilityBoundingSet|SystemCallFilter)=' units/armrestd.service >wrong/armrestd.service
judge wrong/armrestd.service
ok '... and above it without a sandbox' [ "$status" -ne 0 ]

# ---- users ----

for user in $(sed -n 's/^\(User\|Group\)=//p' units/*.service | sort -u); do
	ok "sysusers.d makes $user" grep -qE "^u $user " "$ARMADA_SRCDIR/etc/sysusers.d/armada.conf"
done
done_testing

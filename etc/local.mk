# systemd units, users and directories. make replaces the paths in the .in files.
systemdsystemunit_DATA = etc/systemd/armctld.service etc/systemd/armd.service \
	etc/systemd/armd-tasks.service
if HAVE_MICROHTTPD
systemdsystemunit_DATA += etc/systemd/armrestd.service
endif
sysusersdir = $(prefix)/lib/sysusers.d
dist_sysusers_DATA = etc/sysusers.d/armada.conf
tmpfilesdir = $(prefix)/lib/tmpfiles.d
tmpfiles_DATA = etc/tmpfiles.d/armada.conf
EXTRA_DIST += etc/systemd/armctld.service.in etc/systemd/armd.service.in \
	etc/systemd/armd-tasks.service.in etc/systemd/armrestd.service.in \
	etc/tmpfiles.d/armada.conf.in
CLEANFILES += $(systemdsystemunit_DATA) $(tmpfiles_DATA) $(armadaredis_DATA)

etc/systemd/armctld.service etc/systemd/armd.service etc/systemd/armd-tasks.service etc/systemd/armrestd.service $(tmpfiles_DATA) etc/redis-restart.conf: %: $(top_srcdir)/%.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(SED) -e 's|@sbindir[@]|$(sbindir)|g' \
		-e 's|@sysconfdir[@]|$(sysconfdir)|g' -e 's|@localstatedir[@]|$(localstatedir)|g' \
		-e 's|@runstatedir[@]|$(runstatedir)|g' \
		-e 's|@pkglibexecdir[@]|$(pkglibexecdir)|g' $< > $@.new && mv $@.new $@

# The example is installed beside armada.conf. make install does not write armada.conf.
armadaconfdir = $(sysconfdir)/armada
armadaconf_DATA = etc/armada.conf.example
EXTRA_DIST += etc/armada.conf
CLEANFILES += etc/armada.conf.example

etc/armada.conf.example: $(top_srcdir)/etc/armada.conf
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $(top_srcdir)/etc/armada.conf $@.new && mv $@.new $@

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = etc/armada.pc

# What is recommended for Redis, with state/redis.
armadaredisdir = $(docdir)/redis
dist_armadaredis_DATA = etc/redis.conf etc/redis-sentinel.conf etc/redis-users.acl
armadaredis_DATA = etc/redis-restart.conf
EXTRA_DIST += etc/redis-restart.conf.in
dist_pkglibexec_SCRIPTS = etc/redis-start

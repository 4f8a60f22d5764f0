# auth plugins
#
# How every plugin is built: plugins/<kind>/<kind>_<name>.so from plugins/<kind>/<name>.c. It is
# linked like a program, with -shared. It gets its own library and nothing of ours; $(module_ldflags) refuses
# undefined symbols.
plugin_DATA += plugins/auth/auth_munge.so
plugins_auth_auth_munge_so_SOURCES = plugins/auth/munge.c
plugins_auth_auth_munge_so_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_auth_auth_munge_so_CFLAGS = $(AM_CFLAGS) $(MUNGE_CFLAGS)
plugins_auth_auth_munge_so_LDFLAGS = $(module_ldflags)
plugins_auth_auth_munge_so_LDADD = $(MUNGE_LIBS)

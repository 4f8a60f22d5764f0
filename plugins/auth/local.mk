# auth plugins
#
# How every plugin is built: plugins/<kind>/<kind>_<name>.la from plugins/<kind>/<name>.c gives
# <kind>_<name>.so. It gets its own library and nothing of ours; $(plugin_LDFLAGS) refuses
# undefined symbols.
plugin_LTLIBRARIES += plugins/auth/auth_munge.la
plugins_auth_auth_munge_la_SOURCES = plugins/auth/munge.c
plugins_auth_auth_munge_la_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_auth_auth_munge_la_CFLAGS = $(AM_CFLAGS) $(MUNGE_CFLAGS)
plugins_auth_auth_munge_la_LDFLAGS = $(plugin_LDFLAGS)
plugins_auth_auth_munge_la_LIBADD = $(MUNGE_LIBS)

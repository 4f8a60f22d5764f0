# notify plugins
plugin_DATA += plugins/notify/notify_program.so
plugins_notify_notify_program_so_SOURCES = plugins/notify/program.c plugins/notify/run.c plugins/notify/run.h
plugins_notify_notify_program_so_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_notify_notify_program_so_LDFLAGS = $(module_ldflags)
plugin_DATA += plugins/notify/notify_mail.so
plugins_notify_notify_mail_so_SOURCES = plugins/notify/mail.c plugins/notify/run.c plugins/notify/run.h
plugins_notify_notify_mail_so_CPPFLAGS = -I$(top_srcdir)/src/include
plugins_notify_notify_mail_so_LDFLAGS = $(module_ldflags)
EXTRA_DIST += plugins/notify/README.md
if HAVE_CURL
plugin_DATA += plugins/notify/notify_http.so
plugins_notify_notify_http_so_SOURCES = plugins/notify/http.c
plugins_notify_notify_http_so_CPPFLAGS = -I$(top_srcdir)/src/include $(CURL_CFLAGS)
plugins_notify_notify_http_so_LDFLAGS = $(module_ldflags)
plugins_notify_notify_http_so_LDADD = $(CURL_LIBS)
endif

include plugins/auth/local.mk
include plugins/state/local.mk
include plugins/fairness/local.mk
include plugins/order/local.mk
include plugins/preempt/local.mk
include plugins/select/local.mk
include plugins/contain/local.mk
include plugins/notify/local.mk
include plugins/mpi/local.mk

# All plugins that were built, side by side as they will be installed: clusters and tests that run
# from the build tree have their plugin_dir here.
all-local: plugins.d/stamp
plugins.d/stamp: $(plugin_DATA)
	$(AM_V_GEN)$(MKDIR_P) plugins.d && chmod 755 plugins.d && \
	for so in $(plugin_DATA); do \
		name=`basename $$so .so`; \
		cp $$so plugins.d/.$$name.new && \
		chmod 644 plugins.d/.$$name.new && \
		mv -f plugins.d/.$$name.new plugins.d/$$name.so || exit 1; \
	done && touch $@
clean-local: plugins-clean
plugins-clean:
	rm -rf plugins.d
.PHONY: plugins-clean

noinst_PROGRAMS += $(plugin_DATA)


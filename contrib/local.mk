# Tools and examples that are distributed, but not installed.
EXTRA_DIST += contrib/compare-slurm contrib/devcluster contrib/install-deps contrib/quickstart-sum.c contrib/vm-test
EXTRA_DIST += contrib/examples/README.md contrib/examples/keep-running.c contrib/examples/prometheus-rules.yml
EXTRA_DIST += contrib/plugin-example/Makefile contrib/plugin-example/README.md \
	contrib/plugin-example/scenario.json contrib/plugin-example/tight.c

# Each shell finds a file by the name of the command. The files for bash source _armada.bash; those for zsh and fish
# run it.
completions = asubmit aalloc arun aacct aqueue acancel aexplain ashare anode actl awatch asim armctld
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
EXTRA_DIST += $(completions:%=contrib/completion/%.bash) contrib/completion/_armada.bash \
	contrib/completion/armada.zsh contrib/completion/armada.fish
completion_engine = sed 's:engine\([= ]\)_armada.bash:engine\1$(bashcompletiondir)/_armada.bash:'
install-data-local: install-completions
install-completions:
	$(MKDIR_P) '$(DESTDIR)$(bashcompletiondir)' '$(DESTDIR)$(zshcompletiondir)' '$(DESTDIR)$(fishcompletiondir)'
	for c in $(completions); do \
		$(INSTALL_DATA) '$(top_srcdir)'/contrib/completion/$$c.bash \
			'$(DESTDIR)$(bashcompletiondir)'/$$c || exit 1; \
		$(completion_engine) '$(top_srcdir)'/contrib/completion/armada.fish \
			>'$(DESTDIR)$(fishcompletiondir)'/$$c.fish || exit 1; \
	done
	$(INSTALL_DATA) '$(top_srcdir)'/contrib/completion/_armada.bash '$(DESTDIR)$(bashcompletiondir)'
	$(completion_engine) '$(top_srcdir)'/contrib/completion/armada.zsh >'$(DESTDIR)$(zshcompletiondir)'/_armada
uninstall-local: uninstall-completions
uninstall-completions:
	for c in $(completions) _armada.bash; do rm -f '$(DESTDIR)$(bashcompletiondir)'/$$c; done
	for c in $(completions); do rm -f '$(DESTDIR)$(fishcompletiondir)'/$$c.fish; done
	rm -f '$(DESTDIR)$(zshcompletiondir)'/_armada
.PHONY: install-completions uninstall-completions

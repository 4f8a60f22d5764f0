# Tools and examples that are distributed, but not installed.
EXTRA_DIST += contrib/devcluster contrib/install-deps contrib/quickstart-sum.c contrib/vm-test
EXTRA_DIST += contrib/plugin-example/Makefile contrib/plugin-example/README.md \
	contrib/plugin-example/scenario.json contrib/plugin-example/tight.c

# bash-completion finds a file by the name of the command. The files source _armada.bash.
completions = asubmit arun aqueue acancel aexplain ashare anode actl asim
EXTRA_DIST += $(completions:%=contrib/completion/%.bash) contrib/completion/_armada.bash
install-data-local: install-completions
install-completions:
	$(MKDIR_P) '$(DESTDIR)$(bashcompletiondir)'
	for c in $(completions); do \
		$(INSTALL_DATA) '$(top_srcdir)'/contrib/completion/$$c.bash \
			'$(DESTDIR)$(bashcompletiondir)'/$$c || exit 1; \
	done
	$(INSTALL_DATA) '$(top_srcdir)'/contrib/completion/_armada.bash '$(DESTDIR)$(bashcompletiondir)'
uninstall-local: uninstall-completions
uninstall-completions:
	for c in $(completions) _armada.bash; do rm -f '$(DESTDIR)$(bashcompletiondir)'/$$c; done
.PHONY: install-completions uninstall-completions

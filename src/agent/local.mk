# agent
noinst_LTLIBRARIES += src/agent/libagent.la
src_agent_libagent_la_SOURCES = src/agent/ledger.c src/agent/ledger.h

armadaincludedir = $(includedir)/armada
nobase_include_HEADERS =
armadainclude_HEADERS = \
	src/include/armada/plugin.h \
	src/include/armada/error.h \
	src/include/armada/mpi.h \
	src/include/armada/notify.h \
	src/include/armada/option.h \
	src/include/armada/auth.h \
	src/include/armada/state.h \
	src/include/armada/replica.h \
	src/include/armada/state_types.h \
	src/include/armada/attempts.h \
	src/include/armada/history.h \
	src/include/armada/contain.h \
	src/include/armada/policy.h \
	src/include/armada/fairness.h \
	src/include/armada/order.h \
	src/include/armada/preempt.h \
	src/include/armada/select.h

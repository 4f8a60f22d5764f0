noinst_LIBRARIES += src/wire/libwire.a
src_wire_libwire_a_SOURCES = src/wire/frame.c src/wire/frame.h src/wire/handshake.c \
	src/wire/session.c src/wire/session.h src/wire/state.h \
	src/wire/address.c src/wire/address.h src/wire/auth.c src/wire/block.c src/wire/block.h src/wire/call.c src/wire/call.h \
	src/wire/conn.c src/wire/conn_state.h src/wire/output.c src/wire/shared.c src/wire/turn.c \
	src/wire/dial.c src/wire/limits.c src/wire/limits.h \
	src/wire/kernel_peer.c src/wire/kernel_peer.h \
	src/wire/loop_notify.c src/wire/loop_notify.h \
	src/wire/net.c src/wire/net.h src/wire/worker.c src/wire/worker.h
EXTRA_DIST += src/wire/README.md src/wire/PROTOCOL.md

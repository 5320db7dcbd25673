/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nat.h - tells whether a connection to an address that no socket in the trace has may still end on this
 * host. The kernel may rewrite addresses (NAT), for example of published ports of containers. Then the two
 * ends of one connection name different addresses. No record shows how the kernel has rewritten them. Pure;
 * any thread.
 */
#ifndef CTRACE_GRAPH_WAKE_NAT_H
#define CTRACE_GRAPH_WAKE_NAT_H

#include "graph/timeline/graph.h"

/*
 * Returns true if all of this holds for the IP socket `sock`: graph_is_local() is false; the other end is not
 * in the trace; one of these signs shows that the other end may be on this host:
 * - A socket in the trace has the address and the port of `sock` as its remote ones, and its own other end is
 *   not in the trace. It may be the other end.
 * - The remote address is private, and a server in the trace listens or accepts connections on the
 *   remote port.
 * - The remote address is private, and a socket of another network namespace has an address in the same
 *   network (the first 24 bits of IPv4, 64 of IPv6). So the remote address may be that of another container.
 *
 * Without such a sign, the other end may still be on this host: the trace may not show its socket.
 */
bool nat_may_be_local(const struct graph *g, uint64_t sock);
/*
 * `wake` says that sock became readable. A softirq delivers a packet within this host in the call of its
 * sender. Returns the task that was on the CPU if all of this holds:
 * - Its next send in the trace is recorded at most MESSAGE_SAME_TASK_NS later, on a socket whose remote
 *   address and port are the local ones of sock.
 * - The other end of the socket of this send is not in the trace.
 * - No messages may be missing between the wake-up and this send.
 *
 * Otherwise returns GRAPH_NONE. The task is only the most likely sender: the softirq may have delivered a
 * packet from another host in the same call.
 */
uint32_t nat_sender(const struct graph *g, uint64_t sock, const struct window_event *wake);
/* Returns true if another socket in the trace has the local address and the local port of the IP socket
 * `sock` as its remote ones. It may be the other end, accepted by a server that listens on another port. */
bool nat_is_accepted(const struct graph *g, uint64_t sock);

#endif

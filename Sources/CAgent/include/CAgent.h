#ifndef CAGENT_H
#define CAGENT_H

#include <sys/types.h>

/// Receives bytes as recv(2) does, without waiting, and sets `descriptor` to the descriptor that was sent with them (unix(7), SCM_RIGHTS),
/// or to -1. Closes further descriptors of the same message.
ssize_t yett_receive(int socket, void *bytes, size_t count, int *descriptor);

#endif

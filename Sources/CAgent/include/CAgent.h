#ifndef CAGENT_H
#define CAGENT_H

#include <sys/types.h>

/// Receives bytes as recv(2) does, without waiting, and one descriptor that came along with them (unix(7), SCM_RIGHTS), or -1. More than one at a time
/// are closed.
ssize_t yett_receive(int socket, void *bytes, size_t count, int *descriptor);

#endif

#ifndef CAGENT_H
#define CAGENT_H

#include <sys/types.h>

/// Closes the memory of this process to other programs of the same user, for good: no core is written, nobody attaches or reads it,
/// and what is freed is overwritten. Returns 0, or the errno of the first step that failed.
int yett_close_memory(void);

/// Whether the memory is closed: 1 or 0.
int yett_memory_is_closed(void);

/// Whether this process has more rights than the one that started it, as with set-user-ID.
int yett_has_raised_rights(void);

/// Gives the pages of program code back to the system, which brings in again what is needed: most of it has only served the start.
void yett_let_go_of_code(void);

/// Receives bytes as recv(2) does, without waiting, and one descriptor that came along with them (unix(7), SCM_RIGHTS), or -1. More than one at a time
/// are closed.
ssize_t yett_receive(int socket, void *bytes, size_t count, int *descriptor);

#endif

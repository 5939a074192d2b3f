#define _GNU_SOURCE
#include "CAgentProbe.h"

#include <grp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/// Becomes the user of the number in `AGENT_PROBE_USER`, where root starts this with one, with memory as open to other programs of that user
/// as if the process had been started by it. Before there is a second thread: the first one ends early, and would stay root.
__attribute__((constructor)) static void become_user(void) {
    const char *number = getenv("AGENT_PROBE_USER");
    if (number == NULL) return;
    uid_t user = (uid_t)atoi(number);
    if (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0) _exit(71);
    // The kernel closes the memory at a change of user.
    if (prctl(PR_SET_DUMPABLE, 1L, 0L, 0L, 0L) != 0) _exit(71);
}

void probe_open_memory(void) {
    // Refused by kernels that have no such rule.
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0L, 0L, 0L);
}

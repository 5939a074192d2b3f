#define _GNU_SOURCE
#include "CTestSupport.h"

#include <grp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/// Switches to the user whose number is in `AGENT_PROBE_USER`, if root started this process with that variable. Programs of that user can
/// then read this process's memory, as if that user had started it. Runs before a second thread exists: the first thread ends early and
/// would stay root.
__attribute__((constructor)) static void become_user(void) {
    const char *number = getenv("AGENT_PROBE_USER");
    if (number == NULL) return;
    uid_t user = (uid_t)atoi(number);
    if (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0) _exit(71);
    // The kernel makes a process undumpable when its user changes.
    if (prctl(PR_SET_DUMPABLE, 1L, 0L, 0L, 0L) != 0) _exit(71);
}

void probe_open_memory(void) {
    // Fails on kernels without this restriction.
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0L, 0L, 0L);
}

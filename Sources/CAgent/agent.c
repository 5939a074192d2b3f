#include "CAgent.h"

#include <errno.h>
#include <malloc.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int yett_close_memory(void) {
    struct rlimit none = { 0, 0 };
    if (setrlimit(RLIMIT_CORE, &none) != 0) return errno;
    // ptrace, /proc/PID/mem and core dumps are refused to everybody but root.
    if (prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) != 0) return errno;
    // A token that passed through a string of the runtime does not outlive it in the heap. musl has no such switch, and says so by its absence.
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0xA5);
#endif
    return 0;
}

int yett_memory_is_closed(void) { return prctl(PR_GET_DUMPABLE, 0L, 0L, 0L, 0L) == 0; }

int yett_has_raised_rights(void) { return getauxval(AT_SECURE) != 0; }

#ifndef YETT_CPROCESS_H
#define YETT_CPROCESS_H

#include <errno.h>
#include <sys/prctl.h>

/* Makes this process one that no other program of the same user can read or debug, and that leaves no core. Returns 0 or an errno number.
   In the header, so that the launcher, which is linked statically, takes nothing else along. */
static inline int cprocess_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) == 0 ? 0 : errno; }

/* Whether cprocess_forbid_dumps() holds. */
static inline int cprocess_dumps_are_forbidden(void) { return prctl(PR_GET_DUMPABLE, 0L, 0L, 0L, 0L) == 0; }

/* Lets all threads share one heap: a heap of its own keeps what each thread once needed. Call it before the second thread. */
void cprocess_share_one_heap(void);

/* Whether this program was linked with CWipingAllocator. */
int cprocess_wipes_freed_memory(void);

/* Gives the pages of read-only code back to the system; they are read from their files again where they are needed. */
void cprocess_release_code(void);

#endif

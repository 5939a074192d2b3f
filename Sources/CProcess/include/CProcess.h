#ifndef YETT_CPROCESS_H
#define YETT_CPROCESS_H

#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>

/* Prevents other programs of the same user from reading or debugging this process, and prevents core dumps. Returns 0 or an errno number.
   Defined in the header, so that the statically linked launcher links nothing else. */
static inline int cprocess_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) == 0 ? 0 : errno; }

/* Returns whether cprocess_forbid_dumps() is in effect. */
static inline int cprocess_dumps_are_forbidden(void) { return prctl(PR_GET_DUMPABLE, 0L, 0L, 0L, 0L) == 0; }

/* Return the command line of this process: the number of arguments, and the arguments, ended by a null pointer. */
int cprocess_argument_count(void);
char *_Nullable *_Nonnull cprocess_arguments(void);

/* Writes the path of the running program, ended by a null byte. Returns its length; 0 if it is not known or does not fit. */
size_t cprocess_own_path(char *_Nonnull path, size_t size);

/* Closes all descriptors from `first` on in a child process; `actions` is a posix_spawn_file_actions_t. Returns 0 or an errno number. */
int cprocess_close_from(void *_Nonnull actions, int first);

/* Makes all threads share one heap, because each thread's own heap would keep the memory that the thread once needed. Call it before a
   second thread starts. */
void cprocess_share_one_heap(void);

/* Returns the pages of read-only code to the system, which reads them from their files again when they are needed. */
void cprocess_release_code(void);

#endif

#ifndef YETT_CLAUNCHER_H
#define YETT_CLAUNCHER_H

/* The parts of the C library that the launcher uses. A release build of the launcher has no Swift runtime, and therefore no Glibc module. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Returns the number of the last error, which Swift cannot read through the macro. */
static inline int claunch_errno(void) { return errno; }

/* Returns whether a path is a folder, not a link to one, that only this user can enter. */
static inline int claunch_is_own_folder(const char *_Nonnull path) {
    struct stat found;
    return lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() && (found.st_mode & 077) == 0;
}

/* Makes a write to a full pipe fail instead of waiting. Returns 0, or -1 with errno. */
static inline int claunch_never_block(int descriptor) { return fcntl(descriptor, F_SETFL, O_NONBLOCK); }

/* Makes bytes the standard input of this process and of the program that it becomes. Returns 0 or an errno number. */
int claunch_replace_input(const void *_Nullable bytes, size_t count);

/* Returns whether the system's loader cannot find a library of a program. Runs nothing of the program. */
int claunch_loader_lacks(const char *_Nonnull program, const char *_Nonnull library);

#endif

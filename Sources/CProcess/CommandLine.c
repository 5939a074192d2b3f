#include "CProcess.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static int argument_count;
static char *no_arguments[] = { NULL };
static char **arguments = no_arguments;

/* The C library passes the command line to constructors too. Swift reads it from /proc, which may be missing. */
__attribute__((constructor)) static void keep_command_line(int count, char **given) {
    argument_count = count;
    arguments = given;
}

int cprocess_argument_count(void) { return argument_count; }
char **cprocess_arguments(void) { return arguments; }

size_t cprocess_own_path(char *path, size_t size) {
    ssize_t count = readlink("/proc/self/exe", path, size);
    if (count > 0 && (size_t)count < size) {
        path[count] = 0;
        return (size_t)count;
    }
    /* Without /proc: the path that the program was started with. */
    const char *started = (const char *)getauxval(AT_EXECFN);
    char resolved[PATH_MAX];
    if (started == NULL || realpath(started, resolved) == NULL || strlen(resolved) >= size) return 0;
    strcpy(path, resolved);
    return strlen(path);
}

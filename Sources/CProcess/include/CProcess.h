#ifndef YETT_CPROCESS_H
#define YETT_CPROCESS_H

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Prevents other programs of the same user from reading or debugging this process, and prevents core dumps. Returns 0 or an errno number.
   Defined in the header, so that the statically linked launcher links nothing else. */
static inline int cprocess_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) == 0 ? 0 : errno; }

/* Returns whether cprocess_forbid_dumps() is in effect. */
static inline int cprocess_dumps_are_forbidden(void) { return prctl(PR_GET_DUMPABLE, 0L, 0L, 0L, 0L) == 0; }

/* Makes bytes the standard input of this process and of the program that it becomes. Returns 0 or an errno number. */
static inline int cprocess_replace_input(const void *bytes, size_t count) {
    int file = (int)syscall(SYS_memfd_create, "yett-input", 0U);
    if (file < 0) return errno;
    for (size_t written = 0; written < count;) {
        ssize_t part = write(file, (const char *)bytes + written, count - written);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return errno != 0 ? errno : EIO;
        written += (size_t)part;
    }
    if (lseek(file, 0, SEEK_SET) != 0 || dup2(file, STDIN_FILENO) < 0) return errno;
    return file == STDIN_FILENO ? 0 : close(file);
}

/* Returns whether the loader cannot find a library of a program (ld.so(8), LD_TRACE_LOADED_OBJECTS). Runs nothing of the program. */
static inline int cprocess_loader_lacks(const char *program, const char *library) {
    int ends[2];
    if (pipe(ends) != 0) return 0;
    pid_t child = fork();
    if (child == 0) {
        char *const arguments[] = { (char *)program, NULL };
        char *const environment[] = { (char *)"LD_TRACE_LOADED_OBJECTS=1", NULL };
        if (dup2(ends[1], STDOUT_FILENO) >= 0 && close(STDERR_FILENO) == 0) execve(program, arguments, environment);
        _exit(1);
    }
    close(ends[1]);
    /* A line of at most a few hundred bytes for each library: "name => not found". */
    char report[16384];
    size_t count = 0;
    for (ssize_t part; child > 0 && count < sizeof report - 1 && (part = read(ends[0], report + count, sizeof report - 1 - count)) > 0;)
        count += (size_t)part;
    report[count] = 0;
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    char *line = strstr(report, library);
    return line != NULL && strncmp(line + strlen(library), " => not found", 13) == 0;
}

/* Makes all threads share one heap, because each thread's own heap would keep the memory that the thread once needed. Call it before a
   second thread starts. */
void cprocess_share_one_heap(void);

/* Returns whether this program is linked with CWipingAllocator. */
int cprocess_wipes_freed_memory(void);

/* Returns the pages of read-only code to the system, which reads them from their files again when they are needed. */
void cprocess_release_code(void);

#endif

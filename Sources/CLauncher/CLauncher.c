#include "CLauncher.h"

#include <sys/mman.h>
#include <sys/wait.h>

int claunch_replace_input(const void *bytes, size_t count) {
    int file = memfd_create("yett-input", 0);
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

int claunch_loader_lacks(const char *program, const char *library) {
    int ends[2];
    if (pipe(ends) != 0) return 0;
    pid_t child = fork();
    if (child == 0) {
        char *const line[] = { (char *)program, NULL };
        /* ld.so(8): the loader prints what it finds, and runs nothing. */
        char *const environment[] = { (char *)"LD_TRACE_LOADED_OBJECTS=1", NULL };
        if (dup2(ends[1], STDOUT_FILENO) >= 0 && close(STDERR_FILENO) == 0) execve(program, line, environment);
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

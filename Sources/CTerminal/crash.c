#include "internal.h"
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// Writes the crash report. A signal handler may call only async-signal-safe functions, so everything else is prepared beforehand.
// `backtrace` is safe once its library is loaded, which the first call does.

static char report_path[1001];
static char report_text[1001];

void ct_report_crashes(const char *path, const char *text) {
    report_path[0] = 0;
    if (!path || !text || strlen(path) >= sizeof report_path) return;
    strncpy(report_text, text, sizeof report_text - 1);
    void *frame[1];
    backtrace(frame, 1);
    strcpy(report_path, path);
}

static void put(int descriptor, const char *text) {
    size_t rest = strlen(text);
    while (rest > 0) {
        ssize_t count = write(descriptor, text, rest);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        text += count;
        rest -= (size_t)count;
    }
}

static const char *name_of(int number) {
    switch (number) {
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGSEGV: return "SIGSEGV";
    case SIGABRT: return "SIGABRT";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    default: return "unknown";
    }
}

void ct_crash_write(int number) {
    if (!report_path[0]) return;
    int descriptor = open(report_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) return;
    put(descriptor, report_text);
    put(descriptor, "signal: ");
    put(descriptor, name_of(number));
    put(descriptor, "\nwhere, the innermost first:\n");
    // Addresses and names of functions only: the report shows what the program did, not its data.
    void *frames[64];
    int count = backtrace(frames, 64);
    backtrace_symbols_fd(frames, count, descriptor);
    close(descriptor);
    put(STDERR_FILENO, "yett: error: the program crashed with ");
    put(STDERR_FILENO, name_of(number));
    put(STDERR_FILENO, "\nyett: hint: what is known of it, and nothing secret, is in ");
    put(STDERR_FILENO, report_path);
    put(STDERR_FILENO, "\n");
    report_path[0] = 0;
}

#include "internal.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Restores the terminal before the process ends, on every signal and on exit. A handler here makes only async-signal-safe calls.

// Written completely before `is_active` is set.
static atomic_bool is_active;
static int output;
static struct termios found;
static char leave_bytes[256];
static size_t leave_length;
static bool discards_input;
// A signal is ending the process, on one of its threads.
static atomic_bool is_ending;

static struct sigaction former[_NSIG];
static bool is_installed[_NSIG];

// Returns whether the signal's default action ends the process: true for all signals but those that signal(7) lists with Ign, Stop or Cont.
static bool ends_the_process(int number) {
    switch (number) {
    case SIGKILL: case SIGSTOP: return false;                        // cannot be caught
    case SIGCHLD: case SIGURG: case SIGWINCH: case SIGCONT: return false;
    case SIGTSTP: case SIGTTIN: case SIGTTOU: return false;
    default: return number <= SIGSYS || number >= SIGRTMIN;          // the C library reserves the numbers in between
    }
}

static bool is_crash(int number) {
    switch (number) {
    case SIGILL: case SIGTRAP: case SIGSEGV: case SIGABRT: case SIGBUS: case SIGFPE: return true;
    default: return false;
    }
}

void ct_restore_now(void) {
    if (!atomic_exchange(&is_active, false)) return;
    int saved = errno;
    // In the background the terminal belongs to another process group, which has its own settings.
    if (!ct_is_background(output)) {
        size_t done = 0;
        while (done < leave_length) {
            ssize_t count = write(output, leave_bytes + done, leave_length - done);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            done += (size_t)count;
        }
        if (discards_input) tcflush(output, TCIFLUSH);
        tcsetattr(output, TCSANOW, &found);
    }
    errno = saved;
}

bool ct_is_background(int terminal) {
    pid_t front = tcgetpgrp(terminal);
    return front >= 0 && front != getpgrp();
}

static void on_end(int number) {
    atomic_store(&is_ending, true);
    ct_restore_now();
    if (is_crash(number)) ct_crash_write(number);
    // The previous handler (the default one, or one that prints a backtrace) gets the signal as soon as this one returns.
    sigaction(number, &former[number], NULL);
    raise(number);
}

static void at_exit(void) { ct_restore_now(); }

void ct_install(int number, void (*handler)(int), int flags, struct sigaction *before) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, before);
}

static void install_all(void) {
    for (int number = 1; number < _NSIG; number++) {
        is_installed[number] = false;
        if (!ends_the_process(number) || sigaction(number, NULL, &former[number]) != 0) continue;
        // A signal with a handler does not end the process by itself. A crash does, after its handler.
        if (!is_crash(number) && (former[number].sa_flags & SA_SIGINFO || former[number].sa_handler != SIG_DFL)) continue;
        if (former[number].sa_handler == SIG_IGN) continue;
        ct_install(number, on_end, SA_ONSTACK, NULL);
        is_installed[number] = true;
    }
}

bool ct_guard_begin(int descriptor, const struct termios *settings, const char *leave, size_t length, bool discards) {
    static bool is_registered;
    if (atomic_load(&is_active)) return false;
    if (!is_registered) is_registered = atexit(at_exit) == 0;
    output = descriptor;
    found = *settings;
    discards_input = discards;
    leave_length = length < sizeof leave_bytes ? length : sizeof leave_bytes;
    if (leave_length > 0) memcpy(leave_bytes, leave, leave_length);
    atomic_store(&is_active, true);
    install_all();
    return true;
}

void ct_guard_end(void) {
    // The signal decides the exit status, not what another thread does meanwhile.
    while (atomic_load(&is_ending)) pause();
    for (int number = 1; number < _NSIG; number++) {
        if (is_installed[number]) sigaction(number, &former[number], NULL);
        is_installed[number] = false;
    }
    atomic_store(&is_active, false);
}

void ct_guard_keep(const struct termios *settings) { found = *settings; }

void ct_stop_by_default(int number) {
    struct sigaction ours;
    ct_install(number, SIG_DFL, 0, &ours);
    sigset_t only, before;
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_UNBLOCK, &only, &before);
    raise(number);
    // The process continues here, perhaps much later.
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigaction(number, &ours, NULL);
}

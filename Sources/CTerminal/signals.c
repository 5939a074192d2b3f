#include "internal.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// A signal may arrive on any thread, so its handler does nothing but set a flag and add to an event descriptor. That descriptor is made once
// and never closed: a late ct_wake must not write into a number that was given to another file since.

static const int plain_signals[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGCONT, SIGTSTP};
static const int crash_signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGBUS, SIGFPE};
enum { PLAIN = sizeof plain_signals / sizeof *plain_signals, CRASH = sizeof crash_signals / sizeof *crash_signals };

static atomic_int event_descriptor = -1;
static atomic_uint pending;

static struct sigaction former_plain[PLAIN];
static struct sigaction former_crash[CRASH];

// What a crash needs, complete before `is_active` is set.
static atomic_bool is_active;
static int crash_output;
static struct termios crash_termios;
static char crash_bytes[256];
static size_t crash_length;
static char *alternate_stack;

int ct_signals_descriptor(void) {
    int descriptor = atomic_load(&event_descriptor);
    if (descriptor >= 0) return descriptor;
    descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int expected = -1;
    if (descriptor >= 0 && !atomic_compare_exchange_strong(&event_descriptor, &expected, descriptor)) {
        close(descriptor);
        return expected;
    }
    return descriptor;
}

static void wake_with(unsigned flag) {
    int saved = errno;
    atomic_fetch_or(&pending, flag);
    uint64_t one = 1;
    int descriptor = atomic_load(&event_descriptor);
    // A full counter is readable already, so nothing is lost when this fails.
    if (descriptor >= 0 && write(descriptor, &one, sizeof one) < 0) {}
    errno = saved;
}

void ct_wake(void) { wake_with(CT_WOKEN); }

void ct_ask_to_end(void) { wake_with(CT_TERMINATED); }

unsigned ct_signals_take(void) {
    uint64_t count;
    // First the counter, then the flags: a flag that is set in between is taken now, and only costs an empty round later.
    if (read(ct_signals_descriptor(), &count, sizeof count) < 0) {}
    return atomic_exchange(&pending, 0);
}

static void on_plain(int number) {
    switch (number) {
    case SIGWINCH: wake_with(CT_RESIZED); break;
    case SIGCONT: wake_with(CT_CONTINUED); break;
    case SIGTSTP: wake_with(CT_STOP_ASKED); break;
    default: wake_with(CT_TERMINATED); break;
    }
}

// Only calls that are safe in a handler.
static void restore_in_a_hurry(void) {
    if (!atomic_exchange(&is_active, false)) return;
    size_t done = 0;
    while (done < crash_length) {
        ssize_t count = write(crash_output, crash_bytes + done, crash_length - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        done += (size_t)count;
    }
    tcsetattr(crash_output, TCSANOW, &crash_termios);
}

static void on_crash(int number) {
    restore_in_a_hurry();
    ct_crash_write(number);
    // Whoever was there before, a backtrace printer or the default, gets the signal as soon as this handler returns.
    for (int index = 0; index < CRASH; index++) {
        if (crash_signals[index] == number) sigaction(number, &former_crash[index], NULL);
    }
    raise(number);
}

static void at_exit(void) { restore_in_a_hurry(); }

static void install(int number, void (*handler)(int), int flags, struct sigaction *former) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, former);
}

void ct_signals_begin(int output, const struct termios *saved, const char *leave, size_t length) {
    static bool registered;
    if (!registered) registered = atexit(at_exit) == 0;
    crash_output = output;
    crash_termios = *saved;
    crash_length = length < sizeof crash_bytes ? length : sizeof crash_bytes;
    memcpy(crash_bytes, leave, crash_length);
    atomic_store(&pending, 0);
    atomic_store(&is_active, true);

    // A stack that overflowed has no room for a handler.
    size_t size = 64 * 1024;
    alternate_stack = malloc(size);
    if (alternate_stack) {
        stack_t stack = {.ss_sp = alternate_stack, .ss_size = size};
        if (sigaltstack(&stack, NULL) != 0) {
            free(alternate_stack);
            alternate_stack = NULL;
        }
    }
    for (int index = 0; index < PLAIN; index++) install(plain_signals[index], on_plain, SA_RESTART, &former_plain[index]);
    for (int index = 0; index < CRASH; index++) install(crash_signals[index], on_crash, SA_ONSTACK, &former_crash[index]);
}

void ct_signals_end(bool is_gone) {
    for (int index = 0; index < PLAIN; index++) sigaction(plain_signals[index], &former_plain[index], NULL);
    // The descriptor tells of the end before the signal comes, which must not cut off what the program still has to put away.
    if (is_gone) install(SIGHUP, SIG_IGN, 0, &(struct sigaction){0});
    for (int index = 0; index < CRASH; index++) sigaction(crash_signals[index], &former_crash[index], NULL);
    atomic_store(&is_active, false);
    if (alternate_stack) {
        stack_t none = {.ss_flags = SS_DISABLE};
        sigaltstack(&none, NULL);
        free(alternate_stack);
        alternate_stack = NULL;
    }
}

void ct_signals_stop_now(void) {
    struct sigaction ours;
    install(SIGTSTP, SIG_DFL, 0, &ours);
    sigset_t only, former;
    sigemptyset(&only);
    sigaddset(&only, SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &only, &former);
    raise(SIGTSTP);
    // Here the process goes on, perhaps much later. Whoever stopped it draws anew anyway, so the SIGCONT of this stop says nothing more.
    atomic_fetch_and(&pending, ~(unsigned)CT_CONTINUED);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    sigaction(SIGTSTP, &ours, NULL);
}

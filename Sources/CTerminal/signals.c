#include "internal.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

// A signal may arrive on any thread, so its handler only sets a flag and adds to an event descriptor. That descriptor is created once and
// never closed: a late ct_wake must not write to a reused descriptor number.

static const int plain_signals[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGCONT, SIGTSTP};
enum { PLAIN = sizeof plain_signals / sizeof *plain_signals };

static atomic_int event_descriptor = -1;
static atomic_uint pending;

static struct sigaction former_plain[PLAIN];
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

void ct_signals_tell(unsigned flag) {
    int saved = errno;
    atomic_fetch_or(&pending, flag);
    uint64_t one = 1;
    int descriptor = atomic_load(&event_descriptor);
    // The write fails only if the counter is full. The descriptor is readable then, so no event is lost.
    if (descriptor >= 0 && write(descriptor, &one, sizeof one) < 0) {}
    errno = saved;
}

void ct_wake(void) { ct_signals_tell(CT_WOKEN); }

void ct_ask_to_end(void) { ct_signals_tell(CT_TERMINATED); }

unsigned ct_signals_take(void) {
    uint64_t count;
    // Reads the counter first, then the flags: a flag set in between is taken now, and costs only one empty iteration later.
    if (read(ct_signals_descriptor(), &count, sizeof count) < 0) {}
    return atomic_exchange(&pending, 0);
}

static void on_plain(int number) {
    switch (number) {
    case SIGWINCH: ct_signals_tell(CT_RESIZED); break;
    case SIGCONT: ct_signals_tell(CT_CONTINUED); break;
    case SIGTSTP: ct_signals_tell(CT_STOP_ASKED); break;
    default: ct_signals_tell(CT_TERMINATED); break;
    }
}

void ct_signals_begin(int output, const struct termios *saved, const char *leave, size_t length) {
    atomic_store(&pending, 0);
    // After a stack overflow the handler needs another stack.
    size_t size = 64 * 1024;
    alternate_stack = malloc(size);
    if (alternate_stack) {
        stack_t stack = {.ss_sp = alternate_stack, .ss_size = size};
        if (sigaltstack(&stack, NULL) != 0) {
            free(alternate_stack);
            alternate_stack = NULL;
        }
    }
    for (int index = 0; index < PLAIN; index++) ct_install(plain_signals[index], on_plain, SA_RESTART, &former_plain[index]);
    ct_guard_begin(output, saved, leave, length, false);
}

void ct_signals_end(bool is_gone) {
    ct_guard_end();
    for (int index = 0; index < PLAIN; index++) {
        // The descriptor reports the hang-up before SIGHUP arrives. The signal must not interrupt the program's clean-up, so the former
        // action, which may be to end the process, must not be in force even for a moment.
        if (is_gone && plain_signals[index] == SIGHUP) ct_install(SIGHUP, SIG_IGN, 0, NULL);
        else sigaction(plain_signals[index], &former_plain[index], NULL);
    }
    if (alternate_stack) {
        stack_t none = {.ss_flags = SS_DISABLE};
        sigaltstack(&none, NULL);
        free(alternate_stack);
        alternate_stack = NULL;
    }
}

void ct_signals_stop_now(void) {
    ct_stop_by_default(SIGTSTP);
    // The caller redraws anyway, so the SIGCONT of this stop is redundant.
    atomic_fetch_and(&pending, ~(unsigned)CT_CONTINUED);
}

#include "internal.h"
#include <errno.h>
#include <stdatomic.h>

// Typing by line, hidden or shown, or by key. The terminal has its former settings while the process is stopped, and after it ends.

static atomic_bool is_typing;
static int terminal;
static struct termios former;
static struct sigaction former_stop, former_continue, former_resize;
static ct_typing kind;
static bool handles_stop;
// Set while this file itself stops the process: `on_stop` then finishes the work, and `on_continue` does nothing.
static atomic_bool is_stopping;

static bool change(void) {
    struct termios settings = former;
    if (kind == CT_KEYS) {
        settings.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ECHONL | ISIG | IEXTEN);
        settings.c_iflag &= ~(tcflag_t)IXON;
        settings.c_cc[VMIN] = 1;
        settings.c_cc[VTIME] = 0;
    } else {
        // The program that runs this one may read keys: Enter has to end a line, and a line break to begin one.
        settings.c_iflag |= ICRNL;
        settings.c_oflag |= OPOST | ONLCR;
        settings.c_lflag |= ICANON | ISIG | IEXTEN | ECHOE | ECHOK;
        settings.c_lflag |= kind == CT_HIDDEN_LINE ? ECHONL : ECHO;
        if (kind == CT_HIDDEN_LINE) settings.c_lflag &= ~(tcflag_t)ECHO;
    }
    return tcsetattr(terminal, TCSAFLUSH, &settings) == 0;
}

// Waits until the process is in the foreground, as a read does by default. A process in an orphaned process group is not stopped.
static void await_foreground(void) {
    for (int tries = 0; tries < 100 && ct_is_background(terminal); tries++) ct_stop_by_default(SIGTTOU);
}

// Restores the terminal, unless a shell has it already: one that waits for another process of this job sees the stop before this process.
// Returns whether it did.
static bool restore_before_stop(void) {
    if (ct_is_background(terminal)) return false;
    // The shell may take the terminal at this moment. A stop in here would be a second one, which nothing ends.
    sigset_t stops, before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stops, &before);
    // Otherwise the shell would read the characters typed so far, and show them.
    tcflush(terminal, TCIFLUSH);
    tcsetattr(terminal, TCSANOW, &former);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return true;
}

static void on_stop(int number) {
    int saved = errno;
    atomic_store(&is_stopping, true);
    bool has_restored = restore_before_stop();
    ct_stop_by_default(number);
    await_foreground();
    // The shell may have changed the settings meanwhile. Without the former ones, it kept and brought back those for typing.
    if (has_restored && tcgetattr(terminal, &former) == 0) ct_guard_keep(&former);
    change();
    atomic_store(&is_stopping, false);
    ct_signals_tell(CT_CONTINUED);
    errno = saved;
}

// Handles the continuation after a SIGSTOP, which no handler can catch: the shell may have changed the terminal settings.
static void on_continue(int number) {
    (void)number;
    if (atomic_load(&is_stopping)) return;
    int saved = errno;
    change();
    ct_signals_tell(CT_CONTINUED);
    errno = saved;
}

static void on_resize(int number) {
    (void)number;
    ct_signals_tell(CT_RESIZED);
}

int ct_typing_begin(int descriptor, ct_typing typing) {
    // Erases from the line of the cursor to the end of the screen, however the process ends.
    static const char erase[] = "\r\033[J";
    int news = ct_signals_descriptor();
    if (news < 0 || atomic_exchange(&is_typing, true)) return -1;
    terminal = descriptor;
    kind = typing;
    await_foreground();
    if (tcgetattr(descriptor, &former) != 0 || !ct_guard_begin(descriptor, &former, kind == CT_KEYS ? erase : NULL, kind == CT_KEYS ? sizeof erase - 1 : 0, true)) {
        atomic_store(&is_typing, false);
        return -1;
    }
    atomic_store(&is_stopping, false);
    ct_signals_take();
    ct_install(SIGCONT, on_continue, SA_RESTART, &former_continue);
    if (kind == CT_KEYS) ct_install(SIGWINCH, on_resize, SA_RESTART, &former_resize);
    // A shell without job control ignores SIGTSTP, and could not continue a stopped process.
    handles_stop = sigaction(SIGTSTP, NULL, &former_stop) == 0 && former_stop.sa_handler == SIG_DFL;
    if (handles_stop) ct_install(SIGTSTP, on_stop, SA_RESTART, NULL);
    if (change()) return news;
    ct_typing_end(false);
    return -1;
}

bool ct_typing_resumed(void) { return (ct_signals_take() & (CT_CONTINUED | CT_RESIZED)) != 0; }

void ct_typing_end(bool discards) {
    if (handles_stop) sigaction(SIGTSTP, &former_stop, NULL);
    handles_stop = false;
    sigaction(SIGCONT, &former_continue, NULL);
    if (kind == CT_KEYS) sigaction(SIGWINCH, &former_resize, NULL);
    if (discards) tcflush(terminal, TCIFLUSH);
    tcsetattr(terminal, TCSADRAIN, &former);
    ct_guard_end();
    atomic_store(&is_typing, false);
}

#include "internal.h"
#include <errno.h>
#include <stdatomic.h>

// Hidden typing, by line or by key. The echo is on while the process is stopped, off again when it continues, and on after it ends.

static atomic_bool is_hiding;
static int terminal;
static struct termios shown;
static struct sigaction former_stop, former_continue, former_resize;
// Whether each key is read at once, Ctrl-C included.
static bool reads_keys;
static bool handles_stop;
// Set while this file itself stops the process: `on_stop` then finishes the work, and `on_continue` does nothing.
static atomic_bool is_stopping;

static bool hide(void) {
    struct termios hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    if (reads_keys) {
        hidden.c_lflag &= ~(tcflag_t)(ICANON | ECHONL | ISIG | IEXTEN);
        hidden.c_iflag &= ~(tcflag_t)IXON;
        hidden.c_cc[VMIN] = 1;
        hidden.c_cc[VTIME] = 0;
    } else {
        hidden.c_lflag |= ICANON | ECHONL;
    }
    return tcsetattr(terminal, TCSAFLUSH, &hidden) == 0;
}

// Waits until the process is in the foreground, as a read does by default. A process in an orphaned process group is not stopped.
static void await_foreground(void) {
    for (int tries = 0; tries < 100 && ct_is_background(terminal); tries++) ct_stop_by_default(SIGTTOU);
}

static void on_stop(int number) {
    int saved = errno;
    atomic_store(&is_stopping, true);
    // Otherwise the shell would read the characters typed so far, and show them.
    tcflush(terminal, TCIFLUSH);
    tcsetattr(terminal, TCSANOW, &shown);
    ct_stop_by_default(number);
    await_foreground();
    // The shell may have changed the settings meanwhile.
    if (tcgetattr(terminal, &shown) == 0) ct_guard_keep(&shown);
    hide();
    atomic_store(&is_stopping, false);
    ct_signals_tell(CT_CONTINUED);
    errno = saved;
}

// Handles the continuation after a SIGSTOP, which no handler can catch: the shell may have changed the terminal settings.
static void on_continue(int number) {
    (void)number;
    if (atomic_load(&is_stopping)) return;
    int saved = errno;
    hide();
    ct_signals_tell(CT_CONTINUED);
    errno = saved;
}

static void on_resize(int number) {
    (void)number;
    ct_signals_tell(CT_RESIZED);
}

int ct_hide_begin(int descriptor, bool by_key) {
    // Erases from the line of the cursor to the end of the screen, however the process ends.
    static const char erase[] = "\r\033[J";
    int news = ct_signals_descriptor();
    if (news < 0 || atomic_exchange(&is_hiding, true)) return -1;
    terminal = descriptor;
    reads_keys = by_key;
    await_foreground();
    if (tcgetattr(descriptor, &shown) != 0 || !ct_guard_begin(descriptor, &shown, by_key ? erase : NULL, by_key ? sizeof erase - 1 : 0, true)) {
        atomic_store(&is_hiding, false);
        return -1;
    }
    atomic_store(&is_stopping, false);
    ct_signals_take();
    ct_install(SIGCONT, on_continue, SA_RESTART, &former_continue);
    if (reads_keys) ct_install(SIGWINCH, on_resize, SA_RESTART, &former_resize);
    // A shell without job control ignores SIGTSTP, and could not continue a stopped process.
    handles_stop = sigaction(SIGTSTP, NULL, &former_stop) == 0 && former_stop.sa_handler == SIG_DFL;
    if (handles_stop) ct_install(SIGTSTP, on_stop, SA_RESTART, NULL);
    if (hide()) return news;
    ct_hide_end(false);
    return -1;
}

bool ct_hide_resumed(void) { return (ct_signals_take() & (CT_CONTINUED | CT_RESIZED)) != 0; }

void ct_hide_end(bool discards) {
    if (handles_stop) sigaction(SIGTSTP, &former_stop, NULL);
    handles_stop = false;
    sigaction(SIGCONT, &former_continue, NULL);
    if (reads_keys) sigaction(SIGWINCH, &former_resize, NULL);
    if (discards) tcflush(terminal, TCIFLUSH);
    tcsetattr(terminal, TCSADRAIN, &shown);
    ct_guard_end();
    atomic_store(&is_hiding, false);
}

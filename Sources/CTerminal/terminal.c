#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>
// These macros of term.h clash with common identifiers.
#undef columns
#undef lines

static const char paste_on[] = "\033[?2004h";
static const char paste_off[] = "\033[?2004l";
// Button presses and the wheel, in the SGR encoding (1006), which has no column limit.
static const char mouse_on[] = "\033[?1000h\033[?1006h";
static const char mouse_off[] = "\033[?1006l\033[?1000l";

// Reports of the keyboard focus (1004), and of changes between a dark and a light colour scheme (2031).
static const char modern_on[] = "\033[?1004h\033[?2031h";
static const char modern_off[] = "\033[?2031l\033[?1004l";
// Everything between them is shown at once (synchronized output). A crash may leave a frame unfinished.
static const char frame_begin[] = "\033[?2026h";
static const char frame_end[] = "\033[?2026l";

// Ends a control string that was cut, and a link that is open (OSC 8).
static const char link_end[] = "\033\\\033]8;;\033\\";

// Saves and restores the title of the window (XTWINOPS), which OSC 2 sets.
static const char title_save[] = "\033[22;2t";
static const char title_restore[] = "\033[23;2t";
static const char title_start[] = "\033]2;";
static const char title_end[] = "\a";

static bool is_open;
static struct termios saved_termios;

ct_locale ct_prepare_locale(void) {
    const char *names[] = {getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")};
    ct_locale said = CT_LOCALE_UNSET;
    for (int index = 0; index < 3; index++) {
        if (names[index] && *names[index]) {
            said = CT_LOCALE_OTHER;
            break;
        }
    }
    const char *chosen = setlocale(LC_CTYPE, "");
    if (chosen && strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return CT_LOCALE_UTF8;
    // The name of a locale that is not installed still contains its encoding.
    for (int index = 0; index < 3 && said == CT_LOCALE_OTHER; index++) {
        if (!names[index] || !*names[index]) continue;
        if (!chosen && (strcasestr(names[index], "utf-8") || strcasestr(names[index], "utf8"))) said = CT_LOCALE_UTF8;
        break;
    }
    if (!setlocale(LC_CTYPE, "C.UTF-8")) setlocale(LC_CTYPE, "C.utf8");
    return said;
}

int ct_cells(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

// The bytes that reset the terminal from any state, collected from its description.
static char leave_bytes[256];
static size_t leave_length;

static int collect(int byte) {
    if (leave_length < sizeof leave_bytes) leave_bytes[leave_length++] = (char)byte;
    return byte;
}

static void collect_capability(const char *name) {
    char *value = tigetstr((char *)name);
    if (value && value != (char *)-1) tputs(value, 1, collect);
}

bool ct_has_attribute(ct_attribute attribute) {
    const char *name = attribute == CT_BOLD ? "bold" : attribute == CT_DIM ? "dim" : attribute == CT_ITALIC ? "sitm"
        : attribute == CT_UNDERLINE ? "smul" : "rev";
    char *value = tigetstr((char *)name);
    return value && value != (char *)-1;
}

static void collect_text(const char *text) {
    for (const char *byte = text; *byte; byte++) collect(*byte);
}

static void collect_leave_bytes(bool is_modern) {
    leave_length = 0;
    if (is_modern) {
        collect_text(link_end);
        collect_text(frame_end);
        collect_text(title_restore);
        collect_text(modern_off);
    }
    collect_text(paste_off);
    char *mouse = tigetstr((char *)"kmous");
    if (mouse && mouse != (char *)-1) collect_text(mouse_off);
    const char *names[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) collect_capability(names[index]);
}

static ct_status check_description(const char *term, int output) {
    int error = 0;
    if (!term || !*term) return CT_TERM_MISSING;
    if (setupterm((char *)term, output, &error) != OK) return error == 1 ? CT_TERM_TOO_SIMPLE : CT_TERM_UNKNOWN;
    char *move = tigetstr((char *)"cup");
    char *clear_all = tigetstr((char *)"clear");
    bool simple = !move || move == (char *)-1 || !clear_all || clear_all == (char *)-1 || tigetflag((char *)"hc") > 0;
    del_curterm(cur_term);
    return simple ? CT_TERM_TOO_SIMPLE : CT_OK;
}

ct_status ct_describe(const char *term) { return check_description(term, STDERR_FILENO); }

static FILE *duplicate(int descriptor, const char *mode) {
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) return NULL;
    FILE *file = fdopen(copy, mode);
    if (!file) close(copy);
    return file;
}

static void release(ct_terminal *terminal) {
    if (terminal->keys) delwin(terminal->keys);
    if (terminal->screen) delscreen(terminal->screen);
    if (terminal->output_file) fclose(terminal->output_file);
    if (terminal->input_file) fclose(terminal->input_file);
    if (terminal->memory >= 0) close(terminal->memory);
    free(terminal->frame);
    free(terminal);
    is_open = false;
}

static void configure(ct_terminal *terminal) {
    // Raw mode: Ctrl-C, Ctrl-Z and Ctrl-S arrive as keys.
    raw();
    noecho();
    nonl();
    set_escdelay(25);
    keypad(terminal->keys, TRUE);
    nodelay(terminal->keys, TRUE);
    intrflush(terminal->keys, FALSE);
    terminal->has_mouse = ct_keys_define();
    terminal->has_defaults = false;
    if (has_colors() && start_color() == OK) terminal->has_defaults = use_default_colors() == OK;
    curs_set(0);
}

static void hold_title(ct_terminal *terminal) {
    if (!terminal->is_modern) return;
    // After a SIGSTOP the title is still saved; saving it again would lose it.
    if (!terminal->holds_title) ct_write(terminal, title_save, sizeof title_save - 1);
    terminal->holds_title = true;
    if (terminal->title_length > 0) ct_write(terminal, terminal->title, terminal->title_length);
}

static void restore_title(ct_terminal *terminal) {
    if (terminal->holds_title) ct_write(terminal, title_restore, sizeof title_restore - 1);
    terminal->holds_title = false;
}

void ct_title(ct_terminal *terminal, const void *text, size_t length) {
    if (!terminal->is_modern) return;
    if (length > 500) length = 500;
    size_t end = 0;
    memcpy(terminal->title, title_start, sizeof title_start - 1);
    end += sizeof title_start - 1;
    if (length > 0) memcpy(terminal->title + end, text, length);
    end += length;
    memcpy(terminal->title + end, title_end, sizeof title_end - 1);
    terminal->title_length = end + sizeof title_end - 1;
    if (terminal->holds_title) ct_write(terminal, terminal->title, terminal->title_length);
}

// Opens a screen with a description of its own. Curses takes one from the environment only.
static SCREEN *open_screen(ct_terminal *terminal, const char *term, const char *description) {
    if (!description) return newterm((char *)term, terminal->output_file, terminal->input_file);
    const char *set = getenv("TERMINFO");
    char *former = set ? strdup(set) : NULL;
    setenv("TERMINFO", description, 1);
    SCREEN *screen = newterm((char *)term, terminal->output_file, terminal->input_file);
    if (former) setenv("TERMINFO", former, 1);
    else unsetenv("TERMINFO");
    free(former);
    return screen;
}

static void write_modes(ct_terminal *terminal, bool is_on) {
    if (is_on) ct_write(terminal, paste_on, sizeof paste_on - 1);
    else ct_write(terminal, paste_off, sizeof paste_off - 1);
    if (!terminal->is_modern) return;
    if (is_on) ct_write(terminal, modern_on, sizeof modern_on - 1);
    else ct_write(terminal, modern_off, sizeof modern_off - 1);
}

ct_terminal *ct_open(int input, int output, const char *term, const char *description, bool is_modern, ct_status *status) {
    *status = CT_OK;
    if (is_open) *status = CT_BUSY;
    else if (!isatty(input) || !isatty(output)) *status = CT_NOT_A_TERMINAL;
    else *status = check_description(term, output);
    if (*status != CT_OK) return NULL;
    ct_terminal *terminal = calloc(1, sizeof *terminal);
    if (!terminal || ct_signals_descriptor() < 0 || tcgetattr(output, &saved_termios) != 0) {
        free(terminal);
        *status = CT_FAILED;
        return NULL;
    }
    is_open = true;
    terminal->memory = memfd_create("frame", MFD_CLOEXEC);
    terminal->input = input;
    terminal->output = output;
    terminal->input_file = duplicate(input, "r");
    terminal->output_file = duplicate(output, "w");
    // Takes the size from the kernel: LINES and COLUMNS in the environment may be wrong.
    use_env(FALSE);
    use_tioctl(TRUE);
    if (terminal->input_file && terminal->output_file) {
        terminal->screen = open_screen(terminal, term, description);
    }
    if (!terminal->screen) {
        release(terminal);
        *status = CT_FAILED;
        return NULL;
    }
    collect_leave_bytes(is_modern);
    // Before the first change of the terminal, so that a crash at any point restores it.
    ct_signals_begin(output, &saved_termios, leave_bytes, leave_length);
    terminal->keys = newpad(1, 1);
    if (!terminal->keys) {
        ct_close(terminal);
        *status = CT_FAILED;
        return NULL;
    }
    configure(terminal);
    terminal->is_modern = is_modern;
    write_modes(terminal, true);
    hold_title(terminal);
    return terminal;
}

void ct_close(ct_terminal *terminal) {
    set_term(terminal->screen);
    ct_leave(terminal);
    tcsetattr(terminal->output, TCSADRAIN, &saved_termios);
    ct_signals_end(terminal->is_gone);
    release(terminal);
}

bool ct_has_mouse(ct_terminal *terminal) { return terminal->has_mouse; }

static void write_mouse(ct_terminal *terminal, bool is_on) {
    if (is_on) ct_write(terminal, mouse_on, sizeof mouse_on - 1);
    else ct_write(terminal, mouse_off, sizeof mouse_off - 1);
}

void ct_mouse(ct_terminal *terminal, bool wanted) {
    if (!terminal->has_mouse || terminal->wants_mouse == wanted) return;
    terminal->wants_mouse = wanted;
    write_mouse(terminal, wanted);
}

void ct_leave(ct_terminal *terminal) {
    if (terminal->wants_mouse) write_mouse(terminal, false);
    write_modes(terminal, false);
    restore_title(terminal);
    curs_set(1);
    endwin();
}

void ct_enter(ct_terminal *terminal) {
    reset_prog_mode();
    write_modes(terminal, true);
    if (terminal->wants_mouse) write_mouse(terminal, true);
    hold_title(terminal);
    clearok(curscr, TRUE);
    // Ends the state that endwin began, and shows the screen again.
    wrefresh(stdscr);
    curs_set(0);
}

void ct_stop(ct_terminal *terminal) {
    ct_leave(terminal);
    tcsetattr(terminal->output, TCSADRAIN, &saved_termios);
    ct_signals_stop_now();
    ct_enter(terminal);
}

void ct_measure(ct_terminal *terminal, int *columns, int *rows) {
    struct winsize size = {0};
    if (ioctl(terminal->output, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
        size.ws_col = 80;
        size.ws_row = 24;
    }
    // A size of 65535 × 65535 would need gigabytes.
    *columns = size.ws_col < 1000 ? size.ws_col : 1000;
    *rows = size.ws_row < 500 ? size.ws_row : 500;
    if (is_term_resized(*rows, *columns)) resize_term(*rows, *columns);
}

void ct_frame(ct_terminal *terminal, bool begins) {
    if (!terminal->is_modern || terminal->is_gone) return;
    if (begins) ct_write(terminal, frame_begin, sizeof frame_begin - 1);
    else ct_write(terminal, frame_end, sizeof frame_end - 1);
}

void ct_write(ct_terminal *terminal, const void *bytes, size_t count) { ct_write_whole(terminal, bytes, count); }

bool ct_write_whole(ct_terminal *terminal, const void *bytes, size_t count) {
    const char *rest = bytes;
    while (count > 0) {
        ssize_t done = write(terminal->output, rest, count);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = terminal->output, .events = POLLOUT};
            int found = poll(&ready, 1, 1000);
            if (found == 0 || (found < 0 && errno != EINTR)) return false;
            continue;
        }
        if (done <= 0) return false;
        rest += done;
        count -= (size_t)done;
    }
    return true;
}

unsigned ct_wait(ct_terminal *terminal, int milliseconds) {
    struct pollfd sources[2] = {
        {.fd = ct_signals_descriptor(), .events = POLLIN},
        // A descriptor that has hung up would always be ready.
        {.fd = terminal->is_gone ? -1 : terminal->input, .events = POLLIN},
    };
    int ready = poll(sources, 2, milliseconds);
    unsigned reasons = ct_signals_take();
    if (ready > 0 && (sources[1].revents & POLLIN)) reasons |= CT_INPUT;
    if (ready > 0 && (sources[1].revents & (POLLHUP | POLLERR | POLLNVAL))) {
        terminal->is_gone = true;
        reasons |= CT_TERMINATED;
    }
    return reasons;
}

ct_input ct_read(ct_terminal *terminal, uint32_t *value) {
    wint_t code = 0;
    switch (wget_wch(terminal->keys, &code)) {
    case OK:
        *value = (uint32_t)code;
        return CT_CHARACTER;
    case KEY_CODE_YES:
        *value = ct_keys_translate((int)code);
        return CT_KEY;
    default:
        return CT_NOTHING;
    }
}

const char *ct_library_version(void) { return curses_version(); }

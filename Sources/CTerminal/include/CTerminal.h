#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

// The curses calls that Swift cannot make, behind typed functions over one handle; the signals of a process that owns a terminal; and
// the way back to a usable terminal after a crash. One terminal is open at a time. But for ct_wake, all of it belongs to one thread.

typedef struct ct_terminal ct_terminal;

typedef enum {
    CT_OK = 0,
    CT_NOT_A_TERMINAL,   // the descriptor is no terminal
    CT_TERM_MISSING,     // TERM is empty or not set
    CT_TERM_UNKNOWN,     // there is no description of TERM
    CT_TERM_TOO_SIMPLE,  // its cursor cannot be moved, such as dumb
    CT_BUSY,             // another terminal is open in this process
    CT_FAILED
} ct_status;

// Why ct_wait returned; several at once.
typedef enum {
    CT_INPUT = 1,
    CT_WOKEN = 2,
    CT_RESIZED = 4,      // SIGWINCH
    CT_TERMINATED = 8,   // SIGTERM, SIGHUP, SIGINT, SIGQUIT, or the terminal is gone
    CT_CONTINUED = 16,   // SIGCONT
    CT_STOP_ASKED = 32   // SIGTSTP from outside
} ct_reason;

// What ct_read found.
typedef enum { CT_NOTHING = 0, CT_CHARACTER, CT_KEY } ct_input;

// Attributes of ct_put.
typedef enum { CT_BOLD = 1, CT_DIM = 2, CT_ITALIC = 4, CT_UNDERLINE = 8, CT_REVERSE = 16 } ct_attribute;

// What the locale of the environment says about text.
typedef enum { CT_LOCALE_UTF8 = 0, CT_LOCALE_UNSET, CT_LOCALE_OTHER } ct_locale;

// Keys as ct_read reports them, whatever curses calls them. CT_MODIFIED + 64 * modifiers + key: modifiers are 1 shift, 2 alt, 4 control.
typedef enum {
    CT_KEY_UNKNOWN = 0, CT_KEY_UP, CT_KEY_DOWN, CT_KEY_LEFT, CT_KEY_RIGHT, CT_KEY_HOME, CT_KEY_END, CT_KEY_PAGE_UP, CT_KEY_PAGE_DOWN,
    CT_KEY_INSERT, CT_KEY_DELETE, CT_KEY_BACKSPACE, CT_KEY_ENTER, CT_KEY_BACK_TAB, CT_KEY_PASTE_BEGIN, CT_KEY_PASTE_END,
    CT_KEY_MOUSE,        // ESC [ <: what the mouse did follows as characters, up to M or m
    CT_KEY_MOUSE_OLD,    // ESC [ M: three characters follow
    CT_KEY_F0 = 64,      // F1 is 65
    CT_MODIFIED = 1024
} ct_key;

// Chooses a UTF-8 locale for characters, whatever the environment says, and tells what it said. Process-wide.
ct_locale ct_prepare_locale(void);

// The cells that the C library gives to a scalar; -1 where it knows none.
int ct_cells(uint32_t scalar);

// Where a crash is written down from now on, and with what at the beginning; both are copied, and cut at 1000 bytes. NULL: nowhere.
void ct_report_crashes(const char *path, const char *text);

// Restores the terminal as it was found, as a signal that ends the process does. For the moment before _exit. Any thread.
void ct_restore_now(void);

// Hides what is typed at a terminal until ct_hide_end: also after the process was stopped and continued, and not while it is stopped.
// Returns a descriptor that is readable after each time it was continued; -1 where the terminal cannot be changed or is in use.
int ct_hide_begin(int terminal);
// Whether the process was continued since the last call.
bool ct_hide_resumed(void);
// Shows again what is typed. `discards`: what was typed so far is a part of the hidden line, and not for the next reader.
void ct_hide_end(bool discards);

// Opens the terminal behind the descriptors, which remain the caller's. On failure NULL, and the reason in *status. Nothing was changed then.
ct_terminal *ct_open(int input, int output, const char *term, ct_status *status);

// Gives the terminal back as it was found and frees the handle.
void ct_close(ct_terminal *terminal);

// Gives the terminal back for a while; ct_enter takes it again and redraws it with the next ct_flush.
void ct_leave(ct_terminal *terminal);
void ct_enter(ct_terminal *terminal);

// Leaves, stops the process as SIGTSTP does by default, and enters again when it goes on.
void ct_stop(ct_terminal *terminal);

// Asks the kernel for the size, bounded to what curses can hold, and tells curses.
void ct_measure(ct_terminal *terminal, int *columns, int *rows);

int ct_colors(ct_terminal *terminal);
int ct_pairs(ct_terminal *terminal);
// Whether colour numbers are 0xRRGGBB.
bool ct_is_direct(ct_terminal *terminal);
// Sets a pair of colours; -1 is the terminal's own. False when it cannot.
bool ct_set_pair(ct_terminal *terminal, int pair, int foreground, int background);

// Blanks the picture, so that the next ct_flush writes all of it.
void ct_clear(ct_terminal *terminal);
// Writes one glyph of `width` cells. What curses or the C library see differently is replaced by something of the same width.
void ct_put(ct_terminal *terminal, int row, int column, const wchar_t *text, int length, int width, unsigned attributes, int pair);
// Shows or hides the cursor.
void ct_cursor(ct_terminal *terminal, bool visible, int row, int column);
// Writes what changed to the terminal.
void ct_flush(ct_terminal *terminal);
// Writes bytes past curses, in one piece.
void ct_write(ct_terminal *terminal, const void *bytes, size_t count);

// Whether the terminal has a mouse that it can tell of.
bool ct_has_mouse(ct_terminal *terminal);
// Asks the terminal to tell of the mouse, or to keep it to itself. It does that on its own while it is left.
void ct_mouse(ct_terminal *terminal, bool wanted);

// Waits for input, a signal or ct_wake; -1 milliseconds waits without end.
unsigned ct_wait(ct_terminal *terminal, int milliseconds);
// Makes ct_wait return. Any thread, at any time, with or without an open terminal.
void ct_wake(void);
// Makes ct_wait report CT_TERMINATED, like SIGTERM. Any thread, at any time.
void ct_ask_to_end(void);
// The next character or key that is there already.
ct_input ct_read(ct_terminal *terminal, uint32_t *value);

#endif

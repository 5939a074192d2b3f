#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

// The curses calls that Swift cannot make, as typed functions over one handle; signal handling for a process that owns a terminal; and
// restoring the terminal after a crash. One terminal is open at a time. All functions but ct_wake belong to one thread, unless stated
// otherwise.

typedef struct ct_terminal ct_terminal;

typedef enum {
    CT_OK = 0,
    CT_NOT_A_TERMINAL,   // the descriptor is not a terminal
    CT_TERM_MISSING,     // TERM is empty or not set
    CT_TERM_UNKNOWN,     // no description of TERM is installed
    CT_TERM_TOO_SIMPLE,  // the terminal cannot move its cursor, such as dumb
    CT_BUSY,             // another terminal is open in this process
    CT_FAILED
} ct_status;

// Why ct_wait returned; several flags may be set.
typedef enum {
    CT_INPUT = 1,
    CT_WOKEN = 2,
    CT_RESIZED = 4,      // SIGWINCH
    CT_TERMINATED = 8,   // SIGTERM, SIGHUP, SIGINT, SIGQUIT, or the terminal has hung up
    CT_CONTINUED = 16,   // SIGCONT
    CT_STOP_ASKED = 32   // SIGTSTP from another process
} ct_reason;

// The kind of input that ct_read returned.
typedef enum { CT_NOTHING = 0, CT_CHARACTER, CT_KEY } ct_input;

// Attributes of ct_put.
typedef enum { CT_BOLD = 1, CT_DIM = 2, CT_ITALIC = 4, CT_UNDERLINE = 8, CT_REVERSE = 16 } ct_attribute;

// Whether the description of the open terminal has an attribute.
bool ct_has_attribute(ct_attribute attribute);

// The character encoding that the environment's locale asks for.
typedef enum { CT_LOCALE_UTF8 = 0, CT_LOCALE_UNSET, CT_LOCALE_OTHER } ct_locale;

// Keys as ct_read reports them, independent of curses' codes. CT_MODIFIED + 64 * modifiers + key: modifiers are 1 shift, 2 alt, 4 control.
typedef enum {
    CT_KEY_UNKNOWN = 0, CT_KEY_UP, CT_KEY_DOWN, CT_KEY_LEFT, CT_KEY_RIGHT, CT_KEY_HOME, CT_KEY_END, CT_KEY_PAGE_UP, CT_KEY_PAGE_DOWN,
    CT_KEY_INSERT, CT_KEY_DELETE, CT_KEY_BACKSPACE, CT_KEY_ENTER, CT_KEY_BACK_TAB, CT_KEY_PASTE_BEGIN, CT_KEY_PASTE_END,
    CT_KEY_MOUSE,        // ESC [ <: the mouse report follows as characters, up to M or m
    CT_KEY_MOUSE_OLD,    // ESC [ M: three characters follow
    CT_KEY_FOCUS_IN,     // the terminal got the keyboard focus
    CT_KEY_FOCUS_OUT,    // the terminal lost it
    CT_KEY_F0 = 64,      // F1 is 65
    CT_MODIFIED = 1024
} ct_key;

// Sets a UTF-8 locale for characters, regardless of the environment, and returns what the environment asks for. Process-wide.
ct_locale ct_prepare_locale(void);

// Returns the number of cells that the C library gives to a scalar; -1 if unknown.
int ct_cells(uint32_t scalar);

// Sets the file for crash reports, and the text at its start; both are copied, and cut at 1000 bytes. NULL turns reports off.
void ct_report_crashes(const char *path, const char *text);

// Restores the terminal settings, as a signal that ends the process does. Call it before _exit. Any thread.
void ct_restore_now(void);

// How a user types at a terminal.
typedef enum {
    CT_HIDDEN_LINE, // a line, without echo
    CT_SHOWN_LINE,  // a line, with echo
    CT_KEYS,        // key by key without echo, Ctrl-C and Ctrl-Z included
} ct_typing;
// Changes a terminal until ct_typing_end, also one that another program has changed before. It has its former settings while the process is stopped.
// Returns a descriptor that becomes readable each time the process continues; -1 if the terminal cannot be changed or is in use.
// With CT_KEYS, what stands from the cursor's line to the end of the screen is erased if the process ends, and the descriptor also becomes
// readable when the terminal is resized.
int ct_typing_begin(int terminal, ct_typing kind);
// Returns whether the process was continued, or with CT_KEYS the terminal was resized, since the last call.
bool ct_typing_resumed(void);
// Restores the terminal. `discards`: drops unread input, because it belongs to the line.
void ct_typing_end(bool discards);

// Writes a question that ends with a request for the primary device attributes, and reads until their answer, the limit or the time is
// over. What is typed is read unechoed. Returns the number of bytes; 0 if the terminal belongs to another process group or is in use.
size_t ct_ask(int terminal, const char *question, size_t length, int milliseconds, uint8_t *answer, size_t limit);

// Opens the terminal behind the descriptors, which the caller still owns. `description`: the terminal's description, as a value of the
// variable TERMINFO; NULL uses the installed one, as does a description that curses refuses. `is_modern`: the terminal shows titles, and
// ignores private modes that it does not know. Its title is saved now and restored at every end. It reports its focus and changes of its
// colour scheme, and shows each frame at once. On failure returns NULL, sets *status, and changes nothing.
ct_terminal *ct_open(int input, int output, const char *term, const char *description, bool is_modern, ct_status *status);

// Whether curses can use the installed description of a terminal. Writes nothing.
ct_status ct_describe(const char *term);

// Restores the terminal and frees the handle.
void ct_close(ct_terminal *terminal);

// Restores the terminal for a while; ct_enter takes it over again and redraws it with the next ct_draw.
void ct_leave(ct_terminal *terminal);
void ct_enter(ct_terminal *terminal);

// Leaves, stops the process as SIGTSTP does by default, and enters again when it continues.
void ct_stop(ct_terminal *terminal);

// Asks the kernel for the size, limits it to 1000 columns and 500 rows, and tells curses.
void ct_measure(ct_terminal *terminal, int *columns, int *rows);

int ct_colors(ct_terminal *terminal);
int ct_pairs(ct_terminal *terminal);
// Returns whether colour numbers are 0xRRGGBB.
bool ct_is_direct(ct_terminal *terminal);
// Defines a colour pair; -1 is the terminal's default colour. Returns false on failure.
bool ct_set_pair(ct_terminal *terminal, int pair, int foreground, int background);

// Clears the screen content, so that the next ct_draw writes every cell.
void ct_clear(ct_terminal *terminal);
// Writes one glyph of `width` cells. A glyph that curses or the C library measures differently is replaced by text of the same width.
void ct_put(ct_terminal *terminal, int row, int column, const wchar_t *text, int length, int width, unsigned attributes, int pair);
// Shows or hides the cursor.
void ct_cursor(ct_terminal *terminal, bool visible, int row, int column);
// What is known of the bytes of a frame.
typedef struct {
    size_t count;
    int row, column;    // where curses leaves the cursor
    bool is_whole;      // every cell is written, because the terminal may show something else
} ct_frame_info;
// Returns what curses writes for the changed cells, for ct_show; valid until the next call. Without memory, curses writes to the terminal
// itself, the count is 0, and the frame is whole.
const uint8_t *ct_draw(ct_terminal *terminal, ct_frame_info *info);
// Writes a frame to the terminal, which shows it at once if it can.
void ct_show(ct_terminal *terminal, const void *bytes, size_t count);
// Writes bytes directly to the terminal, not through curses.
void ct_write(ct_terminal *terminal, const void *bytes, size_t count);

// Sets the title of the terminal's window, cut at 500 bytes; the text must contain no control character. Does nothing without titles.
void ct_title(ct_terminal *terminal, const void *text, size_t length);

// Returns whether the terminal can report the mouse.
bool ct_has_mouse(ct_terminal *terminal);
// Turns mouse reports on or off. They are off while the terminal is left.
void ct_mouse(ct_terminal *terminal, bool wanted);

// Returns the version of curses: ncurses 6.4.20221231.
const char *ct_library_version(void);

// Waits for input, a signal or ct_wake; -1 milliseconds waits without a limit.
unsigned ct_wait(ct_terminal *terminal, int milliseconds);
// Makes ct_wait return. Any thread, at any time, with or without an open terminal.
void ct_wake(void);
// Makes ct_wait report CT_TERMINATED, like SIGTERM. Any thread, at any time.
void ct_ask_to_end(void);
// Returns the next character or key that is already available; never blocks.
ct_input ct_read(ct_terminal *terminal, uint32_t *value);

#endif

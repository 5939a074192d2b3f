#ifndef CTERMINAL_INTERNAL_H
#define CTERMINAL_INTERNAL_H

// Before any system header. The build may define these already.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif

#include "CTerminal.h"
#include <signal.h>
#include <stdio.h>
#include <termios.h>

struct ct_terminal {
    int input;
    int output;
    FILE *input_file;
    FILE *output_file;
    void *screen;   // SCREEN
    void *keys;     // WINDOW: a pad for reading keys, because reading through a window would draw it
    int memory;     // a file in memory, for the bytes of a frame; -1 without one
    uint8_t *frame; // the bytes of the last frame
    size_t frame_limit;
    bool is_gone;   // the terminal has hung up
    bool has_defaults;
    bool has_mouse;
    bool wants_mouse;
    bool is_modern;     // the terminal shows, saves and restores titles, and ignores unknown modes
    bool holds_title;   // the former title is saved
    char title[512];
    size_t title_length;
};

// signals.c
int ct_signals_descriptor(void);                        // readable after an event; -1 on failure
unsigned ct_signals_take(void);                         // takes and clears the flags of ct_wait
void ct_signals_tell(unsigned flag);                    // adds a flag and makes the descriptor readable; async-signal-safe
void ct_signals_begin(int output, const struct termios *saved, const char *leave, size_t length);
void ct_signals_end(bool is_gone);
void ct_signals_stop_now(void);                         // performs the default action of SIGTSTP

// guard.c
// Restores settings and writes `leave` before the process ends; `discards`: drops unread input then. Returns false if a terminal is already
// guarded.
bool ct_guard_begin(int output, const struct termios *settings, const char *leave, size_t length, bool discards);
void ct_guard_end(void);
void ct_guard_keep(const struct termios *settings);     // replaces the settings to restore
void ct_install(int number, void (*handler)(int), int flags, struct sigaction *before);
void ct_stop_by_default(int number);                    // returns when the process continues
bool ct_is_background(int terminal);                    // whether another process group has the terminal

// crash.c
void ct_crash_write(int number);                        // for a signal handler, after the terminal is restored

// terminal.c
bool ct_write_whole(ct_terminal *terminal, const void *bytes, size_t count); // like ct_write; false if the terminal did not take all
void ct_frame(ct_terminal *terminal, bool begins);      // marks the bytes of a frame, which the terminal shows at once

// keys.c
bool ct_keys_define(void);                              // returns whether the mouse is defined too
uint32_t ct_keys_translate(int code);

#endif

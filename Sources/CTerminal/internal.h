#ifndef CTERMINAL_INTERNAL_H
#define CTERMINAL_INTERNAL_H

// Before any header of the system. Whoever builds this may have set them already.
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
    void *keys;     // WINDOW: a pad that keys are read through, as reading through a window would draw it
    bool is_gone;   // the other side has hung up
    bool has_defaults;
    bool has_mouse;
    bool wants_mouse;
};

// signals.c
int ct_signals_descriptor(void);                        // readable when something happened; -1 when there is none
unsigned ct_signals_take(void);                         // flags of ct_wait
void ct_signals_tell(unsigned flag);                    // in a handler, or anywhere: adds a flag and makes the descriptor readable
void ct_signals_begin(int output, const struct termios *saved, const char *leave, size_t length);
void ct_signals_end(bool is_gone);
void ct_signals_stop_now(void);                         // the default action of SIGTSTP

// guard.c
// Restores settings and writes `leave` before the process ends; `discards`: what was typed so far is not for the next reader.
// False where a terminal is guarded already.
bool ct_guard_begin(int output, const struct termios *settings, const char *leave, size_t length, bool discards);
void ct_guard_end(void);
void ct_guard_keep(const struct termios *settings);     // other settings to restore
void ct_install(int number, void (*handler)(int), int flags, struct sigaction *before);
void ct_stop_by_default(int number);                    // returns when the process goes on
bool ct_is_background(int terminal);                    // whether another process group has the terminal

// crash.c
void ct_crash_write(int number);                        // in a handler, after the terminal was given back

// keys.c
bool ct_keys_define(void);                              // whether the mouse is among them
uint32_t ct_keys_translate(int code);

#endif

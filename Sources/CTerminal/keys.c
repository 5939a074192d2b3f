#include "internal.h"
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <string.h>
#include <term.h>
// These macros of term.h clash with common identifiers.
#undef columns
#undef lines

// Key codes above those of curses, for sequences missing from terminal descriptions: the ends of a paste, and keys with modifiers.
enum { OWN = 4096 };

static const struct { char letter; int key; } lettered[] = {
    {'A', CT_KEY_UP}, {'B', CT_KEY_DOWN}, {'C', CT_KEY_RIGHT}, {'D', CT_KEY_LEFT}, {'H', CT_KEY_HOME}, {'F', CT_KEY_END},
};
static const struct { int number; int key; } numbered[] = {
    {1, CT_KEY_HOME}, {2, CT_KEY_INSERT}, {3, CT_KEY_DELETE}, {4, CT_KEY_END}, {5, CT_KEY_PAGE_UP}, {6, CT_KEY_PAGE_DOWN},
};

static void define(const char *sequence, int value) { define_key(sequence, OWN + value); }

// Defined only if the terminal description lists a mouse: elsewhere the same bytes may be a function key.
static bool define_mouse(void) {
    char *mouse = tigetstr((char *)"kmous");
    if (!mouse || mouse == (char *)-1 || (strcmp(mouse, "\033[M") != 0 && strcmp(mouse, "\033[<") != 0)) return false;
    define("\033[<", CT_KEY_MOUSE);
    define("\033[M", CT_KEY_MOUSE_OLD);
    return true;
}

bool ct_keys_define(void) {
    char sequence[24];
    define("\033[200~", CT_KEY_PASTE_BEGIN);
    define("\033[201~", CT_KEY_PASTE_END);
    define("\033[Z", CT_KEY_BACK_TAB);
    define("\033[I", CT_KEY_FOCUS_IN);
    define("\033[O", CT_KEY_FOCUS_OUT);
    for (size_t index = 0; index < sizeof lettered / sizeof *lettered; index++) {
        // Both forms: a multiplexer, or a terminal in the other cursor mode, sends the form that the description lacks.
        snprintf(sequence, sizeof sequence, "\033[%c", lettered[index].letter);
        define(sequence, lettered[index].key);
        snprintf(sequence, sizeof sequence, "\033O%c", lettered[index].letter);
        define(sequence, lettered[index].key);
        for (int modifiers = 1; modifiers < 8; modifiers++) {
            snprintf(sequence, sizeof sequence, "\033[1;%d%c", modifiers + 1, lettered[index].letter);
            define(sequence, CT_MODIFIED + 64 * modifiers + lettered[index].key);
        }
    }
    for (size_t index = 0; index < sizeof numbered / sizeof *numbered; index++) {
        snprintf(sequence, sizeof sequence, "\033[%d~", numbered[index].number);
        define(sequence, numbered[index].key);
        for (int modifiers = 1; modifiers < 8; modifiers++) {
            snprintf(sequence, sizeof sequence, "\033[%d;%d~", numbered[index].number, modifiers + 1);
            define(sequence, CT_MODIFIED + 64 * modifiers + numbered[index].key);
        }
    }
    return define_mouse();
}

uint32_t ct_keys_translate(int code) {
    if (code >= OWN) return (uint32_t)(code - OWN);
    if (code > KEY_F0 && code <= KEY_F0 + 63) return (uint32_t)(CT_KEY_F0 + code - KEY_F0);
    switch (code) {
    case KEY_UP: return CT_KEY_UP;
    case KEY_DOWN: return CT_KEY_DOWN;
    case KEY_LEFT: return CT_KEY_LEFT;
    case KEY_RIGHT: return CT_KEY_RIGHT;
    case KEY_HOME: return CT_KEY_HOME;
    case KEY_END: return CT_KEY_END;
    case KEY_PPAGE: return CT_KEY_PAGE_UP;
    case KEY_NPAGE: return CT_KEY_PAGE_DOWN;
    case KEY_IC: return CT_KEY_INSERT;
    case KEY_DC: return CT_KEY_DELETE;
    case KEY_BACKSPACE: return CT_KEY_BACKSPACE;
    case KEY_ENTER: return CT_KEY_ENTER;
    case KEY_BTAB: return CT_KEY_BACK_TAB;
    default: return CT_KEY_UNKNOWN;
    }
}

#include "internal.h"
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>

int ct_colors(ct_terminal *terminal) { (void)terminal; return has_colors() ? COLORS : 0; }

int ct_pairs(ct_terminal *terminal) { (void)terminal; return has_colors() ? COLOR_PAIRS : 0; }

bool ct_is_direct(ct_terminal *terminal) {
    (void)terminal;
    bool flagged = tigetflag((char *)"RGB") > 0 || tigetnum((char *)"RGB") == 8;
    return flagged && COLORS == 0x1000000;
}

bool ct_set_pair(ct_terminal *terminal, int pair, int foreground, int background) {
    if (!terminal->has_defaults) {
        if (foreground < 0) foreground = COLOR_WHITE;
        if (background < 0) background = COLOR_BLACK;
    }
    return init_extended_pair(pair, foreground, background) == OK;
}

void ct_clear(ct_terminal *terminal) {
    (void)terminal;
    werase(stdscr);
    clearok(curscr, TRUE);
}

static void put_wide(int row, int column, const wchar_t *text, attr_t attributes, int pair) {
    cchar_t cell;
    if (setcchar(&cell, text, attributes, (short)(pair < 32767 ? pair : 0), &pair) == OK) mvwadd_wch(stdscr, row, column, &cell);
}

void ct_put(ct_terminal *terminal, int row, int column, const wchar_t *text, int length, int width, unsigned attributes, int pair) {
    (void)terminal;
    attr_t set = A_NORMAL;
    if (attributes & CT_BOLD) set |= A_BOLD;
    if (attributes & CT_DIM) set |= A_DIM;
    if (attributes & CT_ITALIC) set |= A_ITALIC;
    if (attributes & CT_UNDERLINE) set |= A_UNDERLINE;
    if (attributes & CT_REVERSE) set |= A_REVERSE;

    wchar_t whole[CCHARW_MAX + 1] = {0};
    int spacing = 0, sum = 0, kept = 0;
    bool known = length > 0;
    for (int index = 0; index < length; index++) {
        int cells = wcwidth(text[index]);
        if (cells < 0) known = false;
        if (cells > 0) { spacing++; sum += cells; }
        if (kept < CCHARW_MAX) whole[kept++] = text[index];
    }
    if (known && spacing == 1 && sum == width && wcwidth(whole[0]) == width) {
        put_wide(row, column, whole, set, pair);
        return;
    }
    if (known && spacing == 2 && length == 2 && sum == width) {
        // Two regional indicators (a flag): the terminal joins them, or shows two letters in the same cells.
        for (int index = 0; index < 2; index++) put_wide(row, column + index, (wchar_t[]){text[index], 0}, set, pair);
        return;
    }
    // Curses and the terminal would disagree on the width of the whole glyph, so it is replaced by its first scalar, or by U+FFFD.
    wchar_t base = length > 0 ? text[0] : L' ';
    int cells = wcwidth(base);
    if (cells < 1 || cells > width) {
        base = 0xFFFD;
        cells = 1;
    }
    put_wide(row, column, (wchar_t[]){base, 0}, set, pair);
    for (int index = cells; index < width; index++) put_wide(row, column + index, (wchar_t[]){L' ', 0}, set, pair);
}

void ct_cursor(ct_terminal *terminal, bool visible, int row, int column) {
    (void)terminal;
    curs_set(visible ? 1 : 0);
    if (visible) wmove(stdscr, row, column);
}

void ct_flush(ct_terminal *terminal) {
    if (terminal->is_gone) return;
    wnoutrefresh(stdscr);
    ct_frame(terminal, true);
    doupdate();
    ct_frame(terminal, false);
}

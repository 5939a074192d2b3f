#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
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

static void write_frame(ct_terminal *terminal) {
    ct_frame(terminal, true);
    doupdate();
    ct_frame(terminal, false);
}

// Reads the bytes that curses wrote to the memory in place of the terminal.
static size_t read_frame(ct_terminal *terminal) {
    off_t length = lseek(terminal->memory, 0, SEEK_CUR);
    if (length <= 0) return 0;
    if ((size_t)length > terminal->frame_limit) {
        uint8_t *larger = realloc(terminal->frame, (size_t)length);
        if (!larger) return 0;
        terminal->frame = larger;
        terminal->frame_limit = (size_t)length;
    }
    ssize_t count = pread(terminal->memory, terminal->frame, (size_t)length, 0);
    return count > 0 ? (size_t)count : 0;
}

const uint8_t *ct_draw(ct_terminal *terminal, ct_frame_info *info) {
    *info = (ct_frame_info){.is_whole = true};
    if (terminal->is_gone) return NULL;
    bool is_cleared_now = is_cleared(curscr);
    wnoutrefresh(stdscr);
    // Curses writes to the descriptor of its file, so this is the memory while it writes a frame.
    int file = fileno(terminal->output_file);
    bool is_ready = terminal->memory >= 0 && lseek(terminal->memory, 0, SEEK_SET) == 0 && dup3(terminal->memory, file, O_CLOEXEC) == file;
    if (!is_ready) {
        write_frame(terminal);
        return NULL;
    }
    doupdate();
    info->count = read_frame(terminal);
    info->is_whole = is_cleared_now;
    getyx(curscr, info->row, info->column);
    while (dup3(terminal->output, file, O_CLOEXEC) < 0 && (errno == EINTR || errno == EBUSY)) {}
    return terminal->frame;
}

void ct_show(ct_terminal *terminal, const void *bytes, size_t count) {
    if (terminal->is_gone || count == 0) return;
    ct_frame(terminal, true);
    // Curses believes that the terminal shows this frame. After a cut one, the next frame is complete.
    if (!ct_write_whole(terminal, bytes, count)) clearok(curscr, TRUE);
    ct_frame(terminal, false);
}

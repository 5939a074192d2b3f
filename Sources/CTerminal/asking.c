#include "internal.h"
#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

// Asks a terminal and reads its answer, before curses owns the terminal.

static long long now_in_milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Returns whether the bytes contain the answer to a request for the primary device attributes: ESC [ ? 62 ; 22 c.
static bool has_attributes(const uint8_t *bytes, size_t count) {
    for (size_t start = 0; start + 3 < count; start++) {
        if (bytes[start] != 0x1B || bytes[start + 1] != '[' || bytes[start + 2] != '?') continue;
        size_t end = start + 3;
        while (end < count && ((bytes[end] >= '0' && bytes[end] <= '9') || bytes[end] == ';')) end++;
        if (end < count && bytes[end] == 'c') return true;
    }
    return false;
}

static bool write_all(int terminal, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t done = write(terminal, bytes, count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done;
        count -= (size_t)done;
    }
    return true;
}

size_t ct_ask(int terminal, const char *question, size_t length, int milliseconds, uint8_t *answer, size_t limit) {
    struct termios settings;
    if (!isatty(terminal) || ct_is_background(terminal) || tcgetattr(terminal, &settings) != 0) return 0;
    if (!ct_guard_begin(terminal, &settings, NULL, 0, false)) return 0;
    // As curses sets them for the app, so that a key typed meanwhile is the same key.
    struct termios silent = settings;
    silent.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
    silent.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON);
    silent.c_cc[VMIN] = 0;
    silent.c_cc[VTIME] = 0;
    size_t count = 0;
    if (tcsetattr(terminal, TCSANOW, &silent) == 0 && write_all(terminal, question, length)) {
        long long end = now_in_milliseconds() + milliseconds;
        while (count < limit && !has_attributes(answer, count)) {
            long long left = end - now_in_milliseconds();
            struct pollfd source = {.fd = terminal, .events = POLLIN};
            int ready = left > 0 ? poll(&source, 1, (int)left) : 0;
            if (ready < 0 && errno == EINTR) continue;
            if (ready <= 0) break;
            ssize_t got = read(terminal, answer + count, limit - count);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            count += (size_t)got;
        }
    }
    tcsetattr(terminal, TCSANOW, &settings);
    ct_guard_end();
    return count;
}

#ifndef YETT_CQRENCODE_H
#define YETT_CQRENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libqrencode, loaded when the first code is drawn instead of at program start. */

/* Draws `text` as a QR code with the lowest error correction, which needs the fewest modules.
 *
 * Calls `module` once for each module, row by row, with the side of the square in modules. Returns false, without calling `module`, if
 * the library is not available or the text is too long for any code. Thread-safe. */
bool cqrencode_draw(
    const char *_Nonnull text, void (*_Nonnull module)(void *_Nullable context, int side, bool is_dark), void *_Nullable context);

/* Returns whether the library is available. */
bool cqrencode_is_available(void);

#endif

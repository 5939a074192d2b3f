#ifndef YETT_CQRENCODE_H
#define YETT_CQRENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libqrencode, loaded when the first code is drawn instead of at program start. */

/* Draws `text` as a QR code of the lowest error correction that fits most into the fewest modules.
 *
 * `module` is called once for each module, row by row, with the side of the square in modules. Returns false when the library is
 * not there or the text is too long for any code; then `module` was not called. Thread-safe. */
bool cqrencode_draw(
    const char *_Nonnull text, void (*_Nonnull module)(void *_Nullable context, int side, bool is_dark), void *_Nullable context);

/* Whether the library is there. */
bool cqrencode_is_available(void);

#endif

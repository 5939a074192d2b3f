#include "CQREncode.h"

#include "CLibrary.h"
#include <pthread.h>
#include <qrencode.h>

static __typeof__(&QRcode_encodeString8bit) encode;
static __typeof__(&QRcode_free) release;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    clibrary_failure failure;
    void *library = clibrary_open("libqrencode.so.4", &failure);
    if (library == NULL) return;
    clibrary_find(library, "QRcode_encodeString8bit", &encode);
    clibrary_find(library, "QRcode_free", &release);
}

bool cqrencode_is_available(void) {
    pthread_once(&once, load);
    return encode != NULL && release != NULL;
}

bool cqrencode_draw(const char *text, void (*module)(void *context, int side, bool is_dark), void *context) {
    if (!cqrencode_is_available()) return false;
    QRcode *code = encode(text, 0, QR_ECLEVEL_L);
    if (code == NULL) return false;
    /* The lowest bit is set for a dark module; the others tell the module's purpose. */
    for (int index = 0; index < code->width * code->width; index++) module(context, code->width, (code->data[index] & 1) != 0);
    release(code);
    return true;
}

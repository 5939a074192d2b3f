#include "CQREncode.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <qrencode.h>

static __typeof__(&QRcode_encodeString8bit) encode;
static __typeof__(&QRcode_free) release;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    void *encode_address = dlsym(library, "QRcode_encodeString8bit");
    void *release_address = dlsym(library, "QRcode_free");
    if (encode_address == NULL || release_address == NULL) return;
    memcpy(&encode, &encode_address, sizeof encode);
    memcpy(&release, &release_address, sizeof release);
}

bool cqrencode_is_available(void) {
    pthread_once(&once, load);
    return encode != NULL && release != NULL;
}

bool cqrencode_draw(const char *text, void (*module)(void *context, int side, bool is_dark), void *context) {
    if (!cqrencode_is_available()) return false;
    QRcode *code = encode(text, 0, QR_ECLEVEL_L);
    if (code == NULL) return false;
    /* The lowest bit says dark; the others say what a module is for. */
    for (int index = 0; index < code->width * code->width; index++) module(context, code->width, (code->data[index] & 1) != 0);
    release(code);
    return true;
}

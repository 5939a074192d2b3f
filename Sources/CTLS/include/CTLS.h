#ifndef YETT_CTLS_H
#define YETT_CTLS_H

#include "CLibrary.h"
#include <stdbool.h>
#include <stddef.h>

/* The server's side of TLS by OpenSSL, loaded on first use instead of at program start. It touches no socket: what comes
 * from the network is fed in, and what is to go there is taken out.
 *
 * Nothing else here may be called before ctls_load() returned NULL. */

/* Loads OpenSSL, once per process; thread-safe. NULL when it is there, else the reason it is not. */
const clibrary_failure *_Nullable ctls_load(void);

/* A key and a certificate that it signed itself. */
typedef struct ctls_identity ctls_identity;

/* Makes them; NULL when OpenSSL will not.
 *
 * host: what the certificate is for, as its alternative name is written: "IP:127.0.0.1", "DNS:host.example".
 * from, until: when it is good, in seconds from now. */
ctls_identity *_Nullable ctls_identity_new(
    const char *_Nonnull common_name, const char *_Nonnull host, long from, long until);
void ctls_identity_free(ctls_identity *_Nullable identity);

/* The certificate in PEM, to be freed with free(); NULL when there is no memory. */
char *_Nullable ctls_identity_copy_pem(const ctls_identity *_Nonnull identity);

/* One connection. */
typedef struct ctls_session ctls_session;

/* A session that waits for a client's first bytes; NULL when OpenSSL will not.
 *
 * demands_certificate: ends the handshake of a client that presents no certificate. Whoever signed it is good enough. */
ctls_session *_Nullable ctls_session_new(ctls_identity *_Nonnull identity, bool demands_certificate);
void ctls_session_free(ctls_session *_Nullable session);

/* What came from the network; false when there is no memory. */
bool ctls_session_feed(ctls_session *_Nonnull session, const void *_Nonnull bytes, size_t count);

enum ctls_end { CTLS_OPEN, CTLS_CLOSED, CTLS_FAILED };

/* Goes on with the handshake, or takes off the encryption of what was fed in: up to `room` bytes, whose count is the result.
 * With 0, `end` says whether more may come, the client has said goodbye, or something was wrong with what it sent. */
size_t ctls_session_read(ctls_session *_Nonnull session, void *_Nonnull bytes, size_t room, enum ctls_end *_Nonnull end);

/* Encrypts; false before the end of the handshake, or when it failed. */
bool ctls_session_write(ctls_session *_Nonnull session, const void *_Nonnull bytes, size_t count);

/* Says goodbye to the client. */
void ctls_session_finish(ctls_session *_Nonnull session);

/* What is to go to the network: up to `room` bytes, whose count is the result. */
size_t ctls_session_take(ctls_session *_Nonnull session, void *_Nonnull bytes, size_t room);

#endif

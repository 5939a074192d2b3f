#ifndef YETT_CCURL_H
#define YETT_CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <curl/curl.h>
#include "CLibrary.h"

/* libcurl, loaded on first use instead of at program start, with its variadic calls made typed.
 *
 * Nothing here may be called before ccurl_load() returned NULL. Call none of libcurl's own functions: they are not linked. */

/* Loads libcurl and readies it, once per process; thread-safe. NULL when it is there, else the reason it is not.
 *
 * SSLKEYLOGFILE is taken out of the environment first, so that no key of a TLS connection is ever written to a file. */
const clibrary_failure *_Nullable ccurl_load(void);

/* A new transfer handle; NULL when there is no memory. */
CURL *_Nullable ccurl_easy_new(void);
void ccurl_easy_free(CURL *_Nonnull easy);

CURLcode ccurl_easy_set_long(CURL *_Nonnull easy, CURLoption option, long value);
CURLcode ccurl_easy_set_offset(CURL *_Nonnull easy, CURLoption option, curl_off_t value);
/* libcurl copies the text, except for CURLOPT_POSTFIELDS, which must go through ccurl_easy_set_pointer. */
CURLcode ccurl_easy_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable value);
CURLcode ccurl_easy_set_pointer(CURL *_Nonnull easy, CURLoption option, void *_Nullable value);
/* libcurl copies the bytes. */
CURLcode ccurl_easy_set_blob(CURL *_Nonnull easy, CURLoption option, const void *_Nonnull bytes, size_t count);
CURLcode ccurl_easy_set_headers(CURL *_Nonnull easy, const struct curl_slist *_Nullable headers);

/* Receives a piece of the body or one header line; returns how many bytes it took, fewer to abort the transfer. */
typedef size_t (*ccurl_receiver)(char *_Nonnull bytes, size_t size, size_t count, void *_Nullable context);
CURLcode ccurl_easy_set_body_receiver(CURL *_Nonnull easy, ccurl_receiver _Nonnull receiver, void *_Nullable context);
CURLcode ccurl_easy_set_header_receiver(CURL *_Nonnull easy, ccurl_receiver _Nonnull receiver, void *_Nullable context);

/* Called each time just before a request goes out, with the context and both ends of the connection; other than
 * CURL_PREREQFUNC_OK aborts. A libcurl before 7.80 has no such hook and answers CURLE_UNKNOWN_OPTION. */
typedef int (*ccurl_gate)(
    void *_Nullable context, char *_Nullable peer, char *_Nullable self, int peer_port, int self_port);
CURLcode ccurl_easy_set_request_gate(CURL *_Nonnull easy, ccurl_gate _Nonnull gate, void *_Nullable context);

/* The only scheme the transfer may use, redirects included: "http" or "https". */
CURLcode ccurl_easy_set_scheme(CURL *_Nonnull easy, bool https);
/* Sockets of this transfer are closed in programs that are started meanwhile. */
CURLcode ccurl_easy_set_close_on_exec(CURL *_Nonnull easy);

/* A name look-up that hangs does not hold up the end of its transfer. A libcurl before 7.87 answers CURLE_UNKNOWN_OPTION. */
CURLcode ccurl_easy_set_quick_exit(CURL *_Nonnull easy);

/* CURLAUTH_ANY, which is a cast that Swift does not see: the safest scheme the other side offers. */
static inline long ccurl_any_authentication(void) { return (long)CURLAUTH_ANY; }

/* CURLAUTH_BASIC and CURLAUTH_DIGEST, which are casts as well. */
static inline long ccurl_basic_authentication(void) { return (long)CURLAUTH_BASIC; }
static inline long ccurl_digest_authentication(void) { return (long)CURLAUTH_DIGEST; }

/* 0 where libcurl does not know. */
long ccurl_easy_get_long(CURL *_Nonnull easy, CURLINFO info);

/* The certificate that the server showed, as PEM text that lives as long as the handle; NULL where libcurl has none. Wants
 * CURLOPT_CERTINFO. */
const char *_Nullable ccurl_easy_get_certificate(CURL *_Nonnull easy);

/* A header list with `line` at its end; NULL, and the list unchanged, when there is no memory. */
struct curl_slist *_Nullable ccurl_headers_append(struct curl_slist *_Nullable list, const char *_Nonnull line);
/* Overwrites every line before it frees the list. */
void ccurl_headers_wipe_and_free(struct curl_slist *_Nullable list);

CURLM *_Nullable ccurl_multi_new(void);
CURLMcode ccurl_multi_free(CURLM *_Nonnull multi);
CURLMcode ccurl_multi_add(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode ccurl_multi_remove(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode ccurl_multi_perform(CURLM *_Nonnull multi);
/* Waits until a transfer can go on, ccurl_multi_wake was called, or the time is over. */
CURLMcode ccurl_multi_wait(CURLM *_Nonnull multi, int milliseconds);
/* The one call that may be made from another thread. */
CURLMcode ccurl_multi_wake(CURLM *_Nonnull multi);
CURLMcode ccurl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value);
/* The next transfer that is done, with its result; false when there is none. */
bool ccurl_multi_next_done(CURLM *_Nonnull multi, CURL *_Nullable *_Nonnull easy, CURLcode *_Nonnull result);

#endif

#ifndef YETT_CBUS_H
#define YETT_CBUS_H

#include <stdint.h>

/* sd-bus, the D-Bus client of libsystemd (or of libelogind), loaded on first use instead of at program start.
 *
 * The declarations are here instead of in the library's header, so that a build does not need its development package. They are part of
 * its stable interface. Functions return a negative errno number if they fail. A connection is for one thread at a time. */

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef int (*cbus_handler)(sd_bus_message *_Nonnull message, void *_Nullable context, void *_Nullable error);

/* Name, result and arguments of each function. */
#define CBUS_FUNCTIONS(FUNCTION) \
    FUNCTION(new, int, (sd_bus *_Nullable *_Nonnull bus)) \
    FUNCTION(set_address, int, (sd_bus *_Nonnull bus, const char *_Nonnull address)) \
    FUNCTION(set_bus_client, int, (sd_bus *_Nonnull bus, int is_client)) \
    FUNCTION(start, int, (sd_bus *_Nonnull bus)) \
    FUNCTION(get_fd, int, (sd_bus *_Nonnull bus)) \
    /* Handles one message. Returns 0 if there is none. */ \
    FUNCTION(process, int, (sd_bus *_Nonnull bus, void *_Nullable no_message)) \
    FUNCTION(close, void, (sd_bus *_Nonnull bus)) \
    FUNCTION(unref, sd_bus *_Nullable, (sd_bus *_Nonnull bus)) \
    FUNCTION(add_match_async, int, (sd_bus *_Nonnull bus, void *_Nullable no_slot, const char *_Nonnull rule, \
        cbus_handler _Nonnull handler, cbus_handler _Nullable added, void *_Nullable context)) \
    FUNCTION(add_filter, int, (sd_bus *_Nonnull bus, void *_Nullable no_slot, cbus_handler _Nonnull handler, void *_Nullable context)) \
    FUNCTION(request_name, int, (sd_bus *_Nonnull bus, const char *_Nonnull name, uint64_t flags)) \
    FUNCTION(call_async, int, (sd_bus *_Nonnull bus, void *_Nullable no_slot, sd_bus_message *_Nonnull call, \
        cbus_handler _Nonnull handler, void *_Nullable context, uint64_t microseconds)) \
    FUNCTION(send, int, (sd_bus *_Nonnull bus, sd_bus_message *_Nonnull message, void *_Nullable no_cookie)) \
    FUNCTION(message_new_method_call, int, (sd_bus *_Nonnull bus, sd_bus_message *_Nullable *_Nonnull message, \
        const char *_Nonnull name, const char *_Nonnull path, const char *_Nonnull interface, const char *_Nonnull member)) \
    FUNCTION(message_new_method_return, int, (sd_bus_message *_Nonnull call, sd_bus_message *_Nullable *_Nonnull message)) \
    FUNCTION(message_new_signal, int, (sd_bus *_Nonnull bus, sd_bus_message *_Nullable *_Nonnull message, \
        const char *_Nonnull path, const char *_Nonnull interface, const char *_Nonnull member)) \
    /* The value: the text itself for 's', else a pointer to the number. */ \
    FUNCTION(message_append_basic, int, (sd_bus_message *_Nonnull message, char type, const void *_Nonnull value)) \
    FUNCTION(message_read_basic, int, (sd_bus_message *_Nonnull message, char type, void *_Nonnull value)) \
    FUNCTION(message_get_sender, const char *_Nullable, (sd_bus_message *_Nonnull message)) \
    FUNCTION(message_set_destination, int, (sd_bus_message *_Nonnull message, const char *_Nonnull name)) \
    FUNCTION(message_is_method_call, int, (sd_bus_message *_Nonnull message, const char *_Nonnull interface, const char *_Nonnull member)) \
    FUNCTION(message_is_method_error, int, (sd_bus_message *_Nonnull message, const char *_Nullable name)) \
    FUNCTION(message_unref, sd_bus_message *_Nullable, (sd_bus_message *_Nonnull message))

#define CBUS_MEMBER(name, result, arguments) result (*_Nonnull name) arguments;
typedef struct { CBUS_FUNCTIONS(CBUS_MEMBER) } cbus_functions;
#undef CBUS_MEMBER

/* Returns the functions; NULL if the library is missing or too old. Loads it once per process; thread-safe. */
const cbus_functions *_Nullable cbus_load(void);

#endif

#ifndef YETT_LIBSECRET_H
#define YETT_LIBSECRET_H

#include <stdbool.h>
#include <stddef.h>

/* The declarations of libsecret and GLib that are used here, as in their headers. Both libraries guarantee a stable interface, and using
 * their headers would make every build depend on GLib's development package. */

typedef struct { unsigned domain; int code; char *message; } GError;
typedef struct GList { void *data; struct GList *next, *prev; } GList;
typedef struct { const char *name; int type; } SecretSchemaAttribute;
typedef struct {
    const char *name;
    int flags;
    SecretSchemaAttribute attributes[32];
    int reserved;
    void *more[7];
} SecretSchema;

enum { G_BUS_TYPE_SESSION = 2 };
enum { SECRET_SERVICE_NONE = 0, SECRET_COLLECTION_NONE = 0, SECRET_SEARCH_ALL = 1 << 1, SECRET_SEARCH_LOAD_SECRETS = 1 << 3 };
enum { SECRET_ERROR_IS_LOCKED = 2, G_DBUS_ERROR_SERVICE_UNKNOWN = 2, G_IO_ERROR_CANCELLED = 19 };

/* Name, result and arguments of each function. */
#define LIBSECRET_FUNCTIONS(FUNCTION) \
    FUNCTION(g_cancellable_new, void *, (void)) \
    FUNCTION(g_cancellable_cancel, void, (void *cancellable)) \
    FUNCTION(g_object_unref, void, (void *object)) \
    FUNCTION(g_error_free, void, (GError *error)) \
    FUNCTION(g_quark_to_string, const char *, (unsigned quark)) \
    FUNCTION(g_dbus_error_strip_remote_error, int, (GError *error)) \
    FUNCTION(g_bus_get_sync, void *, (int type, void *cancellable, GError **error)) \
    FUNCTION(g_dbus_connection_set_exit_on_close, void, (void *connection, int exits)) \
    FUNCTION(g_list_free, void, (GList *list)) \
    FUNCTION(g_hash_table_new, void *, (unsigned (*hash)(const void *), int (*equal)(const void *, const void *))) \
    FUNCTION(g_hash_table_insert, int, (void *table, void *key, void *value)) \
    FUNCTION(g_hash_table_unref, void, (void *table)) \
    FUNCTION(g_str_hash, unsigned, (const void *text)) \
    FUNCTION(g_str_equal, int, (const void *left, const void *right)) \
    FUNCTION(secret_service_get_sync, void *, (int flags, void *cancellable, GError **error)) \
    FUNCTION(secret_service_search_sync, GList *, \
        (void *service, const SecretSchema *schema, void *attributes, int flags, void *cancellable, GError **error)) \
    FUNCTION(secret_service_store_sync, int, \
        (void *service, const SecretSchema *schema, void *attributes, const char *collection, const char *label, void *value, \
            void *cancellable, GError **error)) \
    FUNCTION(secret_collection_for_alias_sync, void *, \
        (void *service, const char *alias, int flags, void *cancellable, GError **error)) \
    FUNCTION(secret_collection_get_locked, int, (void *collection)) \
    FUNCTION(secret_item_get_locked, int, (void *item)) \
    FUNCTION(secret_item_get_secret, void *, (void *item)) \
    FUNCTION(secret_item_delete_sync, int, (void *item, void *cancellable, GError **error)) \
    FUNCTION(secret_value_new, void *, (const char *bytes, ptrdiff_t count, const char *type)) \
    FUNCTION(secret_value_get, const char *, (void *value, size_t *count)) \
    FUNCTION(secret_value_unref, void, (void *value))

#endif

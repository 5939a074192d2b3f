#ifndef YETT_CSQLITE_H
#define YETT_CSQLITE_H

#include <sqlite3.h>

/* Binds a text or a blob, which SQLite copies: SQLITE_TRANSIENT is a cast that Swift cannot import. Both return SQLite's result code. */
int csqlite_bind_text(sqlite3_stmt *_Nonnull statement, int index, const char *_Nullable text, int count);
int csqlite_bind_blob(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, int count);

/* Makes a text in double quotes an error instead of a string. sqlite3_db_config() is variadic, which Swift cannot call. */
void csqlite_refuse_double_quoted_strings(sqlite3 *_Nonnull database);

#endif

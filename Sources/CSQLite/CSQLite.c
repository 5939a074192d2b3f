#include "CSQLite.h"

int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, count == 0 ? "" : text, count, SQLITE_TRANSIENT);
}

int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    /* A null pointer would bind NULL. */
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

void csqlite_refuse_double_quoted_strings(sqlite3 *database) {
#ifdef SQLITE_DBCONFIG_DQS_DDL
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
#else
    (void)database;
#endif
}

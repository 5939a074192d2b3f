#ifndef YETT_CONFINEMENT_H
#define YETT_CONFINEMENT_H

#include "CProcess.h"

#include <limits.h>
#include <sys/stat.h>

/* What the parts of the process beside a confined command share. */

/* Reports the error of this stage and ends this process, unless the step succeeded. */
void confinement_require(int succeeded, enum cprocess_stage stage);

/* Covers the paths in the words `hide=PATH`, so that no process in this mount namespace can uncover or replace them, and lets none write in the folders of
   `lock=PATH`. Of what is in a covered folder, it shows the folder in `show=PATH`, for reading alone. */
void confinement_cover(char *_Nonnull *_Nonnull words, int count);

/* A file system as it is seen at one place (proc_pid_mountinfo(5)). */
struct view {
    struct view *_Nullable next;
    unsigned long id;
    char device[32], type[32];
    /* The folder of the file system that is seen, and where it is seen. */
    char *_Nonnull root, *_Nonnull point;
};

/* Returns the table of mounts. */
struct view *_Nullable confinement_read_views(void);

/* A path, the view in which it is, and its path in the file system itself. */
struct located {
    const char *_Nonnull path;
    const struct view *_Nonnull view;
    struct statx status;
    char inner[2 * PATH_MAX];
};

/* Finds out where a path is. Returns 0 if that is not known. */
int confinement_locate(struct located *_Nonnull found, const char *_Nonnull path, const struct view *_Nonnull views);

/* Returns where a view shows a path that is seen elsewhere, or a part of it; NULL if it does not. */
char *_Nullable confinement_place_in_view(const struct view *_Nonnull view, const struct located *_Nonnull own);

/* Returns whether a view shows terminals or processes that are not the command's. */
int confinement_shows_others(const struct view *_Nonnull view);

/* Replaces the terminals in /dev/pts by none, because another one of this user shows what is typed there to every program that reads it. */
void confinement_cover_terminals(void);

/* Keeps this process and its children from typing at the terminal, from the keyrings of the kernel, and from privileges of programs that
   are setuid. */
void confinement_forbid_typing(void);

/* Keeps this process and its children from networks that its network namespace does not separate. */
void confinement_forbid_other_networks(void);

#endif

#ifndef YETT_CONFINEMENT_H
#define YETT_CONFINEMENT_H

#include "CProcess.h"

/* What the parts of the process beside a confined command share. */

/* Reports the error of this stage and ends this process, unless the step succeeded. */
void confinement_require(int succeeded, enum cprocess_stage stage);

/* Covers the paths in the words `hide=PATH`, so that no process in this mount namespace can uncover or replace them, and lets none write in the folders of
   `lock=PATH`. */
void confinement_cover(char *_Nonnull *_Nonnull words, int count);

/* Replaces the terminals in /dev/pts by none, because another one of this user shows what is typed there to every program that reads it. */
void confinement_cover_terminals(void);

/* Keeps this process and its children from typing at the terminal, from the keyrings of the kernel, and from privileges of programs that
   are setuid. */
void confinement_forbid_typing(void);

/* Keeps this process and its children from networks that its network namespace does not separate. */
void confinement_forbid_other_networks(void);

#endif

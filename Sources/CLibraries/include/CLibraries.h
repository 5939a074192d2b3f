#ifndef YETT_CLIBRARIES_H
#define YETT_CLIBRARIES_H

/* The libraries of the distribution that are loaded on first use. */

#include "CBus.h"
#include "CCurl.h"
#include "CFido.h"
#include "CLibrary.h"
#include "CQREncode.h"
#include "CSecret.h"
#include "CSodium.h"
#include "CTLS.h"

#endif

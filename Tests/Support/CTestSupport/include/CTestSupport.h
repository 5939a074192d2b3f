#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

/// The largest number of tests that run at once.
#define TESTS_AT_ONCE 8

/// Lets any program of the same user read this process's memory, where otherwise only its parent may.
void probe_open_memory(void);

#endif

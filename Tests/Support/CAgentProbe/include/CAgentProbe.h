#ifndef CAGENTPROBE_H
#define CAGENTPROBE_H

/// Lets any program of the same user read this process's memory, where otherwise only its parent may.
void probe_open_memory(void);

#endif

#ifndef CAGENTPROBE_H
#define CAGENTPROBE_H

/// Lets any program of the same user look into this process, where otherwise only its parent may.
void probe_open_memory(void);

#endif

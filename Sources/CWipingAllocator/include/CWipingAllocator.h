#ifndef YETT_CWIPINGALLOCATOR_H
#define YETT_CWIPINGALLOCATOR_H

/* Returns 1 if free() and realloc() are those of this target; 0 if it does not replace them on this platform. */
int cwiping_allocator_is_linked(void);

#endif

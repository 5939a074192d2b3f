#ifndef YETT_CWIPINGALLOCATOR_H
#define YETT_CWIPINGALLOCATOR_H

/* Always 1: a program finds out by it whether free() and realloc() are the ones of this target. */
int cwiping_allocator_is_linked(void);

#endif

#pragma once

/// The largest number of tests that run at once.
#define CTEST_CONCURRENCY_WIDTH 8

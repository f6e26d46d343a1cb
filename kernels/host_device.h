// Lets one formula serve the host and the device.
#pragma once

#ifdef __CUDACC__
#define GRADLAB_HOST_DEVICE __host__ __device__
#else
#define GRADLAB_HOST_DEVICE
#endif

// Before a loop that may write over one of its own inputs, element by element: the elements do not depend on each other.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define GRADLAB_INDEPENDENT_ELEMENTS _Pragma("GCC ivdep")
#else
#define GRADLAB_INDEPENDENT_ELEMENTS
#endif

#include "amontons/optimization/sparse/panel_product_kernel.h"

#if defined(__x86_64__)

// Eight doubles per vector; compiled with the flags of AVX-512.
template struct amontons::PanelMultiplier<8>;

#endif

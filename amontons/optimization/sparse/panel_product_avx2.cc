#include "amontons/optimization/sparse/panel_product_kernel.h"

#if defined(__x86_64__)

// Four doubles per vector; compiled with the flags of AVX2.
template struct amontons::PanelMultiplier<4>;

#endif

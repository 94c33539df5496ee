#include "amontons/math/panel_product_kernel.h"

#if defined(__x86_64__)

template struct amontons::PanelMultiplier<4>;

#endif

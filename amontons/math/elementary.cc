#include "amontons/math/elementary.h"

#include <sleef.h>

// "cinz" names the versions without fused operations, "u10" an error of 1.0 units in the last
// place.

namespace amontons::elementary {

double sin(double x) { return Sleef_cinz_sind1_u10purec(x); }
double cos(double x) { return Sleef_cinz_cosd1_u10purec(x); }
double tan(double x) { return Sleef_cinz_tand1_u10purec(x); }
double atan2(double y, double x) { return Sleef_cinz_atan2d1_u10purec(y, x); }
double exp(double x) { return Sleef_cinz_expd1_u10purec(x); }
double log(double x) { return Sleef_cinz_logd1_u10purec(x); }
double pow(double x, double y) { return Sleef_cinz_powd1_u10purec(x, y); }

}  // namespace amontons::elementary

#pragma once

/// Holds the elementary functions of results, with the same bits on every processor. Those of the C
/// library use fused operations where the processor has them, which changes last bits; these are
/// SLEEF's without them [Shibata, Petrogalli 2020]. Errors are below 1 unit in the last place.
/// std::sqrt is exact to rounding everywhere.
namespace amontons::elementary {

double sin(double x);
double cos(double x);
double tan(double x);
double atan2(double y, double x);
double exp(double x);
double log(double x);
double pow(double x, double y);

/// Returns the root of x^2 + y^2 without overflow, by a corrected root of the sum of squares
/// [Borges 2020].
double hypot(double x, double y);

}  // namespace amontons::elementary

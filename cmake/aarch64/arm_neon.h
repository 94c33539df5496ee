#pragma once

// Gives the intrinsics of NEON that Eigen calls the results of SSE (docs/theory/same-bits.md). The
// compiler finds this header before its own of the same name.
#include_next <arm_neon.h>

// A multiply-add is a product and a sum: -ffp-contract=off does not reach intrinsics.
#define vfma_f32(c, a, b) vadd_f32(c, vmul_f32(a, b))
#define vfmaq_f32(c, a, b) vaddq_f32(c, vmulq_f32(a, b))
#define vfmaq_n_f32(c, a, b) vaddq_f32(c, vmulq_n_f32(a, b))
#define vfmaq_laneq_f32(c, a, b, lane) vaddq_f32(c, vmulq_laneq_f32(a, b, lane))
#define vfmaq_f64(c, a, b) vaddq_f64(c, vmulq_f64(a, b))
#define vfmaq_n_f64(c, a, b) vaddq_f64(c, vmulq_n_f64(a, b))
#define vfmaq_laneq_f64(c, a, b, lane) vaddq_f64(c, vmulq_laneq_f64(a, b, lane))

// Of zeros with different signs, and where one is NaN, the first is the least and the largest.
#define vminq_f64(a, b) vbslq_f64(vcltq_f64(b, a), b, a)
#define vmaxq_f64(a, b) vbslq_f64(vcgtq_f64(b, a), b, a)
#define vpminq_f64(a, b) vminq_f64(vuzp2q_f64(a, b), vuzp1q_f64(a, b))
#define vpmaxq_f64(a, b) vmaxq_f64(vuzp2q_f64(a, b), vuzp1q_f64(a, b))

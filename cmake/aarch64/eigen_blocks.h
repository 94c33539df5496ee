// Gives Eigen's products on NEON the blocks that they have on SSE, and so the same order of sums.
// Eigen reads this file as a plug-in of DenseBase: behind its vectors, before its products.
#undef EIGEN_HAS_SINGLE_INSTRUCTION_MADD

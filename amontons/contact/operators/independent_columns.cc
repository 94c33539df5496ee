#include "amontons/contact/operators/independent_columns.h"

namespace amontons {

std::vector<Eigen::Index> independent_columns(Eigen::MatrixXd& left, double least) {
  std::vector<Eigen::Index> chosen;
  for (Eigen::Index round = 0; round < left.cols(); ++round) {
    Eigen::Index next = 0;
    const double length = left.colwise().norm().maxCoeff(&next);
    if (!(length > least)) break;
    const Eigen::VectorXd direction = left.col(next) / length;
    left -= direction * (direction.transpose() * left).eval();
    left.col(next).setZero();
    chosen.push_back(next);
  }
  return chosen;
}

}  // namespace amontons

#include "amontons/contact/operators/independent_columns.h"

namespace amontons {

std::vector<Eigen::Index> independent_columns(Eigen::MatrixXd& left, double least) {
  std::vector<Eigen::Index> chosen;
  chosen.reserve(static_cast<std::size_t>(left.cols()));
  Eigen::VectorXd direction;
  Eigen::RowVectorXd along;  // of every column along it
  for (Eigen::Index round = 0; round < left.cols(); ++round) {
    Eigen::Index next = 0;
    const double length = left.colwise().norm().maxCoeff(&next);
    if (!(length > least)) break;
    direction = left.col(next) / length;
    along.noalias() = direction.transpose() * left;
    left -= direction * along;
    left.col(next).setZero();
    chosen.push_back(next);
  }
  return chosen;
}

}  // namespace amontons

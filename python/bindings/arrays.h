#pragma once

#include <Eigen/Core>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <span>
#include <type_traits>

namespace amontons::python {

// pybind11 makes arrays through containers of their shapes and tables of types, which takes as long
// as the call that returns them.

/// Returns a new array of doubles of one or two axes, whose numbers are not set yet.
/// @param by_columns  order of the numbers of two axes.
pybind11::array new_array(std::span<const pybind11::ssize_t> shape, bool by_columns);

/// Returns a read-only view of a vector, which keeps its owner alive and follows its changes.
pybind11::array view(const Eigen::VectorXd& vector, const pybind11::object& owner);

/// Makes an array one that is not to be written.
inline void forbid_writing(const pybind11::array& array) {
  // As pybind11 does: the attribute `flags` takes some microseconds.
  pybind11::detail::array_proxy(array.ptr())->flags &=
      ~pybind11::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

/// Returns a copy of a vector [n] or matrix [m, n].
template <typename Derived>
pybind11::array copy_of(const Eigen::DenseBase<Derived>& values) {
  using Plain = typename Derived::PlainObject;
  static_assert(std::is_same_v<typename Plain::Scalar, double>);
  const pybind11::ssize_t shape[] = {Plain::IsVectorAtCompileTime ? values.size() : values.rows(),
                                     values.cols()};
  pybind11::array array =
      new_array(std::span(shape).first(Plain::IsVectorAtCompileTime ? 1 : 2), !Plain::IsRowMajor);
  Eigen::Map<Plain>(static_cast<double*>(array.mutable_data()), values.rows(), values.cols()) =
      values.derived();
  return array;
}

/// Returns a copy that is not to be written: it would change nothing else.
template <typename Derived>
pybind11::array read_only(const Eigen::DenseBase<Derived>& values) {
  pybind11::array array = copy_of(values);
  forbid_writing(array);
  return array;
}

}  // namespace amontons::python

#include "python/bindings/arrays.h"

namespace py = pybind11;

namespace amontons::python {
namespace {

using Numpy = py::detail::npy_api;

/// Returns a new array of doubles.
/// @param values  of another owner; null: the array's own, which are not set yet.
/// @param flags   of NumPy.
py::array make_array(std::span<const py::ssize_t> shape, const double* values, int flags) {
  const Numpy& numpy = Numpy::get();
  PyObject* const array = numpy.PyArray_NewFromDescr_(
      numpy.PyArray_Type_, numpy.PyArray_DescrFromType_(Numpy::NPY_DOUBLE_),
      static_cast<int>(shape.size()), shape.data(), nullptr, const_cast<double*>(values), flags,
      nullptr);
  if (array == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::array>(array);
}

}  // namespace

py::array new_array(std::span<const py::ssize_t> shape, bool by_columns) {
  return make_array(shape, nullptr, by_columns ? Numpy::NPY_ARRAY_F_CONTIGUOUS_ : 0);
}

py::array view(const Eigen::VectorXd& vector, const py::object& owner) {
  const py::ssize_t shape[] = {vector.size()};
  // An empty vector has no address.
  if (vector.size() == 0) return read_only(vector);
  py::array array = make_array(shape, vector.data(), Numpy::NPY_ARRAY_ALIGNED_);
  if (Numpy::get().PyArray_SetBaseObject_(array.ptr(), py::object(owner).release().ptr()) != 0) {
    throw py::error_already_set();
  }
  return array;
}

}  // namespace amontons::python

#include "python/bindings/argument_faults.h"

#include "amontons/io/common/parse_number.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

/// Calls visit(value) for each argument of a call, until it returns true.
template <typename Visit>
bool any_value(py::handle args, py::handle kwargs, const Visit& visit) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args.ptr()); ++i) {
    if (visit(py::handle(PyTuple_GET_ITEM(args.ptr(), i)))) return true;
  }
  if (!kwargs) return false;
  Py_ssize_t position = 0;
  for (PyObject *key, *value; PyDict_Next(kwargs.ptr(), &position, &key, &value) != 0;) {
    if (visit(py::handle(value))) return true;
  }
  return false;
}

/// Calls visit(name, value) for each argument of a call, until it returns true.
/// @param names  of positional arguments, as many as are known.
bool any_argument(const std::vector<std::string>& names, py::handle args, py::handle kwargs,
                  const std::function<bool(const std::string&, py::handle)>& visit) {
  const auto given = py::reinterpret_borrow<py::tuple>(args);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (visit(i < names.size() ? names[i] : "", given[i])) return true;
  }
  if (!kwargs) return false;
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(kwargs)) {
    if (visit(py::str(key), value)) return true;
  }
  return false;
}

/// Returns true if an array of Python objects holds numbers, or None in their place.
bool holds_numbers(py::handle array) {
  for (const py::handle item : array.attr("flat")) {
    if (item.is_none() || PyNumber_Check(item.ptr()) != 0) return true;
  }
  return false;
}

// Axes of an array of NumPy at most.
constexpr std::size_t kMostAxes = 32;

/// Returns true for a masked array of NumPy with entries that are masked, which are no numbers.
bool has_masked(py::handle array) {
  const std::string_view type = Py_TYPE(array.ptr())->tp_name;
  if (type == "numpy.ndarray" || !py::hasattr(array, "mask")) return false;
  return array.attr("mask").attr("any")().cast<bool>();
}

/// Returns true for True and False, of Python or NumPy.
bool is_truth_value(py::handle value) {
  const std::string_view type = Py_TYPE(value.ptr())->tp_name;
  return PyBool_Check(value.ptr()) || type == "numpy.bool_" || type == "numpy.bool";
}

/// Returns the name of the type of an array or scalar of NumPy that is taken for real numbers and
/// holds none, texts among them, or of a list that contains itself or has more levels than arrays
/// have axes; else nothing.
/// @param around  the lists around the value, from the outermost.
std::string false_number(py::handle value, std::vector<PyObject*>& around) {
  if (PyFloat_CheckExact(value.ptr()) || PyLong_CheckExact(value.ptr()) ||
      PyUnicode_CheckExact(value.ptr())) {
    return "";
  }
  if (PyList_CheckExact(value.ptr()) || PyTuple_CheckExact(value.ptr())) {
    const bool is_endless = std::find(around.begin(), around.end(), value.ptr()) != around.end();
    if (is_endless || around.size() == kMostAxes) return Py_TYPE(value.ptr())->tp_name;
    around.push_back(value.ptr());
    std::string found;
    for (const py::handle item : py::reinterpret_borrow<py::sequence>(value)) {
      found = false_number(item, around);
      if (!found.empty()) break;
    }
    around.pop_back();
    return found;
  }
  if (PyComplex_CheckExact(value.ptr())) return "complex";
  const std::string_view type = Py_TYPE(value.ptr())->tp_name;
  const bool is_scalar = type.starts_with("numpy.complex") || type.starts_with("numpy.datetime") ||
                         type.starts_with("numpy.timedelta");
  if (!is_scalar && !py::isinstance<py::array>(value)) return "";
  const py::object dtype = is_scalar ? py::object(value.attr("dtype"))
                                     : py::object(py::reinterpret_borrow<py::array>(value).dtype());
  const char kind = py::reinterpret_borrow<py::dtype>(dtype).kind();
  if (has_masked(value)) return std::string(py::str(dtype)) + " with masked entries";
  const bool is_false = kind == 'c' || kind == 'm' || kind == 'M' || kind == 'V' || kind == 'U' ||
                        kind == 'S' || (kind == 'O' && holds_numbers(value));
  return is_false ? std::string(py::str(dtype)) : "";
}

std::string false_number(py::handle value) {
  std::vector<PyObject*> around;
  return false_number(value, around);
}

/// Returns the position at which a bracket that opens at `begin` closes.
std::size_t closing(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) return i;
  }
  return text.size();
}

using Signature = std::vector<std::pair<std::string, std::string>>;

/// Returns pairs of names and types of a signature of pybind11, whose bracket opens at `open`.
Signature signature_at(const std::string& message, std::size_t open) {
  Signature result;
  if (open == std::string::npos) return result;
  const std::size_t end = closing(message, open);
  std::size_t begin = open + 1;
  for (std::size_t i = begin; i <= end && i < message.size(); ++i) {
    if (message[i] == '[' || (message[i] == '(' && i > open)) i = closing(message, i);
    if (i < end && message[i] != ',') continue;
    const std::string one = message.substr(begin, i - begin);
    const std::size_t colon = one.find(": ");
    if (colon != std::string::npos)
      result.emplace_back(one.substr(0, colon), one.substr(colon + 2));
    begin = i + 2;
  }
  return result;
}

/// Returns the first signature in a message of pybind11.
Signature first_signature(const std::string& message) {
  const std::size_t number = message.find("\n    1. ");
  return signature_at(message, number == std::string::npos ? number : message.find('(', number));
}

/// Returns true for types of pybind11 that numbers or objects of any kind may be.
bool takes_numbers(const std::string& type) {
  if (type.find("Callable") != std::string::npos) return false;
  const auto has = [&type](const char* part) { return type.find(part) != std::string::npos; };
  return has("float") || has("[int") || type.starts_with("int") || type.starts_with("object");
}

/// Returns true for types of pybind11 of one number.
bool takes_one_number(const std::string& with_default) {
  const std::string type = with_default.substr(0, with_default.find(" = "));
  return type == "float" || type == "int" || type == "Optional[float]" || type == "Optional[int]";
}

/// Returns the shape that a type of pybind11 asks for, "[n]" or "[m, 3]"; empty for other types.
std::string wanted_shape(const std::string& type) {
  if (type.find("Callable[") != std::string::npos) return "";
  constexpr std::string_view kArray = "numpy.float64[", kList = "List[float[";
  const bool is_array = type.find(kArray) != std::string::npos;
  const std::size_t at = type.find(is_array ? kArray : kList);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + (is_array ? kArray : kList).size();
  std::string inner = type.substr(begin, type.find(']', begin) - begin);
  if (inner == "m, 1") return "[n]";
  if (inner.ends_with(", 1")) inner.resize(inner.size() - 3);
  return inner.find_first_of("0123456789mn") == 0 ? "[" + inner + "]" : "";
}

/// Returns the shape of an array of numbers, as wanted_shape() writes it; nothing for anything
/// else.
std::string shape_of(py::handle value) {
  py::object array;
  try {
    array = py::module_::import("numpy").attr("asarray")(value);
  } catch (const py::error_already_set&) {
    return "";
  }
  const char kind = array.attr("dtype").attr("kind").cast<std::string>()[0];
  if (std::string_view("biuf").find(kind) == std::string_view::npos) return "";
  std::string text;
  for (const py::handle length : array.attr("shape")) {
    text += (text.empty() ? "" : ", ") + std::string(py::str(length));
  }
  return text.empty() ? "" : "[" + text + "]";
}

/// Returns true if a shape such as "[2, 7]" is one that "[m, n]" or "[3]" stands for. A column of
/// one is a vector, too.
bool fits(std::string shape, const std::string& wanted) {
  if (wanted.find(',') == std::string::npos && shape.ends_with(", 1]")) {
    shape.replace(shape.size() - 4, 4, "]");
  }
  std::size_t i = 1, k = 1;
  while (i < shape.size() && k < wanted.size()) {
    const std::size_t own_end = shape.find_first_of(",]", i);
    const std::size_t end = wanted.find_first_of(",]", k);
    const std::string own = shape.substr(i, own_end - i), other = wanted.substr(k, end - k);
    const bool is_free = other == "n" || other == "m";
    if ((!is_free && own != other) || shape[own_end] != wanted[end]) return false;
    i = own_end + 2;
    k = end + 2;
  }
  return i >= shape.size() && k >= wanted.size();
}

/// Returns true for a text or path that holds a null character.
bool has_null(py::handle value) {
  py::object text = py::reinterpret_borrow<py::object>(value);
  if (py::hasattr(text, "__fspath__")) text = text.attr("__fspath__")();
  return py::isinstance<py::str>(text) && text.contains(py::str("\0", 1));
}

}  // namespace

bool are_real(PyObject* function, PyObject* args, PyObject* kwargs) {
  // Few calls have a value that may be none: the others cost no more than to see that.
  const auto may_be_false = [](py::handle value) {
    return is_truth_value(value) || !false_number(value).empty();
  };
  if (!any_value(args, kwargs, may_be_false)) return true;
  std::string argument, type;
  const auto* const record = static_cast<const py::detail::function_record*>(
      PyCapsule_GetPointer(function, py::detail::get_function_record_capsule_name()));
  const auto is_false = [&](const std::string& name, py::handle value) {
    argument = name;
    type = is_truth_value(value) ? "bool" : false_number(value);
    return !type.empty();
  };
  const Signature signature = signature_at(record->signature, 0);
  std::vector<std::string> names;
  for (const auto& [name, wanted] : signature) names.push_back(name);
  const auto is_fault = [&](const std::string& name, py::handle value) {
    const auto one = std::find_if(signature.begin(), signature.end(),
                                  [&](const auto& pair) { return pair.first == name; });
    // A truth value is 0 or 1 in an array, but no mass or angle.
    const auto takes = is_truth_value(value) ? &takes_one_number : &takes_numbers;
    return one != signature.end() && takes(one->second) && is_false(name, value);
  };
  if (!any_argument(names, args, kwargs, is_fault)) return true;
  std::string name = record->is_constructor ? "" : record->name;
  // A setter has the name of its property, "Scene.duration", and its value none.
  const bool is_setter = name.find('.') != std::string::npos;
  if ((record->is_constructor || record->is_method) && !is_setter) {
    const py::object self = py::reinterpret_borrow<py::tuple>(args)[0];
    const auto owner = py::type::of(self).attr("__name__").cast<std::string>();
    name = owner + (name.empty() ? "" : "." + name);
  }
  if (name.starts_with('_')) name.erase(0, 1);
  if (!is_setter) name += ": " + argument;
  const std::string text = name + " must be real numbers, not of the type " + type;
  PyErr_SetString(PyExc_TypeError, text.c_str());
  return false;
}

std::string short_repr(py::handle value) {
  std::string text;
  try {
    text = py::repr(value);
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C
    return py::str(py::type::handle_of(value));
  }
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? text : text.substr(0, kMost - 3) + "...";
}

void require_real(py::handle value, const std::string& what) {
  const std::string type = false_number(value);
  if (type.empty()) return;
  throw py::type_error(what + " must be real numbers, not of the type " + type);
}

void require_tolerance(const std::string& function, double tolerance) {
  if (tolerance > 0.0 && std::isfinite(tolerance)) return;
  throw std::invalid_argument(function + ": the tolerance must be positive and finite");
}

void require_symmetric(const Eigen::MatrixXd& matrix, const std::string& what) {
  constexpr double kRounding = 1e-6;
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
    for (Eigen::Index i = 0; i < j; ++i) {
      // Masses may differ by magnitudes: each pair is compared with its own diagonal entries.
      const double above = matrix(i, j), below = matrix(j, i);
      const double size = std::max(
          {std::sqrt(std::abs(matrix(i, i) * matrix(j, j))), std::abs(above), std::abs(below)});
      if (std::abs(above - below) <= kRounding * size) continue;
      const std::string row = std::to_string(i), column = std::to_string(j);
      throw std::invalid_argument(what + " is not symmetric: [" + row + ", " + column + "] is " +
                                  io::shortest_text(above) + ", [" + column + ", " + row + "] is " +
                                  io::shortest_text(below));
    }
  }
}

void require_effort(const std::string& function, double max_effort) {
  if (!(max_effort > 0.0)) throw std::invalid_argument(function + ": max_effort must be positive");
}

std::string fault_of_value(const std::string& message, py::handle args, py::handle kwargs) {
  const auto signature = first_signature(message);
  std::vector<std::string> names;
  if (message.starts_with("__init__")) names.emplace_back("self");  // signatures of types omit it
  for (const auto& [name, type] : signature) names.push_back(name);
  // A call with arguments too many or unknown means another function.
  if (py::len(args) > names.size()) return "";
  const auto is_unknown = [&names](const std::string& name, py::handle) {
    return std::find(names.begin(), names.end(), name) == names.end();
  };
  if (any_argument(names, args, kwargs, is_unknown)) return "";
  std::string fault;
  any_argument(names, args, kwargs, [&](const std::string& name, py::handle value) {
    if (has_null(value)) {
      fault = (name.empty() ? "an argument" : name) +
              " holds a null character: " + std::string(py::repr(value));
      return true;
    }
    for (const auto& [known, type] : signature) {
      if (known != name) continue;
      const std::string wanted = wanted_shape(type), shape = wanted.empty() ? "" : shape_of(value);
      if (shape.empty() || fits(shape, wanted)) continue;
      fault = name + " must have the shape " + wanted + ", not " + shape;
      return true;
    }
    return false;
  });
  return fault;
}

}  // namespace amontons::python

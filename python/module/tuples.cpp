#include "python/module/tuples.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "python/module/texts.h"

namespace eventspace::python {
namespace {

namespace py = pybind11;

[[noreturn]] void refuse(std::size_t place, py::handle value, const char* expected) {
  throw py::type_error(
      fmt::format("field {} is of type {}; expected {}", place, Py_TYPE(value.ptr())->tp_name, expected));
}

constexpr const char* expected_value = "bool, int, float, str or bytes";

std::int64_t integer_of(py::handle value, std::size_t place) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow != 0) {
    PyErr_SetString(PyExc_OverflowError,
                    fmt::format("field {} does not fit into a signed integer of 64 bits", place).c_str());
    throw py::error_already_set();
  }
  if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return number;
}

/// The buffers of bytes-like values, for as long as their fields are used.
class Buffers {
 public:
  Buffers() = default;
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() {
    for (std::size_t i = 0; i < used_; ++i) PyBuffer_Release(&all_[i]);
  }
  std::optional<Bytes> of(py::handle value) {
    if (PyBytes_Check(value.ptr()))
      return bytes(PyBytes_AS_STRING(value.ptr()), PyBytes_GET_SIZE(value.ptr()));
    if (!PyObject_CheckBuffer(value.ptr())) return std::nullopt;
    Py_buffer& view = all_[used_];
    if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_SIMPLE) != 0) throw py::error_already_set();
    ++used_;
    return bytes(view.buf, view.len);
  }

 private:
  static Bytes bytes(const void* data, Py_ssize_t size) {
    return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
  }
  std::size_t used_{0};
  std::array<Py_buffer, Signature::max_fields> all_{};
};

// numpy's numbers are neither int nor float, but say that they can be either.
std::optional<Field> number_like(py::handle value, std::size_t place) {
  if (PyIndex_Check(value.ptr())) {
    const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!number) throw py::error_already_set();
    return integer_of(number, place);
  }
  const PyNumberMethods* const methods = Py_TYPE(value.ptr())->tp_as_number;
  if (methods == nullptr || methods->nb_float == nullptr) return std::nullopt;
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return number;
}

Field field_of(py::handle value, std::size_t place, Buffers& buffers) {
  PyObject* const object = value.ptr();
  if (PyBool_Check(object)) return object == Py_True;
  if (PyLong_Check(object)) return integer_of(value, place);
  if (PyFloat_Check(object)) return PyFloat_AS_DOUBLE(object);
  if (PyUnicode_Check(object)) return utf8_of(value);
  if (!PyIndex_Check(object)) {
    if (const auto bytes = buffers.of(value)) return *bytes;
  }
  if (const auto number = number_like(value, place)) return *number;
  refuse(place, value, expected_value);
}

// An entry of a template that stands for any value of a type.
std::optional<FieldType> type_named(py::handle entry) {
  PyObject* const object = entry.ptr();
  if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) return FieldType::boolean;
  if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) return FieldType::integer;
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return FieldType::real;
  if (object == reinterpret_cast<PyObject*>(&PyUnicode_Type)) return FieldType::text;
  if (object == reinterpret_cast<PyObject*>(&PyBytes_Type)) return FieldType::bytes;
  return std::nullopt;
}

// The fields, which live as long as the result: a value's __index__ may change the list that it is in.
py::tuple checked_fields(py::handle values) {
  if (!PyTuple_Check(values.ptr()) && !PyList_Check(values.ptr()))
    throw py::type_error(
        fmt::format("found {}; expected a tuple or a list of fields", Py_TYPE(values.ptr())->tp_name));
  auto fields = py::reinterpret_steal<py::tuple>(PySequence_Tuple(values.ptr()));
  if (!fields) throw py::error_already_set();
  if (fields.size() > Signature::max_fields)
    throw py::value_error(
        fmt::format("found {} fields; a tuple has at most {}", fields.size(), Signature::max_fields));
  return fields;
}

}  // namespace

Tuple as_tuple(py::handle values) {
  const py::tuple given = checked_fields(values);
  std::array<Field, Signature::max_fields> fields;
  Buffers buffers;
  for (std::size_t i = 0; i < given.size(); ++i)
    fields[i] = field_of(PyTuple_GET_ITEM(given.ptr(), static_cast<Py_ssize_t>(i)), i, buffers);
  return Tuple::of(std::span(fields).first(given.size()));
}

py::tuple as_values(const Tuple& tuple) {
  py::tuple values(tuple.field_count());
  for (std::size_t i = 0; i < tuple.field_count(); ++i) {
    const Field field = tuple.field(i);
    if (const auto* const text = std::get_if<std::string_view>(&field)) {
      values[i] = as_str(*text);
    } else if (const auto* const bytes = std::get_if<Bytes>(&field)) {
      values[i] = py::bytes(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    } else if (const auto* const truth = std::get_if<bool>(&field)) {
      values[i] = py::bool_(*truth);
    } else if (const auto* const number = std::get_if<std::int64_t>(&field)) {
      values[i] = py::int_(*number);
    } else {
      values[i] = py::float_(std::get<double>(field));
    }
  }
  return values;
}

Template as_template(py::handle entries) {
  std::vector<Template::Entry> all;
  Buffers buffers;
  const py::tuple given = checked_fields(entries);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const py::handle entry = PyTuple_GET_ITEM(given.ptr(), static_cast<Py_ssize_t>(i));
    if (const auto type = type_named(entry)) {
      all.emplace_back(*type);
      continue;
    }
    if (PyType_Check(entry.ptr()) != 0)
      refuse(i, entry, "one of the types bool, int, float, str and bytes, or a value");
    const Field field = field_of(entry, i, buffers);
    if (const auto* const text = std::get_if<std::string_view>(&field)) {
      all.emplace_back(std::string(*text));
    } else if (const auto* const bytes = std::get_if<Bytes>(&field)) {
      all.emplace_back(std::vector<std::byte>(bytes->begin(), bytes->end()));
    } else {
      std::visit(
          [&all](const auto& value) {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) all.emplace_back(value);
          },
          field);
    }
  }
  return Template(std::move(all));
}

}  // namespace eventspace::python

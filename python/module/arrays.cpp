#include "python/module/arrays.h"

#include <cstdlib>
#include <map>
#include <string_view>

#include "python/module/texts.h"

namespace eventspace::python {
namespace {

namespace py = pybind11;
using Type = EventColumn::Type;

bool is_moment(std::string_view field) {
  return field == "start_ns" || field == "end_ns" || field == "start_here_ns";
}

const char* dtype_of(const FieldColumn& column) {
  switch (column.type()) {
    case Type::natural:
      return "uint64";
    case Type::integer:
      return is_moment(column.name()) ? "datetime64[ns]" : "int64";
    case Type::real:
      return "float64";
    case Type::boolean:
      return "bool";
    case Type::text:
      break;
  }
  return column.width() == 1 ? "int8" : column.width() == 2 ? "int16" : "int32";
}

// Made once, since numpy parses the name each time. Never destroyed: the interpreter may have ended before.
const py::dtype& dtype_named(const char* name) {
  static auto& all = *new std::map<std::string_view, py::dtype>();
  const auto known = all.find(name);
  return known != all.end() ? known->second : all.emplace(name, py::dtype(name)).first->second;
}

py::array array_of(GrowingBytes& bytes, const char* dtype, std::size_t size) {
  std::byte* const data = bytes.release();
  if (data == nullptr) return py::array(dtype_named(dtype), {0}, {});
  const py::capsule owner(data, [](void* memory) { std::free(memory); });
  return py::array(dtype_named(dtype), {static_cast<py::ssize_t>(size)}, {}, data, owner);
}

py::tuple as_tuple(FieldColumn& column) {
  py::object missing = py::none();
  if (auto bytes = column.take_missing()) missing = array_of(*bytes, "bool", column.size());
  py::object names = py::none();
  if (column.type() == Type::text) {
    py::list texts;
    for (const std::string& name : column.names()) texts.append(as_str(name));
    names = std::move(texts);
  }
  return py::make_tuple(array_of(column.values(), dtype_of(column), column.size()), missing, names);
}

}  // namespace

py::dict as_dict(const Loss& loss) {
  using namespace py::literals;
  return py::dict("discarded"_a = loss.discarded, "torn"_a = loss.torn, "filtered"_a = loss.filtered,
                  "reduced"_a = loss.reduced, "repeated"_a = loss.repeated, "earlier"_a = loss.earlier,
                  "failed"_a = loss.failed, "emptied"_a = loss.emptied);
}

py::dict as_arrays(EventTable& table) {
  py::dict columns;
  for (const auto& column : table.columns()) columns[column->name().c_str()] = as_tuple(*column);
  py::list unread;
  for (const Missing& missing : table.missing())
    unread.append(py::make_tuple(missing.node, missing.what, to_string(missing.cause), missing.detail,
                                 missing.sources));
  py::dict all;
  all["columns"] = columns;
  all["size"] = table.size();
  all["loss"] = as_dict(table.loss());
  all["unread"] = unread;
  return all;
}

}  // namespace eventspace::python

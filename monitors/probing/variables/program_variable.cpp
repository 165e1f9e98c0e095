#include "monitors/probing/variables/program_variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <eventspace/error.h>
#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/symbols/elf_image.h"
#include "monitors/probing/symbols/loaded_address.h"
#include "monitors/text/demangled.h"

namespace eventspace {
namespace {

struct NamedType {
  std::string_view name;
  VariableType type;
  std::uint64_t bytes;
};
constexpr std::array types{
    NamedType{"bool", VariableType::boolean, 1},       NamedType{"int", VariableType::whole, 4},
    NamedType{"long", VariableType::long_whole, 8},    NamedType{"unsigned", VariableType::natural, 4},
    NamedType{"ulong", VariableType::long_natural, 8}, NamedType{"float", VariableType::real, 4},
    NamedType{"double", VariableType::double_real, 8}};

struct Found {
  std::uint64_t address;  // in the process
  std::uint64_t bytes;
};

std::optional<Found> find_in(std::int32_t pid, const ProcessModule& module, const std::string& name) try {
  const ElfImage image(read_whole_file(file_of(pid, module)).bytes);
  const auto is_it = [&name](std::string_view symbol) {
    return symbol == name || (symbol.starts_with("_Z") && demangled(std::string(symbol)) == name);
  };
  const auto symbol = image.variable(is_it);
  const auto moved = symbol ? loaded_address(module, image) : std::nullopt;
  if (!moved) return std::nullopt;
  return Found{symbol->address + *moved, symbol->size};
} catch (const Error&) {
  return std::nullopt;  // not a valid file, or no longer readable
}

Found find_variable(std::int32_t pid, const std::string& name) {
  for (const ProcessModule& module : modules_of(mapped_ranges(pid)))
    if (const auto found = find_in(pid, module, name)) return *found;
  throw EnvironmentError(
      fmt::format("process {} has no variable '{}' in its symbol tables: it may be thread-local, kept in "
                  "registers, or stripped",
                  pid, name));
}

VariableType type_for(const VariableName& variable, std::uint64_t bytes) {
  if (variable.type == VariableType::by_size) {
    if (bytes == 4) return VariableType::whole;
    if (bytes == 8) return VariableType::long_whole;
    throw ConfigurationError(fmt::format("'{}' has {} bytes; give its type, such as '{}:bool'", variable.name,
                                         bytes, variable.name));
  }
  const auto type = std::ranges::find(types, variable.type, &NamedType::type);
  if (bytes != 0 && bytes != type->bytes)
    throw ConfigurationError(fmt::format("'{}' has {} bytes, but type '{}' has {}", variable.name, bytes,
                                         type->name, type->bytes));
  return variable.type;
}

template <class Value>
Value value_at(const ProcessMemory& memory, std::uint64_t address) {
  Value value{};
  memory.read(address, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

}  // namespace

VariableName parse_variable(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const bool has_type = colon != std::string_view::npos && colon > 0 && text[colon - 1] != ':';
  VariableName variable{std::string(has_type ? text.substr(0, colon) : text)};
  if (variable.name.empty()) throw ConfigurationError("a variable needs a name: NAME or NAME:TYPE");
  if (!has_type) return variable;
  const auto type = std::ranges::find(types, text.substr(colon + 1), &NamedType::name);
  if (type == types.end())
    throw ConfigurationError(
        fmt::format("unknown type '{}' of a variable; known: bool, int, long, unsigned, ulong, float, double",
                    text.substr(colon + 1)));
  variable.type = type->type;
  return variable;
}

ProgramVariable::ProgramVariable(std::int32_t pid, const VariableName& variable)
    : ProgramVariable(std::make_shared<const ProcessMemory>(pid), variable) {}

ProgramVariable::ProgramVariable(std::shared_ptr<const ProcessMemory> memory, const VariableName& variable)
    : memory_(std::move(memory)), name_(variable.name) {
  const Found found = find_variable(memory_->pid(), variable.name);
  type_ = type_for(variable, found.bytes);
  address_ = found.address;
}

ProgramVariable::Value ProgramVariable::read() const {
  switch (type_) {
    case VariableType::boolean:
      return value_at<std::uint8_t>(*memory_, address_) != 0;
    case VariableType::whole:
      return std::int64_t{value_at<std::int32_t>(*memory_, address_)};
    case VariableType::by_size:
    case VariableType::long_whole:
      return value_at<std::int64_t>(*memory_, address_);
    case VariableType::natural:
      return std::uint64_t{value_at<std::uint32_t>(*memory_, address_)};
    case VariableType::long_natural:
      return value_at<std::uint64_t>(*memory_, address_);
    case VariableType::real:
      return double{value_at<float>(*memory_, address_)};
    case VariableType::double_real:
      return value_at<double>(*memory_, address_);
  }
  return std::int64_t{0};
}

}  // namespace eventspace

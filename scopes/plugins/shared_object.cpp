#include "scopes/plugins/shared_object.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

#include <eventspace/error.h>

namespace eventspace::plugin {
namespace {

using Entry = const TableHead* (*)();

void* symbol_of(const std::filesystem::path& library, const char* symbol) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw ConfigurationError(fmt::format("cannot be loaded: {}", ::dlerror()));
  return ::dlsym(handle, symbol);
}

Entry entry_of(const std::filesystem::path& library, const Interface& expected) {
  void* const entry = symbol_of(library, expected.entry);
  if (entry == nullptr) {
    throw ConfigurationError(
        fmt::format("'{}' has no entry '{}'; {}", library.string(), expected.entry, expected.export_with));
  }
  return reinterpret_cast<Entry>(entry);
}

}  // namespace

bool has_entry(const std::filesystem::path& library, const char* entry) {
  return symbol_of(library, entry) != nullptr;
}

// Reads only `abi` before the versions are known to be equal: only its place is the same in all versions.
const TableHead& load_table(const std::filesystem::path& library, const Interface& expected) {
  const TableHead* const table = entry_of(library, expected)();
  if (table == nullptr)
    throw ConfigurationError(fmt::format("the entry of '{}' returns no table", library.string()));
  if (table->abi != expected.abi) {
    throw ConfigurationError(
        fmt::format("'{}' has version {} of the plugin interface; this program expects "
                    "version {}: build it against the EventSpace that loads it",
                    library.string(), table->abi, expected.abi));
  }
  if (table->built_with == nullptr || std::string_view(table->built_with) != expected.built_with) {
    throw ConfigurationError(fmt::format(
        "'{}' was built with {}; this program expects {}: build it with the compiler and the headers of the "
        "EventSpace that loads it",
        library.string(), table->built_with == nullptr ? "an unknown compiler" : table->built_with,
        expected.built_with));
  }
  return *table;
}

}  // namespace eventspace::plugin

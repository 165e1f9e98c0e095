#include "scopes/wrappers/wrapper_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "scopes/wrappers/plugin.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

/// The buffer for the text of an exception in a shared object.
class Thrown {
 public:
  plugin::ErrorText text() noexcept { return {text_.data(), text_.size()}; }
  [[nodiscard]] std::string_view what() const { return text_.data(); }

 private:
  std::array<char, 512> text_{};
};

/// An operator of a shared object. Calls and destroys it through the table only, so no exception and no
/// deallocation crosses the interface.
class LibraryOperator final : public ViewOperator {
 public:
  LibraryOperator(const plugin::Table& table, ViewOperator& made) noexcept : table_(&table), made_(&made) {}
  ~LibraryOperator() override { table_->destroy(made_); }
  LibraryOperator(const LibraryOperator&) = delete;
  LibraryOperator& operator=(const LibraryOperator&) = delete;

  void apply(View& view) override {
    Thrown thrown;
    if (!table_->apply(*made_, view, thrown.text())) throw std::runtime_error(std::string(thrown.what()));
  }

 private:
  const plugin::Table* table_;
  ViewOperator* made_;
};

std::unique_ptr<ViewOperator> make_operator(const plugin::Table& table, const std::string& name,
                                            const Parameters& given, const PlanNames& names) {
  Thrown thrown;
  ViewOperator* const made = table.make(given, names, thrown.text());
  if (made == nullptr) {
    throw ConfigurationError(fmt::format("'{}' cannot be made: {}", name,
                                         thrown.what().empty() ? "it returns no operator" : thrown.what()));
  }
  return std::make_unique<LibraryOperator>(table, *made);
}

plugin::Entry entry_of(const std::filesystem::path& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw ConfigurationError(fmt::format("cannot be loaded: {}", ::dlerror()));
  void* const entry = ::dlsym(handle, plugin::entry_name);
  if (entry == nullptr) {
    throw ConfigurationError(
        fmt::format("'{}' has no entry '{}'; a shared object with a scope wrapper has "
                    "EVENTSPACE_SCOPE_WRAPPER in it (scopes/wrappers/plugin.h)",
                    library.string(), plugin::entry_name));
  }
  return reinterpret_cast<plugin::Entry>(entry);
}

// Reads no member but `abi` before the versions are known to be equal: only its place is the same in all
// versions.
const plugin::Table& table_of(const std::filesystem::path& library) {
  const plugin::Table* const table = entry_of(library)();
  if (table == nullptr)
    throw ConfigurationError(fmt::format("the entry of '{}' returns no table", library.string()));
  if (table->abi != plugin::abi) {
    throw ConfigurationError(
        fmt::format("'{}' has version {} of the plugin interface; this program expects "
                    "version {}: build it against the EventSpace that loads it",
                    library.string(), table->abi, plugin::abi));
  }
  if (table->built_with == nullptr || std::string_view(table->built_with) != plugin::built_with()) {
    throw ConfigurationError(fmt::format(
        "'{}' was built with {}; this program expects {}: build it with the compiler and the headers of the "
        "EventSpace that loads it",
        library.string(), table->built_with == nullptr ? "an unknown compiler" : table->built_with,
        plugin::built_with()));
  }
  return *table;
}

}  // namespace

ScopeWrapperInfo load_scope_wrapper(const std::filesystem::path& library, std::string name,
                                    std::chrono::nanoseconds limit) {
  const plugin::Table& table = table_of(library);
  Thrown thrown;
  const ScopeWrapperInfo* const described = table.info(thrown.text());
  if (described == nullptr) {
    throw ConfigurationError(
        fmt::format("'{}' does not describe its wrapper: {}", library.string(), thrown.what()));
  }
  if (!described->make) {
    throw ConfigurationError(fmt::format("the wrapper of '{}' has no function `make`", library.string()));
  }
  ScopeWrapperInfo info = *described;
  info.name = std::move(name);
  info.limit = limit;
  info.make = [&table, called = info.name](const Parameters& given, const PlanNames& names) {
    return make_operator(table, called, given, names);
  };
  return info;
}

}  // namespace eventspace

#include "scopes/wrappers/wrapper_library.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include <eventspace/error.h>
#include <eventspace/event_filter.h>
#include "scopes/plugins/shared_object.h"
#include "scopes/wrappers/event_filter_library.h"
#include "scopes/wrappers/plugin.h"

namespace eventspace {
namespace {

using plugin::Thrown;

/// An operator of a shared object. Calls and destroys it through the table only, so that neither exceptions
/// nor deallocations cross the interface.
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

const plugin::Table& table_of(const std::filesystem::path& library) {
  constexpr const char* how =
      "a shared object for a scope has EVENTSPACE_EVENT_FILTER (eventspace/event_filter.h) or "
      "EVENTSPACE_SCOPE_WRAPPER (scopes/wrappers/plugin.h) in it";
  const plugin::Interface expected{plugin::entry_name, how, plugin::abi, plugin::built_with()};
  return static_cast<const plugin::Table&>(plugin::load_table(library, expected));
}

}  // namespace

ScopeWrapperInfo load_scope_wrapper(const std::filesystem::path& library, std::string name,
                                    std::chrono::nanoseconds limit) {
  if (plugin::has_entry(library, plugin::event_filter_entry))
    return load_event_filter(library, std::move(name), limit);
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

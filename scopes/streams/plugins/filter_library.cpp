#include "scopes/streams/plugins/filter_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/stream_filter.h>
#include <eventspace/streams.h>
#include "scopes/plugins/shared_object.h"
#include "scopes/streams/plugins/watched_filter.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/trusted_file.h"

namespace eventspace::streams {
namespace {

using FilterText = eventspace::plugin::Thrown;

/// A filter of a shared object. It is called and destroyed through the table only, so no exception crosses
/// the interface.
class LibraryFilter final : public Filter {
 public:
  LibraryFilter(const plugin::Table& table, Filter& made) noexcept : table_(&table), made_(&made) {}
  ~LibraryFilter() override { table_->destroy_filter(made_); }
  LibraryFilter(const LibraryFilter&) = delete;
  LibraryFilter& operator=(const LibraryFilter&) = delete;

  void apply(const Wave& wave, std::vector<Packet>& out) override {
    FilterText thrown;
    require(table_->apply(*made_, wave, out, thrown.text()), thrown);
  }
  void join(Child child, const RankSet& ranks) override {
    FilterText thrown;
    require(table_->join(*made_, child, ranks, thrown.text()), thrown);
  }
  void leave(Child child, std::vector<Packet>& out) override {
    FilterText thrown;
    require(table_->leave(*made_, child, out, thrown.text()), thrown);
  }

 private:
  static void require(bool done, const FilterText& thrown) {
    if (!done) throw std::runtime_error(std::string(thrown.what()));
  }

  const plugin::Table* table_;
  Filter* made_;
};

class LibraryRule final : public WaveRule {
 public:
  LibraryRule(const plugin::Table& table, WaveRule& made) noexcept : table_(&table), made_(&made) {}
  ~LibraryRule() override { table_->destroy_rule(made_); }
  LibraryRule(const LibraryRule&) = delete;
  LibraryRule& operator=(const LibraryRule&) = delete;

  Choice choose(std::span<const Waiting> waiting, Clock::time_point now) override {
    FilterText thrown;
    Choice choice;
    if (table_->choose(*made_, waiting, now, choice, thrown.text())) return choice;
    throw std::runtime_error(std::string(thrown.what()));
  }
  // If the time cannot be determined, choose() is called again with the next packet.
  [[nodiscard]] std::optional<Clock::time_point> due() const override {
    FilterText thrown;
    std::optional<Clock::time_point> when;
    if (!table_->due(*made_, when, thrown.text())) return std::nullopt;
    return when;
  }

 private:
  const plugin::Table* table_;
  WaveRule* made_;
};

const plugin::Table& filters_of(const std::filesystem::path& library) {
  // The dynamic loader would search for a bare name, and could load another file.
  if (!library.is_absolute())
    throw ConfigurationError("the path of a shared object with filters has to be absolute");
  constexpr const char* how =
      "a shared object with filters of streams has EVENTSPACE_STREAM_FILTERS in it "
      "(<eventspace/stream_filter.h>)";
  const eventspace::plugin::Interface expected{plugin::entry_name, how, plugin::abi, plugin::built_with()};
  return static_cast<const plugin::Table&>(
      eventspace::plugin::load_table(require_trusted_file(library), expected));
}

const plugin::Offer& offer_of(const plugin::Table& table) {
  FilterText thrown;
  const plugin::Offer* const offer = table.offer(thrown.text());
  if (offer == nullptr)
    throw ConfigurationError(fmt::format("it does not list its filters: {}", thrown.what()));
  return *offer;
}

/// The entry that a stream names.
template <class Info>
const Info& named(const std::vector<Info>& infos, const std::string& name, std::string_view kind) {
  if (const Info* const found = registry::find_named(infos, name)) return *found;
  std::vector<std::string_view> known;
  known.reserve(infos.size());
  for (const Info& info : infos) known.push_back(info.name);
  throw ConfigurationError(registry::unknown_text(kind, name, known));
}

/// Runs `make` on the table of the shared object; its errors name the shared object.
template <class Make>
auto from_library(const FilterUse& use, std::string_view kind, Make make) {
  try {
    const plugin::Table& table = filters_of(use.library);
    return make(table, offer_of(table));
  } catch (const ConfigurationError& error) {
    throw ConfigurationError(fmt::format("{} '{}' of {}: {}", kind, escaped(use.name),
                                         escaped(use.library.string()), error.what()));
  }
}

template <class Made>
Made& require_made(Made* made, const FilterText& thrown) {
  if (made != nullptr) return *made;
  throw ConfigurationError(
      fmt::format("cannot be made: {}", thrown.what().empty() ? "it returns nothing" : thrown.what()));
}

MadeFilter make_of_library(const FilterUse& use, const FilterPlace& place, std::chrono::nanoseconds& limit) {
  return from_library(use, "filter", [&](const plugin::Table& table, const plugin::Offer& offer) {
    const FilterInfo& info = named(offer.filters, use.name, "filter");
    const Parameters given = complete_parameters(info.parameters, use.parameters, "filter " + use.name);
    FilterText thrown;
    Filter& made = require_made(table.make_filter(info, given, place, thrown.text()), thrown);
    limit = info.limit.count() > 0 ? info.limit : FilterUse::library_limit;
    return MadeFilter{std::make_unique<LibraryFilter>(table, made), info.keeps_waves};
  });
}

MadeFilter make_of_program(const FilterUse& use, const FilterPlace& place, std::chrono::nanoseconds& limit) {
  std::unique_ptr<Filter> filter = make_filter(use, place);
  const FilterInfo& info = *FilterRegistry::instance().find(use.name);
  limit = info.limit;
  return {std::move(filter), info.keeps_waves};
}

}  // namespace

MadeFilter make_any_filter(const FilterUse& use, const FilterPlace& place) {
  std::chrono::nanoseconds limit{0};
  MadeFilter made =
      use.library.empty() ? make_of_program(use, place, limit) : make_of_library(use, place, limit);
  if (use.limit.count() > 0) limit = use.limit;
  if (limit.count() <= 0) return made;
  limit = std::min<std::chrono::nanoseconds>(limit, FilterUse::max_limit);
  return {std::make_unique<WatchedFilter>(use.name, std::move(made.filter), limit), made.keeps_waves};
}

std::unique_ptr<WaveRule> make_any_rule(const FilterUse& use) {
  if (use.library.empty()) return make_rule(use);
  return from_library(
      use, "rule", [&](const plugin::Table& table, const plugin::Offer& offer) -> std::unique_ptr<WaveRule> {
        const RuleInfo& info = named(offer.rules, use.name, "rule");
        const Parameters given = complete_parameters(info.parameters, use.parameters, "rule " + use.name);
        FilterText thrown;
        return std::make_unique<LibraryRule>(
            table, require_made(table.make_rule(info, given, thrown.text()), thrown));
      });
}

}  // namespace eventspace::streams

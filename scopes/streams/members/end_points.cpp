#include <eventspace/topology.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/extend.h>
#include <eventspace/stream_network.h>
#include "paths/parameters/glob.h"
#include "scopes/expressions/walked_condition.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::streams {
namespace {

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_word(std::string_view name) {
  constexpr std::array taken{"true", "false", "and", "or", "not", "matches"};
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; }) &&
         std::ranges::none_of(taken, [name](std::string_view word) { return word == name; });
}

constexpr std::array<std::string_view, 5> field_names{"rank", "process", "host", "level", "internal"};

bool is_field(std::string_view name) { return std::ranges::find(field_names, name) != field_names.end(); }

void require_pattern(std::string_view pattern) {
  if (const auto fault = glob_fault(pattern); !fault.empty())
    throw ConfigurationError(fmt::format("the pattern '{}' {}", escaped(pattern), fault));
}

}  // namespace

struct EndPoints::State {
  struct EndPoint {
    const TreeProcess* process{nullptr};
    std::uint32_t number{0};
    std::uint32_t level{0};
    bool is_internal{false};
    std::map<std::string, std::string, std::less<>> labels{};
  };

  explicit State(const Topology& of);
  State(const State&) = delete;  // the end-points point into the topology
  State& operator=(const State&) = delete;

  template <class Holds>
  [[nodiscard]] RankSet those(Holds holds) const {
    RankSet ranks;
    for (const auto& [rank, end_point] : by_rank) {
      if (holds(end_point)) ranks.add(rank);
    }
    return ranks;
  }

  Topology topology;
  std::map<RankSet::Rank, EndPoint> by_rank{};
  RankSet back_ends{};
  RankSet internals{};
  std::map<std::string, RankSet, std::less<>> named{};
};

EndPoints::State::State(const Topology& of) : topology(of) {
  std::vector<std::uint32_t> levels(topology.size(), 0);
  for (std::uint32_t i = 1; i < topology.size(); ++i) {
    const TreeProcess& process = topology.at(i);
    levels[i] = levels[process.parent] + 1;
    const bool is_internal = process.part == Part::internal;
    const RankSet::Rank rank = is_internal ? rank_of_internal(i) : process.rank;
    by_rank[rank] = {&process, i, levels[i], is_internal};
  }
  for (const auto& [rank, end_point] : by_rank) (end_point.is_internal ? internals : back_ends).add(rank);
  named["all"] = back_ends;
}

EndPoints::EndPoints(const Topology& topology) : state_(std::make_unique<State>(topology)) {}
EndPoints::EndPoints(EndPoints&& other) noexcept = default;
EndPoints& EndPoints::operator=(EndPoints&& other) noexcept = default;
EndPoints::~EndPoints() = default;

const RankSet& EndPoints::back_ends() const noexcept { return state_->back_ends; }
const RankSet& EndPoints::internals() const noexcept { return state_->internals; }

RankSet EndPoints::on_host(std::string_view pattern) const {
  require_pattern(pattern);
  return state_->those(
      [&](const State::EndPoint& one) { return !one.is_internal && glob_match(pattern, one.process->host); });
}

void EndPoints::label(const RankSet& ranks, std::string_view name, std::string_view value) {
  if (!is_word(name) || is_field(name)) {
    throw ConfigurationError(fmt::format("'{}' cannot be the name of a label: it is {}", escaped(name),
                                         is_field(name) ? "a field" : "no word of letters, digits and '_'"));
  }
  const RankSet known = ranks & (state_->back_ends | state_->internals);
  for (const RankSet::Rank rank : known.ranks())
    state_->by_rank.at(rank).labels.insert_or_assign(std::string(name), value);
}

RankSet EndPoints::labelled(std::string_view name, std::string_view pattern) const {
  require_pattern(pattern);
  return state_->those([&](const State::EndPoint& one) {
    const auto label = one.labels.find(name);
    return label != one.labels.end() && glob_match(pattern, label->second);
  });
}

RankSet EndPoints::where(std::string_view condition) const {
  using Type = WalkedCondition::Type;
  std::vector<WalkedCondition::Field> fields;
  for (const std::string_view name : field_names) {
    const Type type = name == "internal" ? Type::truth : name == "host" ? Type::text : Type::number;
    fields.push_back({std::string(name), type});
  }
  for (const auto& [rank, one] : state_->by_rank) {
    for (const auto& [name, value] : one.labels) {
      if (std::ranges::find(fields, name, &WalkedCondition::Field::name) == fields.end())
        fields.push_back({name, Type::text});
    }
  }
  const WalkedCondition test(condition, std::move(fields), "end-points");
  return state_->those([&](const State::EndPoint& one) {
    return test.holds([&one](std::string_view field) -> WalkedCondition::Value {
      if (field == "internal") return one.is_internal;
      if (field == "host") return std::string_view(one.process->host);
      if (field == "level") return static_cast<double>(one.level);
      if (field == "process") return static_cast<double>(one.number);
      if (field == "rank")
        return one.is_internal ? WalkedCondition::Value() : static_cast<double>(one.process->rank);
      const auto label = one.labels.find(field);
      return label == one.labels.end() ? WalkedCondition::Value() : std::string_view(label->second);
    });
  });
}

void EndPoints::name(std::string_view name, RankSet members) {
  if (name.empty() || is_digit(name.front())) {
    throw ConfigurationError(fmt::format(
        "'{}' cannot be the name of a set of end-points: it is empty or begins with a digit", escaped(name)));
  }
  state_->named.insert_or_assign(std::string(name), std::move(members));
}

const RankSet& EndPoints::set(std::string_view name) const {
  if (const auto found = state_->named.find(name); found != state_->named.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& [one, members] : state_->named) known.push_back(one);
  throw ConfigurationError(registry::unknown_text("set of end-points", escaped(name), known));
}

}  // namespace eventspace::streams

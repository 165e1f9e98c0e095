#include "pathmaps/expansion/scopes/scope_wrapping.h"

#include <fmt/format.h>

#include <eventspace/error.h>
#include "pathmaps/reading/parameters.h"
#include "scopes/tree/unknown_names.h"
#include "scopes/wrappers/scope_wrappers.h"

namespace eventspace::expansion {

using reading::Mapping;
using reading::Value;
using namespace std::chrono_literals;

namespace {

constexpr std::array<std::pair<std::string_view, Asking>, 2> ask_words{
    {{"overlapped", Asking::overlapped}, {"in-turn", Asking::in_turn}}};
constexpr std::array<std::pair<std::string_view, WhenLate>, 3> late_words{
    {{"partial", WhenLate::partial}, {"wait", WhenLate::wait}, {"skip", WhenLate::skip}}};

std::nullopt_t fault_unknown(const Word& name, const Draft& draft) {
  if (draft.unusable_wrappers.contains(name.text)) return std::nullopt;  // reported by read_wrapper_libraries
  std::vector<std::string_view> known;
  for (const auto& info : draft.plan.wrappers) known.push_back(info.name);
  for (const auto& info : ScopeWrapperRegistry::instance().entries()) known.push_back(info.name);
  draft.faults.add(name.place, registry::unknown_text("scope wrapper", name.text, known));
  return std::nullopt;
}

// Makes a wrapper on trial. Only its constructor detects some faults, such as a malformed pattern.
bool can_make(const ScopeWrapperInfo& info, const Parameters& parameters, const Word& name, Faults& faults) {
  try {
    const UnknownNames names;
    return info.make(parameters, names) != nullptr;
  } catch (const ConfigurationError& error) {
    faults.add(name.place, error.what());
    return false;
  }
}

class WrappingReader {
 public:
  WrappingReader(const Mapping& mapping, std::string_view what, const Draft& draft)
      : mapping_(mapping), what_(what), draft_(draft) {}

  ScopeWrapping read(std::chrono::nanoseconds longest) {
    ScopeWrapping wrapping;
    wrapping.wrappers = read_wrappers();
    if (const auto timeout = mapping_.duration("timeout", {1ms, longest})) wrapping.timeout = *timeout;
    wrapping.timeout_place = mapping_.place("timeout");
    if (const auto* const ask = mapping_.find("ask")) read_asking(*ask, wrapping);
    if (const auto* const late = mapping_.find("late")) read_lateness(*late, wrapping);
    return wrapping;
  }

 private:
  /// The value of `ask:` is a word, or {threads: N}.
  void read_asking(const Value& ask, ScopeWrapping& wrapping) {
    wrapping.ask_place = ask.place;
    if (ask.kind == Value::Kind::mapping) {
      const Mapping threads(&ask, reading::asking_shape, draft_.faults);
      wrapping.asking = Asking::threads;
      const auto given = threads.integer("threads", {1, max_asking_threads});
      wrapping.threads = static_cast<std::uint32_t>(given.value_or(1));
      return;
    }
    const auto word = mapping_.word("ask");
    if (word && word->text == "threads") {
      draft_.faults.add(word->place, "'threads' needs a number of threads; expected {threads: N}");
    } else if (word) {
      wrapping.asking = mapping_.choose(*word, "ask", ask_words).value_or(Asking::overlapped);
    }
  }

  /// The value of `late:` is a word, or {skip: DURATION}.
  void read_lateness(const Value& late, ScopeWrapping& wrapping) {
    if (late.kind != Value::Kind::mapping) {
      wrapping.when_late = mapping_.choice("late", late_words).value_or(WhenLate::partial);
      return;
    }
    const Mapping skip(&late, reading::lateness_shape, draft_.faults);
    wrapping.when_late = WhenLate::skip;
    if (const auto longest = skip.duration("skip", {1ms, 1h})) wrapping.longest_skip = *longest;
  }

  std::vector<WrapperUse> read_wrappers() {
    const auto* const one = mapping_.find("wrapper");
    const bool several = mapping_.find("wrappers") != nullptr;
    if ((one != nullptr) == several) {
      draft_.faults.add(
          mapping_.place(),
          fmt::format("found {} in {}; expected one of them",
                      several ? "both 'wrapper' and 'wrappers'" : "neither 'wrapper' nor 'wrappers'", what_));
      return {};
    }
    std::vector<const Value*> values;
    if (one != nullptr) values.push_back(one);
    for (const auto* value : mapping_.items("wrappers")) values.push_back(value);
    if (mapping_.is_empty("wrappers"))
      draft_.faults.add(mapping_.place("wrappers"),
                        fmt::format("found no wrappers; a {} needs at least one", what_));
    return read_wrappers(values);
  }

  std::vector<WrapperUse> read_wrappers(const std::vector<const Value*>& values) {
    std::vector<WrapperUse> wrappers;
    for (const auto* value : values) {
      const bool first = value == values.front();
      if (auto wrapper = read_wrapper(*value, first, draft_)) wrappers.push_back(std::move(*wrapper));
    }
    return wrappers;
  }

  const Mapping& mapping_;
  std::string_view what_;
  const Draft& draft_;
};

}  // namespace

ScopeWrapping read_wrapping(const Mapping& mapping, std::string_view what, std::chrono::nanoseconds longest,
                            const Draft& draft) {
  return WrappingReader(mapping, what, draft).read(longest);
}

std::optional<WrapperUse> read_wrapper(const Value& value, bool first, const Draft& draft) {
  const auto named = reading::read_named(value, "wrapper", draft.faults);
  if (!named) return std::nullopt;
  const auto* const info = find_scope_wrapper(named->name.text, draft.plan.wrappers);
  if (info == nullptr) return fault_unknown(named->name, draft);
  if (first && !info->combines)
    draft.faults.add(named->name.place, fmt::format("'{}' takes only one source; put a wrapper that combines "
                                                    "sources before it: gather, merge or reduce",
                                                    named->name.text));
  auto parameters = read_parameters(*named, info->parameters, draft.faults);
  if (!parameters || !can_make(*info, *parameters, named->name, draft.faults)) return std::nullopt;
  return WrapperUse{named->name.text, std::move(*parameters)};
}

void check_timeout(const ScopeWrapping& above, const ScopeWrapping& below, Faults& faults) {
  if (above.when_late == WhenLate::wait && below.timeout.count() > 0)
    faults.add(
        below.timeout_place,
        "the level or node above has 'late: wait', which overrides this 'timeout'; remove one of them");
}

WrapperUse in_parts(const WrapperUse& first, const Plan& plan) {
  const auto* const info = find_scope_wrapper(first.name, plan.wrappers);
  if (info == nullptr || !info->in_parts) return {"gather", {}};
  return {first.name, info->in_parts(first.parameters)};
}

}  // namespace eventspace::expansion

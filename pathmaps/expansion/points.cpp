#include "pathmaps/expansion/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collectors/record_header.h"
#include "paths/parameters/nearest.h"
#include "paths/wrappers.h"
#include "tuplespace/parsing/number_in.h"

namespace eventspace::expansion {

namespace {

constexpr std::array<std::pair<std::string_view, unsigned>, 3> end_words{
    {{"thread", bit_of(CollectPoint::thread)},
     {"element", bit_of(CollectPoint::element)},
     {"both", ends_of_path}}};
constexpr std::string_view before = "before-";
constexpr std::string_view after = "after-";

// Returns nothing unless `text` consists of digits; a number that is too large is larger than
// max_collected_stages.
std::optional<std::size_t> count_in(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return number_in<std::size_t>(text).value_or(~std::size_t{0});
}

void fault_word(const Word& word, const reading::Mapping& rule) {
  constexpr std::array<std::string_view, 3> ends{"thread", "element", "both"};
  const auto meant = nearest(word.text, ends);
  rule.faults().add(
      word.place,
      fmt::format("found '{}' for 'at'{}; allowed: {}, before-STAGE, after-STAGE", word.text,
                  meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant), fmt::join(ends, ", ")));
}

}  // namespace

Points::Points(const reading::Mapping& rule) : given_(rule.find("at") != nullptr) {
  for (const Word& word : rule.words("at")) {
    const auto* const end = std::ranges::find(end_words, word.text, &decltype(end_words)::value_type::first);
    if (end != end_words.end()) {
      ends_ |= end->second;
    } else if (auto between = between_of(word, rule)) {
      between_.push_back(std::move(*between));
    }
  }
}

std::optional<Points::Between> Points::between_of(const Word& word, const reading::Mapping& rule) {
  const std::string_view text = word.text;
  if (!text.starts_with(before) && !text.starts_with(after)) {
    fault_word(word, rule);
    return std::nullopt;
  }
  Between between;
  between.word = word;
  between.before = text.starts_with(before);
  const std::string_view stage = text.substr(between.before ? before.size() : after.size());
  if (const auto number = count_in(stage)) {
    const std::size_t most = max_collected_stages + (between.before ? 1 : 0);
    if (*number >= 1 && *number <= most) {
      between.number = *number;
      return between;
    }
    rule.faults().add(word.place, fmt::format("found '{}' for 'at'; stages are numbered from 1, and event "
                                              "collectors can be behind the first {} stages of a path",
                                              text, max_collected_stages));
    return std::nullopt;
  }
  if (WrapperRegistry::instance().find(stage) == nullptr) {
    rule.faults().add(word.place, WrapperRegistry::instance().unknown("stage", stage));
    return std::nullopt;
  }
  between.wrapper = stage;
  return between;
}

std::vector<Word> Points::between() const {
  std::vector<Word> words;
  for (const Between& between : between_) words.push_back(between.word);
  return words;
}

unsigned Points::on(PathIndex path, const Draft& draft) {
  has_paths_ = true;
  unsigned points = ends_;
  for (Between& between : between_) {
    const auto stage = stage_of(between, path, draft);
    if (!stage) continue;
    const std::size_t behind = between.before ? *stage - 1 : *stage;
    points |= bit_of(behind == 0 ? CollectPoint::thread : after_stage(behind));
  }
  return points;
}

// Returns the number of the stage on the path, from 1; nullopt if the path lacks it.
std::optional<std::size_t> Points::stage_of(Between& between, PathIndex path, const Draft& draft) {
  const auto& stages = draft.plan.paths[path].stages;
  if (between.number != 0) {
    if (between.number > stages.size()) return std::nullopt;
    between.is_used = true;
    return between.number;
  }
  const auto found = std::ranges::find(stages, between.wrapper, &StagePlan::wrapper);
  if (found == stages.end() || between.is_faulty) return std::nullopt;
  between.is_used = true;
  const auto same = std::ranges::count(stages, between.wrapper, &StagePlan::wrapper);
  const auto number = static_cast<std::size_t>(found - stages.begin()) + 1;
  if (same == 1 && number <= max_collected_stages + (between.before ? 1 : 0)) return number;
  between.is_faulty = true;  // it is reported for the first such path only
  const PathPlan& planned = draft.plan.paths[path];
  const std::string name = fmt::format("{}/{}", draft.plan.threads[planned.thread].name, planned.name);
  draft.faults.add(
      between.word.place,
      same > 1 ? fmt::format("path '{}' has {} stages '{}'; select one by its number, as in 'after-1'", name,
                             same, between.wrapper)
               : fmt::format("stage '{}' of path '{}' is number {}; event collectors can be behind the first "
                             "{} stages of a path",
                             between.wrapper, name, number, max_collected_stages));
  return std::nullopt;
}

void Points::check_used(const Draft& draft) const {
  if (!has_paths_) return;
  for (const Between& between : between_) {
    if (between.is_used) continue;
    draft.faults.add(between.word.place, fmt::format("'{}': none of the selected paths has such a stage; add "
                                                     "it to 'stages' of the path or of application",
                                                     between.word.text));
  }
}

}  // namespace eventspace::expansion

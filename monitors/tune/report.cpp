#include "monitors/tune/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "monitors/cli/result_table.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace::tune {
namespace {

/// Indices into `tried`: the measured scopes, best first, then the others.
std::vector<std::size_t> order_of(const Outcome& outcome) {
  std::vector<std::size_t> order(outcome.tried.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto& x = outcome.tried[a].measured;
    const auto& y = outcome.tried[b].measured;
    if (!x || !y) return x.has_value() && !y.has_value();
    return outcome.goal.prefers(x->figures, y->figures);
  });
  return order;
}

std::vector<bool> front_of(const Outcome& outcome) {
  std::vector<Figures> all;
  for (const Tried& tried : outcome.tried)
    all.push_back(tried.measured ? tried.measured->figures : Figures{-1, 1e9});
  return pareto_front(all);
}

/// Formats values: rounded and with words for text, exact and with true and false for JSON and CSV.
class Cells {
 public:
  explicit Cells(Format format) : text_(format == Format::text) {}
  [[nodiscard]] Json rate(double value) const {
    return text_ ? Json(fmt::format("{:.1f}", value)) : Json(value);
  }
  [[nodiscard]] Json ratio(double value) const {
    return text_ ? Json(fmt::format("{:.3f}", value)) : Json(value);
  }
  [[nodiscard]] Json flag(bool value, const char* word) const {
    return text_ ? Json(value ? word : "-") : Json(value);
  }
  [[nodiscard]] Json verdict(Verdict value) const {
    if (value != Verdict::inconclusive) return flag(value == Verdict::meets, "meets");
    return text_ ? Json(to_string(value)) : Json();
  }
  [[nodiscard]] Json seconds(std::optional<std::chrono::nanoseconds> time) const {
    if (!time) return none();
    const double value = std::chrono::duration<double>(*time).count();
    return text_ ? Json(fmt::format("{:.1f}", value)) : Json(value);
  }
  [[nodiscard]] Json none() const { return text_ ? Json("-") : Json(); }

 private:
  bool text_;
};

std::vector<Json> row_of(const Outcome& outcome, std::size_t number, bool front, const Cells& cells) {
  const Tried& tried = outcome.tried[number];
  std::vector<Json> row;
  if (tried.measured) {
    const auto& [figures, low, high, pairs] = *tried.measured;
    row = {cells.rate(figures.rate), cells.ratio(figures.slowdown), cells.ratio(low), cells.ratio(high),
           pairs};
  } else {
    row = {cells.none(), cells.none(), cells.none(), cells.none(), 0};
  }
  row.push_back(tried.predicted ? cells.rate(tried.predicted->rate) : cells.none());
  row.push_back(tried.predicted ? cells.ratio(tried.predicted->slowdown) : cells.none());
  row.push_back(cells.flag(tried.measured && front, "front"));
  row.push_back(cells.verdict(tried.measured ? verdict_on(outcome.goal, *tried.measured) : Verdict::misses));
  const Doubt doubt = tried.measured ? doubt_on(outcome.goal, *tried.measured) : Doubt::none;
  row.push_back(doubt == Doubt::none ? cells.none() : Json(to_string(doubt)));
  row.push_back(cells.seconds(outcome.time_needed(tried)));
  row.push_back(cells.flag(outcome.best == number, "best"));
  row.push_back(cells.flag(tried.given, "given"));
  row.emplace_back(tried.words);
  row.emplace_back(std::string(to_string(tried.priority)));
  row.push_back(tried.unusable.empty() ? Json() : Json(tried.unusable));
  return row;
}

std::string in_words(const Figures& figures) {
  return fmt::format("{:.1f} pulls a second, slowdown {:.3f}", figures.rate, figures.slowdown);
}

std::string in_words(const Estimate& estimate) {
  return fmt::format("{} ({:.3f} to {:.3f})", in_words(estimate.figures), estimate.slowdown_low,
                     estimate.slowdown_high);
}

std::string in_words(const Goal& goal) {
  std::string words;
  if (goal.max_slowdown) words = fmt::format("slowdown of at most {:.3f}", *goal.max_slowdown);
  if (goal.min_rate)
    words += fmt::format("{}at least {:.1f} pulls a second", words.empty() ? "" : " and ", *goal.min_rate);
  return words;
}

std::string prices_in_words(const Counts& seconds) {
  std::string words;
  for (std::size_t i = 0; i < costs; ++i) {
    const auto price = std::chrono::nanoseconds(static_cast<std::int64_t>(seconds.at(i) * 1e9));
    if (price.count() == 0) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", to_string(static_cast<Cost>(i)),
                         short_duration(price));
  }
  return words.empty() ? "nothing" : words;
}

std::string doubt_in_words(const Outcome& outcome, const Estimate& estimate) {
  switch (outcome.doubt()) {
    case Doubt::none:
      break;
    case Doubt::few_pairs:
      return fmt::format("{} {} too few for an interval; at least {} are needed",
                         counted(estimate.pairs, "pair"), estimate.pairs == 1 ? "is" : "are", min_pairs);
    case Doubt::faster:
      return "the application was faster while it was watched, so something else changed its speed, such as "
             "other programs: measure when nothing else runs, with a longer --slice and more --pairs";
    case Doubt::around_limit:
      return "the interval of the slowdown contains the limit";
    case Doubt::wide:
      return fmt::format("the interval of the slowdown is wider than the {:.3f} that the limit allows",
                         *outcome.goal.max_slowdown - 1);
  }
  return "";
}

// For the tree alone, and for a whole search that gives it as much: the best is measured twice.
void print_needs(std::ostream& out, const Outcome& outcome, const Tried& best) {
  out << doubt_in_words(outcome, *best.measured) << '\n';
  if (outcome.doubt() == Doubt::faster) return;
  const auto pairs = pairs_needed(outcome.goal, *best.measured);
  if (!pairs) {
    out << "the measurements cannot tell its slowdown from the limit; choose another limit\n";
    return;
  }
  const std::size_t each = (*pairs + 1) / 2;
  const auto whole = 2 * static_cast<std::int64_t>(each * (outcome.tried.size() + 1)) * outcome.slice;
  out << fmt::format("{}it needs {} pairs, another {}; a search with --pairs {} needs about --for {:.0f}s\n",
                     outcome.doubt() == Doubt::few_pairs ? "" : "judging by its spread, ", *pairs,
                     short_duration(*outcome.time_needed(best)), each,
                     std::ceil(std::chrono::duration<double>(whole).count()));
}

// The default of monitors is not named.
std::string in_words(const Tried& tried) {
  if (tried.priority == Priority::low) return tried.words;
  return fmt::format("{} with --priority {}", tried.words, to_string(tried.priority));
}

void print_best(std::ostream& out, const Outcome& outcome) {
  const Tried& best = outcome.tried[*outcome.best];
  switch (outcome.verdict()) {
    case Verdict::meets:
      out << fmt::format("best: {}: {}\n", in_words(best), in_words(*best.measured));
      break;
    case Verdict::misses:
      out << fmt::format("no tree meets the goal ({}); nearest: {}: {}\n", in_words(outcome.goal),
                         in_words(best), in_words(*best.measured));
      break;
    case Verdict::inconclusive:
      out << fmt::format("inconclusive: cannot tell whether the best tree meets the goal ({}): {}: {}\n",
                         in_words(outcome.goal), in_words(best), in_words(*best.measured));
      print_needs(out, outcome, best);
      break;
  }
  for (const Tried& tried : outcome.tried) {
    if (tried.given && tried.measured)
      out << fmt::format("as it is: {}: {}\n", in_words(tried), in_words(*tried.measured));
  }
}

}  // namespace

void print_table(std::ostream& out, const Outcome& outcome, Format format) {
  ResultTable table({"rate", "slowdown", "slowdown_low", "slowdown_high", "pairs", "predicted_rate",
                     "predicted_slowdown", "front", "meets", "doubt", "needs_s", "best", "given", "scope",
                     "priority", "unusable"});
  const auto front = front_of(outcome);
  for (const std::size_t number : order_of(outcome))
    table.add(row_of(outcome, number, front[number], Cells(format)));
  table.print(out, format);
}

void print_summary(std::ostream& out, const Outcome& outcome) {
  if (!outcome.ended_early.empty()) out << fmt::format("ended early: {}\n", outcome.ended_early);
  out << fmt::format("{} of {} of scope {} measured{}\n", outcome.trees_tried(),
                     counted(outcome.candidates, "tree"), outcome.scope,
                     outcome.left_out > 0 ? fmt::format("; {} more were left out", outcome.left_out) : "");
  if (outcome.best) print_best(out, outcome);
  if (!outcome.model) return;
  out << fmt::format("a pull takes: {}; servers do {:.0f} % of their parallel work one after the other\n",
                     prices_in_words(outcome.model->pull_prices()), 100 * outcome.model->sharing());
  out << fmt::format("a pull costs the application: {}\n",
                     prices_in_words(outcome.model->application_prices()));
}

}  // namespace eventspace::tune

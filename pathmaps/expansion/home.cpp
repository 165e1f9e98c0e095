#include "pathmaps/expansion/home.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

using reading::Mapping;

namespace {

constexpr std::array<std::pair<std::string_view, PathUse>, 2> with_words{
    {{"reader", PathUse::read}, {"writer", PathUse::write}}};

class Homes {
 public:
  explicit Homes(Draft& draft) : draft_(draft), placed_(draft.elements.size(), false) {}

  void apply(const reading::Value& value) {
    const Mapping rule(&value, reading::element_rule_shape, draft_.faults);
    const auto globs = rule.words("elements");
    const auto elements = draft_.elements.select(globs, draft_.faults);
    for (const auto element : elements) placed_[element] = true;
    if (!check_one_home(rule)) return;
    if (const auto use = rule.choice("with", with_words)) beside(elements, *use, rule.place("with"));
    if (const auto process = rule.word("process")) in_process(elements, *process);
    if (const auto node = rule.word("node")) on_node(elements, *node);
  }

  void apply_default() {
    std::map<Place, std::vector<std::size_t>> homeless;
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      if (placed_[i]) continue;
      const auto user = first_user(i, PathUse::any);
      if (user) move_beside(i, *user);
      if (!user) homeless[draft_.elements.place(i)].push_back(i);
    }
    for (const auto& [place, elements] : homeless) report_homeless(place, elements);
  }

 private:
  bool check_one_home(const Mapping& rule) {
    int homes = 0;
    for (const auto* key : {"with", "process", "node"}) homes += rule.find(key) != nullptr ? 1 : 0;
    if (homes == 1) return true;
    draft_.faults.add(
        rule.place(),
        fmt::format("found {} of 'with', 'process' and 'node' in element_rule; expected one", homes));
    return false;
  }

  void beside(const std::vector<std::size_t>& elements, PathUse use, const Place& place) {
    for (const auto element : elements) {
      const auto user = first_user(element, use);
      if (user) {
        move_beside(element, *user);
        continue;
      }
      draft_.faults.add(place, fmt::format("no path is known to {0} element '{1}'; say 'use: {0}' on one",
                                           to_string(use), draft_.elements.name(element)));
      return;
    }
  }

  void in_process(const std::vector<std::size_t>& elements, const Word& name) {
    const auto process = draft_.processes.require(name, draft_.faults);
    for (const auto element : elements) {
      draft_.plan.elements[element].process = process;
      draft_.plan.elements[element].node = std::nullopt;
    }
  }

  void on_node(const std::vector<std::size_t>& elements, const Word& name) {
    const auto node = draft_.nodes.require(name, draft_.faults);
    for (const auto element : elements) {
      draft_.plan.elements[element].node = node;
      draft_.plan.elements[element].process = std::nullopt;
    }
  }

  [[nodiscard]] std::optional<std::size_t> first_user(std::size_t element, PathUse use) const {
    const auto& users = draft_.users[element];
    const auto found = std::ranges::find_if(
        users, [&](std::size_t path) { return use == PathUse::any || draft_.plan.paths[path].use == use; });
    if (found == users.end()) return std::nullopt;
    return *found;
  }

  void move_beside(std::size_t element, std::size_t path) {
    draft_.plan.elements[element].process = draft_.thread_processes[draft_.plan.paths[path].thread];
    draft_.plan.elements[element].node = std::nullopt;
  }

  void report_homeless(const Place& place, const std::vector<std::size_t>& elements) {
    const auto others = elements.size() == 1 ? "" : fmt::format(" (and {} more)", elements.size() - 1);
    draft_.faults.add(
        place,
        fmt::format(
            "element '{}'{} has no placement: no path uses it, and placement: elements: does not name it",
            draft_.elements.name(elements.front()), others));
  }

  Draft& draft_;
  std::vector<bool> placed_;  ///< a rule names it, rightly or not
};

}  // namespace

void place_elements(std::span<const reading::Value* const> rules, Draft& draft) {
  Homes homes(draft);
  for (const auto* rule : rules) homes.apply(*rule);
  homes.apply_default();
}

}  // namespace eventspace::expansion

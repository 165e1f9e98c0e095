#include "pathmaps/variants/enumerate.h"

#include <algorithm>
#include <array>
#include <functional>

namespace eventspace::variants {

using expansion::Group;

namespace {

// A change of one setting of a form. Changes with the same number replace each other and are not combined.
struct Change {
  std::size_t setting;
  std::function<void(ScopeForm&)> apply;
};

// Returns `form` with every possible set of levels, the original first.
std::vector<ScopeForm> structures(const ScopeForm& form, bool clusters) {
  constexpr std::array groups{Group::cluster, Group::node, Group::process, Group::thread};
  std::vector<ScopeForm> all{form};
  for (unsigned chosen = 0; chosen < 1U << groups.size(); ++chosen) {
    ScopeForm other = form;
    other.levels = {form.levels.front()};
    bool allowed = true;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const auto given = std::ranges::find(form.levels, groups.at(i), &LevelForm::group);
      const bool wanted = (chosen >> i & 1U) != 0;
      if (given != form.levels.end() && (wanted || !given->can_go)) {
        other.levels.push_back(*given);
        allowed = allowed && wanted;
      } else if (wanted) {
        LevelForm inserted;
        inserted.group = groups.at(i);
        inserted.parts = other.levels.back().parts;
        inserted.wrapping = inserted.parts;
        inserted.can_go = true;
        if (form.direct) inserted.on = "consumer";
        other.levels.push_back(std::move(inserted));
        allowed = allowed && (groups.at(i) != Group::cluster || clusters);
      }
    }
    if (allowed) all.push_back(std::move(other));
  }
  return all;
}

class Changes {
 public:
  explicit Changes(const ScopeForm& form) : form_(form) {
    for (const std::size_t arity : {4U, 2U, 8U, 16U})
      on_each_level([&](std::size_t i) { change_arity(i, arity); });
    for (const char* const ask : {"{threads: 2}", "in-turn", "{threads: 4}", "overlapped"})
      on_each_level([&](std::size_t i) { change_asking(i, ask); });
    on_each_level([&](std::size_t i) { move_to_the_consumer(i); });
    if (form.next)
      for (const std::size_t batch : {10U, 100U, 10000U})
        changes_.push_back({0, [batch](ScopeForm& f) { f.batch = batch; }});
  }

  [[nodiscard]] const std::vector<Change>& all() const { return changes_; }

 private:
  template <class Do>
  void on_each_level(Do act) {
    for (std::size_t i = 0; i < form_.levels.size(); ++i) act(i);
  }

  void change_arity(std::size_t i, std::size_t arity) {
    if (form_.levels[i].arity == arity) return;
    changes_.push_back({3 * i + 1, [i, arity](ScopeForm& f) {
                          f.levels[i].arity = arity;
                          if (f.levels[i].spread.empty()) f.levels[i].spread = "children";
                        }});
  }

  /// Asking with threads is possible only if the level below runs in the same process.
  void change_asking(std::size_t i, const std::string& ask) {
    const std::string asked = ask == "overlapped" ? "" : ask;
    if (form_.levels[i].ask == asked) return;
    const bool together =
        i + 1 < form_.levels.size() && site_of(form_.levels[i]) == site_of(form_.levels[i + 1]);
    if (ask[0] == '{' && !together) return;
    changes_.push_back({3 * i + 2, [i, asked](ScopeForm& f) { f.levels[i].ask = asked; }});
  }

  void move_to_the_consumer(std::size_t i) {
    const auto& levels = form_.levels;
    const auto above = levels.begin() + static_cast<std::ptrdiff_t>(i);
    const bool can =
        i > 0 && levels[i].can_go && site_of(levels[i]) != "consumer" &&
        std::all_of(levels.begin(), above, [](const auto& l) { return site_of(l) == "consumer"; });
    if (can) changes_.push_back({3 * i + 3, [i](ScopeForm& f) { f.levels[i].on = "consumer"; }});
  }

  const ScopeForm& form_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<ScopeForm> enumerate(const ScopeForm& form, bool clusters, std::size_t most) {
  const auto shapes = structures(form, clusters);
  auto forms = shapes;
  for (const auto& shape : shapes) {
    const Changes changes(shape);
    for (const Change& change : changes.all()) change.apply(forms.emplace_back(shape));
  }
  for (const auto& shape : shapes) {
    const Changes changes(shape);
    for (const Change& one : changes.all()) {
      for (const Change& two : changes.all()) {
        if (forms.size() >= most) break;
        if (one.setting >= two.setting) continue;
        one.apply(forms.emplace_back(shape));
        two.apply(forms.back());
      }
    }
  }
  forms.resize(std::min(forms.size(), most));
  return forms;
}

}  // namespace eventspace::variants

#include "pathmaps/variants/scope_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <eventspace/error.h>
#include "pathmaps/expansion/scopes/scope_shapes.h"
#include "pathmaps/variants/yaml_text.h"

namespace eventspace::variants {

using expansion::Draft;
using expansion::ScopeLevel;
using expansion::Site;
using expansion::WrapperUse;
using reading::Mapping;
using reading::Value;

namespace {

bool operator_is(const WrapperUse& a, const WrapperUse& b) {
  return a.name == b.name && a.parameters == b.parameters;
}

class FormReader {
 public:
  FormReader(const Value& scope, const Plan& plan)
      : value_(scope), draft_(faults_), scope_(&scope, reading::scope_shape, faults_) {
    draft_.plan.wrappers = plan.wrappers;
    for (const NodePlan& node : plan.nodes) draft_.nodes.add({node.name, {}}, faults_);
  }

  ScopeForm read() {
    using namespace std::chrono_literals;
    ScopeForm form;
    for (const auto& entry : value_.entries) keep(entry, form);
    form.direct = scope_.boolean("direct").value_or(false);
    if (const auto read = scope_.word("read")) form.next = read->text != "newest";
    if (const auto batch = scope_.integer("batch", {1, 1'000'000}))
      form.batch = static_cast<std::size_t>(*batch);
    if (scope_.find("shape") != nullptr) {
      for (const ScopeLevel& level : expansion::read_shape(scope_, draft_)) add(level, nullptr, form);
    } else {
      const auto levels = expansion::read_levels(scope_, 1h, draft_);
      const auto values = scope_.items("levels");
      for (std::size_t i = 0; i < levels.size(); ++i) add(levels[i], values[i], form);
    }
    return form;
  }

 private:
  static void keep(const reading::Entry& entry, ScopeForm& form) {
    for (const char* const changed : {"levels", "shape", "wrapper", "tree", "batch", "collect"})
      if (entry.key == changed) return;
    if (entry.value->kind != Value::Kind::null)
      form.what += fmt::format("    {}: {}\n", entry.key, yaml_text(*entry.value));
  }

  /// `value`: the YAML of the level; null if the level comes from a `shape`.
  void add(const ScopeLevel& level, const Value* value, ScopeForm& form) {
    LevelForm added;
    added.group = level.group;
    added.arity = level.arity.value_or(0);
    if (added.arity > 0) added.spread = level.spread == expansion::Spread::here ? "here" : "children";
    std::vector<std::string> more;
    for (const char* const key : {"wrapper", "wrappers", "on", "ask", "timeout", "late"}) {
      const Value* const given = value == nullptr ? nullptr : value->find(key);
      if (given == nullptr || given->kind == Value::Kind::null) continue;
      const std::string text = fmt::format("{}: {}", key, yaml_text(*given));
      if (key[0] == 'w') added.wrapping = text;
      if (key[0] == 'o') added.on = yaml_text(*given);
      if (key[0] == 'a') added.ask = yaml_text(*given);
      if (key[0] == 't' || key[0] == 'l') more.push_back(text);
    }
    if (value == nullptr) added.wrapping = "wrapper: " + yaml_text(level.wrapping.wrappers.front());
    if (added.ask == "overlapped") added.ask.clear();
    added.more = fmt::format("{}", fmt::join(more, ", "));
    added.parts = "wrapper: " + yaml_text(in_parts(level.wrapping.wrappers.front(), draft_.plan));
    added.can_go = may_go(level) && more.empty();
    form.levels.push_back(std::move(added));
  }

  bool may_go(const ScopeLevel& level) {
    const auto& wrappers = level.wrapping.wrappers;
    if (!first_) {
      first_ = wrappers.front();
      same_so_far_ = wrappers.size() == 1;
      return false;
    }
    const bool gathers = wrappers.size() == 1 && wrappers.front().name == "gather";
    const bool repeats =
        same_so_far_ && wrappers.size() == 1 && operator_is(wrappers.front(), in_parts(*first_, draft_.plan));
    same_so_far_ = same_so_far_ && (gathers || repeats);
    return gathers || repeats;
  }

  const Value& value_;
  reading::Faults faults_;
  Draft draft_;
  Mapping scope_;
  std::optional<WrapperUse> first_;
  bool same_so_far_{true};
};

std::string level_text(const LevelForm& level) {
  std::string text = fmt::format("      - {{group: {}, {}", to_string(level.group), level.wrapping);
  if (!level.on.empty()) text += ", on: " + level.on;
  if (level.arity > 0) text += fmt::format(", arity: {}, spread: {}", level.arity, level.spread);
  if (!level.ask.empty()) text += ", ask: " + level.ask;
  if (!level.more.empty()) text += ", " + level.more;
  return text + "}\n";
}

}  // namespace

ScopeForm read_form(const Value& scope, const std::string& name, const Plan& plan) {
  if (scope.find("tree") != nullptr)
    throw ConfigurationError(fmt::format(
        "scope {} is written out node by node ('tree'); only scopes with 'levels' or a 'shape' have variants",
        name));
  return FormReader(scope, plan).read();
}

std::string scope_text(const std::string& name, const ScopeForm& form) {
  std::string text = fmt::format("  {}:\n{}", name, form.what);
  if (form.batch) text += fmt::format("    batch: {}\n", *form.batch);
  text += "    levels:\n";
  for (const LevelForm& level : form.levels) text += level_text(level);
  return text;
}

std::string in_words(const ScopeForm& form) {
  std::vector<std::string> levels;
  for (const LevelForm& level : form.levels) {
    std::vector<std::string> more;
    if (!level.on.empty()) more.push_back("on " + level.on);
    if (level.arity > 0)
      more.push_back(fmt::format("arity {}{}", level.arity, level.spread == "here" ? " here" : ""));
    if (!level.ask.empty()) more.push_back("ask " + level.ask);
    levels.push_back(std::string(to_string(level.group)) +
                     (more.empty() ? "" : fmt::format(" ({})", fmt::join(more, ", "))));
  }
  return fmt::format("{}{}", fmt::join(levels, " > "),
                     form.batch ? fmt::format("; batch {}", *form.batch) : "");
}

std::string site_of(const LevelForm& level) {
  if (!level.on.empty()) return level.on;
  const Site site = expansion::default_site(level.group);
  return site == Site::consumer ? "consumer" : site == Site::server ? "server" : "gateway";
}

}  // namespace eventspace::variants

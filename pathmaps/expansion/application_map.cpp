#include <fmt/format.h>

#include <algorithm>

#include "pathmaps/expansion/collectives.h"
#include "pathmaps/expansion/element_type.h"
#include "pathmaps/expansion/generate.h"
#include "pathmaps/expansion/path_table.h"
#include "pathmaps/expansion/selection.h"
#include "pathmaps/expansion/stages.h"
#include "pathmaps/expansion/steps.h"
#include "pathmaps/reading/names.h"

namespace eventspace::expansion {

using reading::Mapping;

namespace {

constexpr std::string_view thread_variable = "{thread}";

constexpr std::array<std::pair<std::string_view, PathUse>, 3> use_words{
    {{"write", PathUse::write}, {"read", PathUse::read}, {"any", PathUse::any}}};

bool has_variable(std::string_view text) { return text.find(thread_variable) != std::string_view::npos; }

Word fill_in(Word word, std::string_view thread) {
  for (auto at = word.text.find(thread_variable); at != std::string::npos;
       at = word.text.find(thread_variable, at + thread.size()))
    word.text.replace(at, thread_variable.size(), thread);
  return word;
}

class ApplicationMap {
 public:
  ApplicationMap(const Mapping& pathmap, Draft& draft)
      : draft_(draft),
        map_(pathmap.find("application"), reading::application_shape, draft.faults),
        table_(draft) {}

  void read() {
    for (auto& word : map_.words("command")) draft_.plan.command.push_back(std::move(word.text));
    for (const auto& pattern : map_.words("threads")) add_threads(pattern);
    if (map_.is_empty("threads"))
      draft_.faults.add(map_.place("threads"), "found no threads; a pathmap needs at least one");
    if (draft_.threads.size() == 0) return;
    for (const auto* row : map_.items("elements")) read_element(*row);
    for (const auto* entry : map_.items("generate")) run_generator(*entry, draft_, table_);
    for (const auto* row : map_.items("paths")) read_path(*row);
    for (const auto& entry : map_.entries("collectives")) read_collective(entry, draft_, table_);
    table_.finish();
  }

  void read_stage_rules() {
    for (const auto* rule : map_.items("stages")) read_stage_rule(*rule);
  }

 private:
  void add_threads(const Word& pattern) {
    for (auto& name : expand_names(pattern, max_threads - std::min(max_threads - 1, draft_.threads.size()),
                                   draft_.faults)) {
      const Word thread{std::move(name), pattern.place};
      if (!check_name(thread, reading::NameKind::simple, draft_.faults)) return;
      if (!draft_.threads.add(thread, draft_.faults)) return;
      draft_.plan.threads.push_back({.name = thread.text, .kind = ApplicationThread{}});
    }
  }

  void read_element(const reading::Value& row) {
    const Mapping element(&row, reading::element_shape, draft_.faults);
    const auto config = read_element_type(element);
    const auto name = element.word("name");
    if (!name) return;
    if (!has_variable(name->text)) {
      if (element.find("for") != nullptr)
        draft_.faults.add(element.place("for"), "'for' needs a name that contains {thread}");
      table_.add_element(*name, config);
      return;
    }
    for (const auto thread : draft_.threads.select(element.words_if_given("for"), draft_.faults)) {
      if (!table_.add_element(fill_in(*name, draft_.threads.name(thread)), config)) return;
    }
  }

  void read_path(const reading::Value& row) {
    const Mapping path(&row, reading::path_shape, draft_.faults);
    const auto threads = draft_.threads.select(path.words("thread"), draft_.faults);
    const auto name = path.word("name");
    const auto element = path.word("element");
    const auto use = path.choice("use", use_words).value_or(PathUse::any);
    const auto stages = read_stages(path, "stages");
    if (!name || !element) return;
    for (const auto thread : threads) {
      if (!table_.add_path(*name, thread, fill_in(*element, draft_.threads.name(thread)), use, stages))
        return;
    }
  }

  void read_stage_rule(const reading::Value& value) {
    const Mapping rule(&value, reading::stage_rule_shape, draft_.faults);
    const auto stages = read_stages(rule, "wrappers");
    for (const auto path : select_paths(read_selection(rule), application(draft_), draft_)) {
      auto& on_path = draft_.plan.paths[path].stages;
      on_path.insert(on_path.end(), stages.begin(), stages.end());
    }
  }

  Draft& draft_;
  Mapping map_;
  PathTable table_;
};

}  // namespace

void read_application_map(const Mapping& pathmap, Draft& draft) { ApplicationMap(pathmap, draft).read(); }

void read_stage_rules(const Mapping& pathmap, Draft& draft) {
  ApplicationMap(pathmap, draft).read_stage_rules();
}

}  // namespace eventspace::expansion

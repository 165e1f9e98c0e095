#include "pathmaps/expansion/collectives.h"

#include <fmt/format.h>

#include <algorithm>

#include "pathmaps/expansion/element_type.h"
#include "pathmaps/reading/names.h"
#include "paths/joints/combine.h"

namespace eventspace::expansion {

using reading::Mapping;

namespace {

class CollectiveReader {
 public:
  CollectiveReader(const reading::Entry& entry, Draft& draft)
      : draft_(draft),
        name_{entry.key, entry.place},
        map_(entry.value, reading::collective_shape, draft.faults) {}

  void read(PathTable& table) {
    CollectivePlan plan;
    plan.name = name_.text;
    const bool is_named = check_name(name_, reading::NameKind::simple, draft_.faults);
    const auto kind = map_.choice("kind", collective_kinds);
    const auto threads = read_threads();
    CollectiveOutline outline;
    if (kind) {
      plan.kind = *kind;
      read_tuple(plan);
      read_combine(plan);
      outline.root = read_root(*kind, threads);
    }
    outline.place = name_.place;
    outline.levels = read_joint_levels(map_);
    const auto path = map_.word("path").value_or(name_);
    outline.path = path.text;
    outline.element = add_root_joint(plan);
    draft_.plan.collectives.push_back(std::move(plan));
    const ElementIndex joint = outline.element;
    draft_.collectives.push_back(std::move(outline));
    if (!is_named && map_.find("path") == nullptr) return;
    for (const auto thread : threads) {
      if (!table.add_path(path, thread, joint)) break;
    }
  }

 private:
  std::vector<ThreadIndex> read_threads() {
    auto threads = draft_.threads.select(map_.words("threads"), draft_.faults);
    if (threads.size() == 1)
      draft_.faults.add(map_.place("threads"),
                        fmt::format("only thread '{}' takes part in collective '{}'; expected two or more",
                                    draft_.threads.name(threads.front()), name_.text));
    return threads;
  }

  void read_tuple(CollectivePlan& plan) {
    const bool given = map_.find("tuple") != nullptr;
    if (given != has_tuples(plan.kind)) {
      draft_.faults.add(
          given ? map_.place("tuple") : name_.place,
          given ? "a barrier has no 'tuple'"
                : fmt::format("collective '{}' of kind {} has no 'tuple'", name_.text, to_string(plan.kind)));
      return;
    }
    if (!given) return;
    if (auto signature = read_signature(map_.words("tuple"), map_.place("tuple"), draft_.faults))
      plan.signature = std::move(*signature);
  }

  void read_combine(CollectivePlan& plan) {
    const bool given = map_.find("combine") != nullptr;
    if (given && !combines(plan.kind)) {
      draft_.faults.add(map_.place("combine"), "'combine' is only for the kinds reduce and all-reduce");
    } else if (!given && combines(plan.kind)) {
      draft_.faults.add(name_.place, fmt::format("collective '{}' of kind {} has no 'combine'; known: {}",
                                                 name_.text, to_string(plan.kind), known_combines()));
    } else if (given) {
      check_combine(plan, map_.words("combine"));
    }
  }

  void check_combine(CollectivePlan& plan, const std::vector<Word>& words) {
    const auto& fields = plan.signature.fields();
    if (fields.empty()) return;  // `tuple:` has a fault already
    if (words.size() != 1 && words.size() != fields.size()) {
      draft_.faults.add(map_.place("combine"),
                        fmt::format("found {} words for 'combine'; expected 1, or {}: one for each field",
                                    words.size(), fields.size()));
      return;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Word& word = words[words.size() == 1 ? 0 : i];
      if (!check_combine(word, fields[i])) return;
      plan.combine.push_back(word.text);
    }
  }

  bool check_combine(const Word& word, FieldType type) {
    const auto& registry = CombineRegistry::instance();
    const auto* const info = registry.find(word.text);
    if (info == nullptr) {
      draft_.faults.add(word.place, registry.unknown("way to combine", word.text));
    } else if (!info->takes(type)) {
      draft_.faults.add(word.place, fmt::format("'{}' cannot combine fields of type {}", word.text,
                                                eventspace::to_string(type)));
    }
    return info != nullptr && info->takes(type);
  }

  static std::string known_combines() {
    std::string text;
    for (const auto& name : CombineRegistry::instance().names()) text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  std::optional<Word> read_root(CollectiveKind kind, const std::vector<ThreadIndex>& threads) {
    auto root = map_.word("root");
    if (!root) return std::nullopt;
    if (!has_root(kind)) {
      draft_.faults.add(root->place, fmt::format("a collective of kind {} has no 'root'", to_string(kind)));
      return std::nullopt;
    }
    const auto thread = draft_.threads.require(*root, draft_.faults);
    if (!thread) return std::nullopt;
    if (!threads.empty() && !std::ranges::binary_search(threads, *thread))
      draft_.faults.add(root->place, fmt::format("the root '{}' does not take part in collective '{}'",
                                                 root->text, name_.text));
    return root;
  }

  /// grow_joints sets the index of the joint later.
  ElementIndex add_root_joint(const CollectivePlan& plan) {
    return draft_.add_element({.name = plan.name, .kind = JointElement{}});
  }

  Draft& draft_;
  Word name_;
  Mapping map_;
};

}  // namespace

void read_collective(const reading::Entry& entry, Draft& draft, PathTable& table) {
  CollectiveReader(entry, draft).read(table);
}

}  // namespace eventspace::expansion

#include "pathmaps/pathmap.h"

#include <eventspace/error.h>
#include "pathmaps/expansion/steps.h"
#include "pathmaps/plan/fingerprint.h"
#include "pathmaps/reading/include.h"
#include "pathmaps/reading/names.h"

namespace eventspace {

namespace {

using expansion::Draft;
using reading::Document;
using reading::Faults;
using reading::FileReader;
using reading::Mapping;
using reading::Value;

constexpr std::string_view version = "1";

// Reports any other version and returns false: the keys of that version may have other meanings, so reading
// on would give misleading faults.
bool check_version(const Mapping& pathmap) {
  const auto found = pathmap.word("pathmap");
  if (!found || found->text == version) return true;
  pathmap.faults().add(
      found->place,
      "found '" + found->text + "' for 'pathmap'; this program reads version " + std::string(version));
  return false;
}

void read_name(const Mapping& pathmap, Draft& draft) {
  const auto name = pathmap.word("name");
  if (!name || !check_name(*name, reading::NameKind::simple, draft.faults)) return;
  draft.plan.name = name->text;
}

void read_views(const Mapping& pathmap, const LoadOptions& options, Draft& draft) {
  if (!options.for_scopes && !pathmap.entries("wrappers").empty()) return;
  read_wrapper_libraries(pathmap, options, draft);
  read_scopes(pathmap, draft);
}

// Anything else there belongs to the user and is ignored.
void read_scopes_left_out(const Value& root, Draft& draft) {
  const Value* const names = root.find(reading::left_out_key);
  if (names == nullptr) return;
  for (const Value* const name : names->items) {
    if (name->kind == Value::Kind::scalar) draft.plan.scopes_left_out.push_back(name->text);
  }
}

void expand(const Mapping& pathmap, const LoadOptions& options, Draft& draft) {
  read_name(pathmap, draft);
  read_limits(pathmap, draft);
  read_cluster_map(pathmap, draft);
  read_application_map(pathmap, draft);
  // A pathmap without nodes or threads has a fault already. Each later name of a node or thread would add
  // another fault with the same cause.
  if (draft.plan.nodes.empty() || draft.plan.threads.empty()) return;
  read_placement(pathmap, draft);
  grow_joints(draft);
  read_stage_rules(pathmap, draft);
  check_ports(draft);
  find_routes(draft);
  settle_priorities(draft);
  read_collect(pathmap, draft);
  read_views(pathmap, options, draft);
}

void seal(Plan& plan) {
  plan.fingerprint = fingerprint_of(plan);
  plan.scopes_fingerprint = scopes_fingerprint_of(plan);
  for (auto& scope : plan.scopes) scope.fingerprint = plan.scopes_fingerprint;
}

LoadResult expand(const Value* root, const LoadOptions& options, Faults& faults) {
  Draft draft(faults);
  if (root != nullptr) {
    const Mapping pathmap(root, reading::pathmap_shape, faults);
    if (check_version(pathmap)) expand(pathmap, options, draft);
    read_scopes_left_out(*root, draft);
  }
  if (faults.any()) return {std::nullopt, faults.report(), std::move(draft.libraries)};
  seal(draft.plan);
  return {std::move(draft.plan), {}, std::move(draft.libraries)};
}

}  // namespace

LoadResult load_plan(const std::filesystem::path& file) { return load_plan(file, {}); }
LoadResult parse_plan(std::string_view yaml, const std::string& name) { return parse_plan(yaml, name, {}); }
Plan require_plan(const std::filesystem::path& file) { return require_plan(file, {}); }

LoadResult load_plan(const std::filesystem::path& file, const LoadOptions& options) {
  Faults faults;
  Document document;
  return expand(FileReader(document, faults, options.follow_includes).read(file), options, faults);
}

LoadResult parse_plan(std::string_view yaml, const std::string& name, const LoadOptions& options) {
  Faults faults;
  Document document;
  return expand(FileReader(document, faults, options.follow_includes).read_text(yaml, name), options, faults);
}

Plan require_plan(const std::filesystem::path& file, const LoadOptions& options) {
  auto result = load_plan(file, options);
  if (result.plan) return std::move(*result.plan);
  std::string text;
  for (const auto& fault : result.faults) text += (text.empty() ? "" : "\n") + to_string(fault);
  throw ConfigurationError(text);
}

}  // namespace eventspace

#include "pathmaps/variants/scope_variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include <eventspace/error.h>
#include "pathmaps/pathmap.h"
#include "pathmaps/reading/include.h"
#include "pathmaps/variants/enumerate.h"
#include "pathmaps/variants/yaml_text.h"
#include "scopes/tree/scope_codec.h"

namespace eventspace {

namespace fs = std::filesystem;
using variants::ScopeForm;

namespace {

std::string head(const fs::path& file) {
  return fmt::format("pathmap: 1\ninclude: {}\n\nscopes:\n", variants::yaml_word(file.string()));
}

// Returns the lines below the name, indented as by scope_text.
std::string lines_of(const std::string& scope) { return scope.substr(scope.find('\n') + 1); }

std::string free_name(const Plan& plan, const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; plan.find_scope(name) != nullptr; ++i) name = fmt::format("{}{}", wanted, i);
  return name;
}

// Expands all candidate forms with one load of a pathmap, and drops those that have faults.
class Nursery {
 public:
  Nursery(const fs::path& file, const Plan& plan, const std::vector<ScopeForm>& forms)
      : file_(fs::absolute(file)), stem_(free_name(plan, "x")) {
    for (const ScopeForm& form : forms) young_.push_back({&form, ""});
  }

  struct Grown {
    const ScopeForm* form;
    ScopeTree tree;
  };
  std::vector<Grown> grow() {
    while (true) {
      LoadResult loaded = parse_plan(text(), "variants");
      if (loaded.plan) return trees(*loaded.plan);
      drop(loaded.faults);
    }
  }

 private:
  struct Young {
    const ScopeForm* form;
    std::string name;
    int first_line{0};
  };

  std::string text() {
    std::string text = head(file_);
    int line = static_cast<int>(std::ranges::count(text, '\n')) + 1;
    for (std::size_t i = 0; i < young_.size(); ++i) {
      young_[i].name = fmt::format("{}.{}", stem_, i);
      young_[i].first_line = line;
      const std::string scope = scope_text(young_[i].name, *young_[i].form);
      line += static_cast<int>(std::ranges::count(scope, '\n'));
      text += scope;
    }
    return text;
  }

  void drop(const std::vector<Fault>& faults) {
    std::set<std::size_t> faulty;
    for (const Fault& fault : faults) {
      const auto next = std::ranges::upper_bound(young_, fault.line, {}, &Young::first_line);
      const bool of_one = fault.file == "variants" && next != young_.begin();
      if (of_one && fault.line > 0) faulty.insert(static_cast<std::size_t>(next - young_.begin()) - 1);
    }
    // The caller's plan was without faults. A fault outside the candidates means that the file was changed
    // since.
    if (faulty.empty())
      throw ConfigurationError("the pathmap has changed: " + (faults.empty() ? std::string("it gives no plan")
                                                                             : to_string(faults.front())));
    for (auto i = faulty.rbegin(); i != faulty.rend(); ++i)
      young_.erase(young_.begin() + static_cast<std::ptrdiff_t>(*i));
  }

  std::vector<Grown> trees(const Plan& plan) {
    std::vector<Grown> grown;
    for (const Young& young : young_) grown.push_back({young.form, *plan.find_scope(young.name)});
    return grown;
  }

  fs::path file_;
  std::string stem_;
  std::vector<Young> young_;
};

// The points at which the pathmap records the application, as words of `at:`.
std::set<std::string_view> recorded_points(const Plan& plan) {
  std::set<std::string_view> points;
  for (const TracePlan& trace : plan.traces) {
    if (!plan.is_of_scope(trace.path)) points.insert(to_string(trace.point));
  }
  return points;
}

// The scope `name` of a text that includes the pathmap `file`, whose plan was `plan` when it was read before.
ScopeTree made_scope(const std::string& text, const std::string& name, const fs::path& file,
                     const Plan& plan) {
  const LoadResult loaded = parse_plan(text, name);
  if (!loaded.plan) {
    const Fault& fault = loaded.faults.front();
    throw ConfigurationError(fault.file == name ? fault.text : to_string(fault));
  }
  if (loaded.plan->fingerprint != plan.fingerprint)
    throw ConfigurationError(fmt::format(
        "the pathmap {} has changed since the monitor was opened; open another monitor", file.string()));
  return *loaded.plan->find_scope(name);
}

std::vector<std::byte> identity_of(ScopeTree tree) {
  tree.scope.clear();
  return encode(tree);
}

}  // namespace

ScopeVariants scope_variants(const fs::path& file, const Plan& plan, const std::string& name,
                             std::size_t most) {
  reading::Faults faults;
  reading::Document document;
  const auto* const root = reading::FileReader(document, faults).read(file);
  const auto* const scopes = root == nullptr ? nullptr : root->find("scopes");
  const auto* const scope = scopes == nullptr ? nullptr : scopes->find(name);
  if (scope == nullptr)
    throw ConfigurationError(fmt::format("pathmap {} has no scope '{}'", file.string(), name));
  const auto form = variants::read_form(*scope, name, plan);
  const auto forms = variants::enumerate(form, !plan.clusters.empty(), 4 * most);

  ScopeVariants found;
  std::set<std::vector<std::byte>> seen;
  for (auto& [of, tree] : Nursery(file, plan, forms).grow()) {
    if (!seen.insert(identity_of(tree)).second) continue;
    if (found.variants.size() == most) {
      ++found.left_out;
      continue;
    }
    tree.scope = name;
    found.variants.push_back({in_words(*of), lines_of(scope_text(name, *of)), std::move(tree)});
  }
  return found;
}

ScopeTree newest_events_of(const fs::path& file, const std::string& paths, bool direct) {
  const std::string name = "x.newest";
  LoadResult loaded =
      parse_plan(fmt::format("{}  {}: {{paths: {}, direct: {}, levels: [{{group: all, wrapper: gather}}]}}\n",
                             head(fs::absolute(file)), name, variants::yaml_word(paths, true), direct),
                 name);
  if (loaded.plan) return *loaded.plan->find_scope(name);
  throw ConfigurationError(loaded.faults.front().text);
}

ScopeTree events_of_collectives(const fs::path& file, const Plan& plan, bool records) {
  const std::string name = free_name(plan, "collectives");
  std::set<std::string> paths;
  for (const CollectivePlan& collective : plan.collectives) {
    for (const PathIndex path : collective.participants)
      paths.insert(variants::yaml_word(plan.paths[path].name, true));
  }
  std::string text = head(fs::absolute(file));
  text += fmt::format("  {}: {{threads: \"**\", paths: [{}], at: [thread, element], read: next,\n", name,
                      fmt::join(paths, ", "));
  text += fmt::format("    levels: [{{group: all, wrapper: gather}}, {{group: node, wrapper: {}}}]}}\n",
                      records ? "gather" : "collective");
  return made_scope(text, name, file, plan);
}

ScopeTree events_of_everything(const fs::path& file, const Plan& plan, bool direct) {
  const auto points = recorded_points(plan);
  if (points.empty())
    throw ConfigurationError(
        fmt::format("pathmap {} records nothing; add `collect: points:`", file.string()));
  const std::string name = free_name(plan, "everything");
  const std::string text =
      head(fs::absolute(file)) +
      fmt::format(
          "  {}: {{at: [{}], read: next, probes: true, unplanned: true, direct: {},\n"
          "    levels: [{{group: all, wrapper: gather}}, {{group: node, on: {}, wrapper: gather}}]}}\n",
          name, fmt::join(points, ", "), direct, direct ? "consumer" : "server");
  return made_scope(text, name, file, plan);
}

namespace {

// A line that names them, so that users who request one of them learn why it is missing.
std::string scopes_left_out(const reading::Value* scopes) {
  if (scopes == nullptr || scopes->entries.empty()) return {};
  std::string names;
  for (const reading::Entry& scope : scopes->entries)
    names += (names.empty() ? "" : ", ") + variants::yaml_word(scope.key);
  return fmt::format("{}: [{}]\n", reading::left_out_key, names);
}

}  // namespace

std::string whole_pathmap(const fs::path& file) {
  reading::Faults faults;
  reading::Document document;
  const reading::Value* const root = reading::FileReader(document, faults).read(file);
  if (root == nullptr || faults.any())
    throw ConfigurationError(file.string() + " has faults: see `eventspace check`");
  const bool has_libraries = root->find("wrappers") != nullptr;
  std::string text;
  if (has_libraries) text += scopes_left_out(root->find("scopes"));
  for (const reading::Entry& entry : root->entries) {
    const bool is_left_out = entry.key == "include" || entry.key == "wrappers" ||
                             (has_libraries && (entry.key == "scopes" || entry.key == reading::left_out_key));
    if (!is_left_out)
      text += fmt::format("{}: {}\n", variants::yaml_word(entry.key), variants::yaml_text(*entry.value));
  }
  if (text.size() <= reading::FileReader::max_file_bytes) return text;
  throw ConfigurationError(
      fmt::format("{} and its included files have {} bytes as one pathmap; at most {} are allowed",
                  file.string(), text.size(), reading::FileReader::max_file_bytes));
}

std::string pathmap_with(const fs::path& file, const fs::path& folder, const std::string& name,
                         const std::string& lines) {
  const fs::path from = fs::proximate(fs::absolute(file), fs::absolute(folder));
  return head(from) + "  " + name + ":\n" + lines;
}

}  // namespace eventspace

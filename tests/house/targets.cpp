#include "tests/house/targets.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace eventspace::house {
namespace {

namespace fs = std::filesystem;

using Owners = std::map<std::string, std::string>;
using SourceMap = std::map<std::string, const SourceFile*>;

void add_used(const std::string& name, const Targets& targets, std::set<std::string>& found) {
  const auto target = targets.find(name);
  if (target == targets.end()) return;
  for (const std::string& used : target->second.uses)
    if (found.insert(used).second) add_used(used, targets, found);
}

void add_included(const std::string& path, const SourceMap& files, std::set<std::string>& found) {
  const auto file = files.find(path);
  if (file == files.end()) return;
  for (const std::string& include : file->second->includes)
    if (found.insert(include).second) add_included(include, files, found);
}

std::set<std::string> included_by(const Target& target, const SourceMap& files) {
  std::set<std::string> found;
  for (const std::string& source : target.sources) add_included(source, files, found);
  return found;
}

// The targets with a source in the nearest folder above a file that has any, lowest first.
std::vector<std::string> targets_of_folder(const std::string& path, const Owners& owner_of,
                                           const Targets& targets) {
  std::set<std::string> found;
  for (fs::path folder = fs::path(path).parent_path(); found.empty() && !folder.empty();
       folder = folder.parent_path()) {
    for (const auto& [source, target] : owner_of)
      if (fs::path(source).parent_path() == folder) found.insert(target);
  }
  std::vector<std::string> sorted(found.begin(), found.end());
  std::ranges::stable_sort(sorted, {}, [&](const auto& name) { return used_by(name, targets).size(); });
  return sorted;
}

std::string owner_of_header(const SourceFile& header, const Owners& owner_of, const SourceMap& files,
                            const Targets& targets) {
  const std::string stem = header.path.substr(0, header.path.size() - 2);
  if (const auto source = owner_of.find(stem + ".cpp"); source != owner_of.end()) return source->second;
  const std::vector<std::string> candidates = targets_of_folder(header.path, owner_of, targets);
  for (const std::string& candidate : candidates)
    if (included_by(targets.at(candidate), files).contains(header.path)) return candidate;
  return candidates.empty() ? "" : candidates.front();
}

// Whether a target may include from another one: it names it, or a folder above it that uses it.
bool may_include(const Target& from, const std::string& to, const Targets& targets) {
  return std::ranges::any_of(from.uses, [&](const std::string& used) {
    return used == to || (to.starts_with(used + "/") && used_by(used, targets).contains(to));
  });
}

}  // namespace

Targets read_targets(const fs::path& file) {
  std::ifstream lines(file);
  if (!lines) throw std::runtime_error("cannot read " + file.string());
  Targets targets;
  Target* target = nullptr;
  for (std::string kind, value; lines >> kind >> value;) {
    if (kind == "target") {
      target = &targets[value];
      target->name = value;
    } else if (kind == "source") {
      target->sources.insert(value);
    } else if (kind == "uses") {
      target->uses.insert(value);
    } else {
      target->commands.insert(value);
    }
  }
  return targets;
}

std::set<std::string> used_by(const std::string& name, const Targets& targets) {
  std::set<std::string> found;
  add_used(name, targets, found);
  return found;
}

std::map<std::string, std::string> owners(const std::vector<SourceFile>& sources, const Targets& targets) {
  Owners owner_of;
  for (const auto& [name, target] : targets)
    for (const std::string& source : target.sources) owner_of[source] = name;
  SourceMap files;
  for (const SourceFile& source : sources) files[source.path] = &source;
  Owners headers;
  for (const SourceFile& source : sources) {
    if (!source.is_header()) continue;
    const std::string owner = owner_of_header(source, owner_of, files, targets);
    if (!owner.empty()) headers[source.path] = owner;
  }
  owner_of.merge(headers);
  return owner_of;
}

std::vector<std::string> wrong_uses(const std::vector<SourceFile>& sources, const Targets& targets) {
  const Owners owner_of = owners(sources, targets);
  std::vector<std::string> wrong;
  std::map<std::string, std::set<std::string>> included;
  for (const SourceFile& source : sources) {
    const auto from = owner_of.find(source.path);
    if (from == owner_of.end()) continue;
    for (const std::string& include : source.includes) {
      const auto to = owner_of.find(include);
      if (to == owner_of.end() || to->second == from->second) continue;
      if (SourceFile{include}.top_folder() != source.top_folder()) continue;
      included[from->second].insert(to->second);
      if (!may_include(targets.at(from->second), to->second, targets))
        wrong.push_back(source.path + " includes " + include + ", but " + from->second + " does not use " +
                        to->second);
    }
  }
  for (const auto& [name, target] : targets)
    for (const std::string& used : target.uses)
      if (!included[name].contains(used)) wrong.push_back(name + " includes nothing from " + used);
  return wrong;
}

}  // namespace eventspace::house

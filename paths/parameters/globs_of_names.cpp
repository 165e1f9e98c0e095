#include "paths/parameters/globs_of_names.h"

#include <string_view>

#include "paths/parameters/glob.h"

namespace eventspace {
namespace {

std::string pattern_of(std::string name) {
  constexpr std::string_view special = "*?[]{},";
  for (char& letter : name)
    if (special.find(letter) != std::string_view::npos) letter = '?';
  return name;
}

}  // namespace

std::vector<std::string> globs_of_names(const std::vector<std::string>& names) {
  std::vector<std::string> globs;
  std::string list;
  const auto finish = [&] {
    if (!list.empty()) globs.push_back("{" + list + "}");
    list.clear();
  };
  for (const std::string& name : names) {
    if (list.size() + name.size() + std::string_view("{,}").size() > glob_longest) finish();
    if (!list.empty()) list += ',';
    list += pattern_of(name);
  }
  finish();
  return globs;
}

}  // namespace eventspace

#pragma once

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace eventspace::testing_commands {

inline std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The names in `backquotes` in each section of docs/json.md.
class JsonPage {
 public:
  explicit JsonPage(const std::string& text) {
    std::istringstream lines(text);
    std::string section;
    const std::regex name("`([a-z0-9_]+)`");
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("## ")) section = line.substr(3);
      std::set<std::string>& names = names_[section];
      for (std::sregex_iterator found(line.begin(), line.end(), name), end; found != end; ++found)
        names.insert((*found)[1]);
    }
  }
  /// The page, with the fields of events, which docs/expressions.md explains.
  static JsonPage of_docs() {
    JsonPage page(text_of(SOURCE_DIR "/docs/json.md"));
    for (const auto& [section, names] : JsonPage(text_of(SOURCE_DIR "/docs/expressions.md")).names_)
      page.names_["events"].insert(names.begin(), names.end());
    return page;
  }

  [[nodiscard]] bool has_section(const std::string& section) const { return names_.contains(section); }
  [[nodiscard]] bool has(const std::string& section, const std::string& name) const {
    const auto found = names_.find(section);
    return found != names_.end() && found->second.contains(name);
  }
  [[nodiscard]] bool has_anywhere(const std::string& name) const {
    for (const auto& [section, names] : names_)
      if (names.contains(name)) return true;
    return false;
  }

 private:
  std::map<std::string, std::set<std::string>> names_;
};

}  // namespace eventspace::testing_commands

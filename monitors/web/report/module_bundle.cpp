#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iterator>
#include <map>

#include <eventspace/error.h>
#include "monitors/web/report/page_file.h"

namespace eventspace::web {
namespace {

/// Takes `prefix` from the beginning of the text, if it is there.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view take_until(std::string_view& text, std::string_view mark) {
  const auto end = text.find(mark);
  if (end == std::string_view::npos) return {};
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end + mark.size());
  return taken;
}

std::string_view name_at(std::string_view text) {
  std::size_t end = 0;
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
  };
  while (end < text.size() && is_of_name(text[end])) ++end;
  return text.substr(0, end);
}

class Bundle {
 public:
  explicit Bundle(std::string_view (*read)(std::string_view)) : read_(read) {}

  void add(const std::string& name) {
    const auto [state, is_new] = is_done_.emplace(name, false);
    if (!is_new && !state->second) throw ConfigurationError(fmt::format("{} imports itself", name));
    if (!is_new) return;
    std::string body;
    std::vector<std::string_view> exports;
    std::string_view text = read_(name);
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
      add_line(name, text.substr(0, end), body, exports);
      text.remove_prefix(end);
    }
    script_ += fmt::format("modules[\"{}\"] = (() => {{\n{}\nreturn {{ {} }};\n}})();\n", name, body,
                           fmt::join(exports, ", "));
    is_done_[name] = true;
  }
  [[nodiscard]] std::string script() const {
    return "(() => {\n\"use strict\";\nconst modules = {};\n" + script_ + "})();\n";
  }

 private:
  void add_line(const std::string& module, std::string_view line, std::string& body,
                std::vector<std::string_view>& exports) {
    std::string_view rest = line;
    if (take(rest, "import ")) {
      add_import(module, line, rest, body);
    } else if (take(rest, "export ")) {
      add_export(module, line, rest, exports);
      body += rest;
    } else {
      body += line;
    }
  }

  void add_import(const std::string& module, std::string_view line, std::string_view rest,
                  std::string& body) {
    take(rest, "* as ");  // both forms take what the module returns
    const std::string_view names = take_until(rest, " from \"");
    const std::string_view from = take_until(rest, "\";");
    if (names.empty() || from.empty() || names.find(" as ") != std::string_view::npos || rest != "\n")
      refuse(module, line);
    const auto path = (std::filesystem::path(module).parent_path() / from).lexically_normal().string();
    add(path);
    fmt::format_to(std::back_inserter(body), "const {} = modules[\"{}\"];\n", names, path);
  }

  static void add_export(const std::string& module, std::string_view line, std::string_view rest,
                         std::vector<std::string_view>& exports) {
    if (!take(rest, "function ") && !take(rest, "async function ") && !take(rest, "class ") &&
        !take(rest, "const "))
      refuse(module, line);
    exports.push_back(name_at(rest));
  }

  [[noreturn]] static void refuse(const std::string& module, std::string_view line) {
    throw ConfigurationError(fmt::format("{}: a report cannot have this line: {}", module, line));
  }

  std::string_view (*read_)(std::string_view);
  std::map<std::string, bool> is_done_;  // false while its imports are added
  std::string script_;
};

}  // namespace

std::string bundled(std::string_view entry, std::string_view (*read)(std::string_view name)) {
  Bundle bundle(read);
  bundle.add(std::string(entry));
  return bundle.script();
}

}  // namespace eventspace::web

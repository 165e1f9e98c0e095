#include "tests/docs/transcript.h"

#include <regex>
#include <string_view>

namespace eventspace::docs {

namespace {

constexpr std::string_view prompt = "$ ";
constexpr const char* any = "...";

// A line in which all parts that differ between runs are replaced by the same words; "..." stays.
std::string without_variable_parts(const std::string& line) {
  static const std::regex time(R"(\b\d+(\.\d+)?(ns|us|ms|s|min|h)\b)");
  static const std::regex moment(R"(\d{4}-\d\d-\d\dT[\d:.]+Z)");
  static const std::regex decimal(R"(\b\d+\.\d+\b)");
  static const std::regex process(R"(\bpid \d+)");
  static const std::regex program(R"((\w):\d+(?=[/ ]))");
  static const std::regex spaces(R"(\s+)");
  static const std::regex ends(R"(^ | $)");
  std::string text = std::regex_replace(line, moment, "MOMENT");
  text = std::regex_replace(text, time, "TIME");
  text = std::regex_replace(text, decimal, "NUMBER");
  text = std::regex_replace(text, process, "pid N");
  text = std::regex_replace(text, program, "$1:N");
  text = std::regex_replace(text, spaces, " ");
  return std::regex_replace(text, ends, "");
}

// Whether `text` is `shown`, in which "..." means any text.
bool line_matches(std::string_view shown, std::string_view text) {
  const auto gap = shown.find(any);
  if (gap == std::string_view::npos) return shown == text;
  if (!text.starts_with(shown.substr(0, gap))) return false;
  const std::string_view rest = shown.substr(gap + 3);
  for (std::size_t at = gap; at <= text.size(); ++at) {
    if (line_matches(rest, text.substr(at))) return true;
  }
  return false;
}

using Lines = std::vector<std::string>;

bool lines_match(Lines::const_iterator shown, const Lines& all_shown, Lines::const_iterator line,
                 const Lines& all) {
  if (shown == all_shown.end()) return line == all.end();
  if (*shown == any) {
    for (;; ++line) {
      if (lines_match(shown + 1, all_shown, line, all)) return true;
      if (line == all.end()) return false;
    }
  }
  return line != all.end() && line_matches(*shown, *line) && lines_match(shown + 1, all_shown, line + 1, all);
}

Lines without_variable_parts(const Lines& lines) {
  Lines changed;
  for (const std::string& line : lines) changed.push_back(without_variable_parts(line));
  return changed;
}

}  // namespace

std::vector<ShownCommand> commands_of(const Block& block) {
  std::vector<ShownCommand> commands;
  int number = block.line;
  for (const std::string& line : lines_of(block.text)) {
    if (line.starts_with(prompt)) {
      commands.push_back({line.substr(prompt.size()), {}, number});
    } else if (!commands.empty()) {
      commands.back().output.push_back(line);
    }
    ++number;
  }
  return commands;
}

bool is_shown_by(const std::vector<std::string>& shown, const std::vector<std::string>& output) {
  const Lines expected = without_variable_parts(shown);
  const Lines found = without_variable_parts(output);
  return lines_match(expected.begin(), expected, found.begin(), found);
}

}  // namespace eventspace::docs

#include "scopes/streams/launching/start_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/plain_text.h"

namespace eventspace::streams {
namespace {

constexpr std::string_view head = "eventspace-streams 2";

void require_line(std::string_view text) {
  if (text.find('\n') != std::string_view::npos)
    throw ConfigurationError(
        fmt::format("'{}' cannot be handed to a process of a network: it has a line break", escaped(text)));
}

void add(std::string& text, std::string_view key, std::string_view value) {
  require_line(value);
  text += fmt::format("{} {}\n", key, value);
}

void add_words(std::string& text, std::string_view key, const LaunchOptions::Command& words) {
  for (const std::string& word : words) add(text, key, word);
}

void add_lines(std::string& text, std::string_view key, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    add(text, key, line);
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
}

/// Reads line by line.
class SheetReader {
 public:
  explicit SheetReader(std::string_view text) : rest_(text) {}

  StartSheet read() {
    if (next_line() != head) {
      throw ConfigurationError(
          fmt::format("standard input does not begin with '{}': a process of a network of streams is started "
                      "by its parent, of the same version",
                      head));
    }
    sheet_.options.launcher.clear();
    sheet_.options.internal.clear();
    while (!rest_.empty()) read_line(next_line());
    if (sheet_.network.empty() || sheet_.parent.empty() || sheet_.topology.empty() ||
        sheet_.options.internal.empty())
      throw ConfigurationError("the start sheet of a process of a network of streams is not complete");
    return std::move(sheet_);
  }

 private:
  std::string_view next_line() {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    ++number_;
    return line;
  }

  void read_line(std::string_view line) {
    const std::string_view key = line.substr(0, line.find(' '));
    const std::string_view value = line.substr(std::min(key.size() + 1, line.size()));
    LaunchOptions& options = sheet_.options;
    if (key == "network") return void(sheet_.network = value);
    if (key == "parent") return void(sheet_.parent = value);
    if (key == "process") return read_number(value, sheet_.process);
    if (key == "patience") return read_time(value, options.patience);
    if (key == "session") return void(options.session = value);
    if (key == "listen") return void(options.over_network = value == "tcp");
    if (key == "internal") return options.internal.emplace_back(value), void();
    if (key == "back-end") return options.back_end.emplace_back(value), void();
    if (key == "launcher") return options.launcher.emplace_back(value), void();
    if (key == "launch") return void(launch_ = &options.launchers[std::string(value)]);
    if (key == "launch-word" && launch_ != nullptr) return launch_->emplace_back(value), void();
    if (key == "keys") return append(sheet_.keys, value);
    if (key == "tree") return append(sheet_.topology, value);
    refuse("it is unknown");  // not quoted, as it may be part of a key
  }

  template <class Number>
  void read_number(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse("its number cannot be read");
  }
  void read_time(std::string_view text, std::chrono::nanoseconds& time) {
    std::chrono::nanoseconds::rep value = 0;
    read_number(text, value);
    if (value < 0) refuse("its time is negative");
    time = std::chrono::nanoseconds(value);
  }
  static void append(std::string& lines, std::string_view line) { (lines += line) += '\n'; }

  [[noreturn]] void refuse(std::string_view why) const {
    throw ConfigurationError(fmt::format("line {} of a start sheet cannot be used: {}", number_, why));
  }

  std::string_view rest_;
  int number_{0};
  StartSheet sheet_;
  LaunchOptions::Command* launch_{nullptr};
};

}  // namespace

std::string to_text(const StartSheet& sheet) {
  std::string text = fmt::format("{}\n", head);
  const LaunchOptions& options = sheet.options;
  add(text, "network", sheet.network);
  add(text, "process", std::to_string(sheet.process));
  add(text, "parent", sheet.parent);
  add(text, "listen", options.over_network ? "tcp" : "local");
  add_words(text, "internal", options.internal);
  add_words(text, "back-end", options.back_end);
  add_words(text, "launcher", options.launcher);
  for (const auto& [host, words] : options.launchers) {
    add(text, "launch", host);
    add_words(text, "launch-word", words);
  }
  add(text, "patience", std::to_string(options.patience.count()));
  if (!options.session.empty()) add(text, "session", options.session);
  add_lines(text, "keys", sheet.keys);
  add_lines(text, "tree", sheet.topology);
  return text;
}

StartSheet parse_start_sheet(std::string_view text) { return SheetReader(text).read(); }

}  // namespace eventspace::streams

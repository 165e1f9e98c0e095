#include "scopes/streams/launching/started_children.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <eventspace/error.h>
#include <eventspace/streams.h>
#include "paths/security/secret_key.h"

namespace eventspace::streams {
namespace {

std::string replaced(std::string word, std::string_view what, std::string_view by) {
  for (std::size_t at = word.find(what); at != std::string::npos; at = word.find(what, at + by.size()))
    word.replace(at, what.size(), by);
  return word;
}

// A child with children of its own waits for them before it ends.
int levels_below(const Topology& topology, std::uint32_t process) {
  int levels = 0;
  for (std::vector<std::uint32_t> level = topology.at(process).children; !level.empty(); ++levels) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t one : level) {
      const auto& children = topology.at(one).children;
      next.insert(next.end(), children.begin(), children.end());
    }
    level = std::move(next);
  }
  return levels;
}

}  // namespace

StartedChildren::StartedChildren(const StartSheet& sheet, const Topology& topology, Parent parent)
    : parent_(std::move(parent)),
      host_(topology.at(parent_.process).host),
      patience_(sheet.options.patience * levels_below(topology, parent_.process)) {
  const LaunchOptions& options = sheet.options;
  for (const std::uint32_t number : topology.at(parent_.process).children) {
    const TreeProcess& child = topology.at(number);
    if (child.part == Part::back_end && options.back_end.empty()) continue;  // it attaches at any time
    try {
      start(sheet, child, number);
    } catch (const EnvironmentError& error) {
      failures_.emplace_back(error.what());
    }
  }
}

void StartedChildren::start(const StartSheet& sheet, const TreeProcess& child, std::uint32_t number) {
  std::vector<std::string> words = behind_launcher(sheet.options, child.host);
  if (words.empty() && child.part == Part::back_end) {
    const AttachPoint point{sheet.network, parent_.endpoint, child.rank, parent_.keys};
    running_.emplace_back(child.host, sheet.options.back_end, std::string_view(),
                          std::vector{fmt::format("{}={}", AttachPoint::variable, point.to_text())});
    return;
  }
  // On another machine the child gets its description by standard input, as launchers do not forward
  // variables, and a file with keys has to be made there.
  words.insert(words.end(), sheet.options.internal.begin(), sheet.options.internal.end());
  StartSheet own = sheet;
  own.process = number;
  own.parent = parent_.endpoint;
  std::string text = to_text(own);
  running_.emplace_back(child.host, std::move(words), text, std::vector<std::string>());
  overwrite(text);
  overwrite(own.keys);
}

std::vector<std::string> StartedChildren::behind_launcher(const LaunchOptions& options,
                                                          const std::string& host) const {
  if (host == host_ || (is_this_machine(host) && is_this_machine(host_))) return {};
  const auto found = options.launchers.find(host);
  std::vector<std::string> words = found == options.launchers.end() ? options.launcher : found->second;
  for (std::string& word : words) word = replaced(std::move(word), "{host}", host);
  return words;
}

std::vector<std::string> StartedChildren::take_failures() {
  std::vector<std::string> failures = std::exchange(failures_, {});
  std::erase_if(running_, [&failures](StartedProcess& process) {
    const auto ended = process.ended();
    if (ended && !process.ended_well()) failures.push_back(*ended);
    return ended.has_value();
  });
  return failures;
}

void StartedChildren::end() {
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  for (StartedProcess& process : running_) process.wait_or_kill(deadline);
  running_.clear();
}

}  // namespace eventspace::streams

#include "monitors/probing/groups/process_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <eventspace/error.h>
#include <eventspace/extend.h>
#include "monitors/probing/groups/process_condition.h"
#include "paths/parameters/glob.h"
#include "scopes/streams/members/stored_names.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

using TextList = std::vector<std::string> ProcessChoice::*;

struct Part {
  std::string_view key;
  TextList texts;
};
/// The parts of a choice that are lists of texts.
constexpr std::array parts{
    Part{"name", &ProcessChoice::names},        Part{"job", &ProcessChoice::jobs},
    Part{"recorded", &ProcessChoice::recorded}, Part{"communicator", &ProcessChoice::communicators},
    Part{"group", &ProcessChoice::groups},      Part{"within", &ProcessChoice::within},
    Part{"without", &ProcessChoice::without}};

constexpr std::size_t deepest = 16;
constexpr std::size_t max_choices = 100000;  // a group that is used several times counts each time

void add_part(std::string& text, std::string_view key, std::string_view value) {
  if (value.find_first_of("\t\n") != std::string_view::npos)
    throw ConfigurationError(fmt::format("'{}' contains a tab or a line break", escaped(value)));
  text += fmt::format("{}{}={}", text.empty() ? "" : "\t", key, value);
}

std::int32_t pid_in(std::string_view text) {
  std::int32_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size() || pid <= 0)
    throw ConfigurationError(fmt::format("'{}' is not a process id", escaped(text)));
  return pid;
}

void read_part(ProcessChoice& choice, std::string_view key, std::string_view value) {
  if (key == "pid") return choice.pids.push_back(pid_in(value));
  if (key == "where" && choice.where.empty()) {
    choice.where = value;
    return;
  }
  const auto part = std::ranges::find(parts, key, &Part::key);
  if (part != parts.end()) {
    (choice.*part->texts).emplace_back(value);
    return;
  }
  throw ConfigurationError(fmt::format("'{}' is not part of a choice of processes", escaped(key)));
}

/// Walks down the parts of groups, and keeps the names on the current path.
class GroupWalk {
 public:
  explicit GroupWalk(const ProcessGroups& groups) : groups_(groups) {}

  /// Returns the number of choices in the tree, including this one.
  std::size_t follow(const ProcessChoice& choice) {
    std::size_t size = 1;
    for (const std::string& name : choice.named_groups()) {
      size += size_of(name);
      if (size > max_choices)
        throw ConfigurationError(
            fmt::format("the groups are made of more than {} other groups", max_choices));
    }
    return size;
  }
  [[nodiscard]] ProcessGroups take() { return std::move(seen_); }

 private:
  std::size_t size_of(const std::string& name) {
    const auto found = groups_.find(name);
    if (found == groups_.end()) refuse_unknown(name);
    if (std::ranges::find(way_, name) != way_.end())
      throw ConfigurationError(fmt::format("group '{}' would contain itself", name));
    if (way_.size() == deepest)
      throw ConfigurationError(fmt::format("group '{}' is made of groups that are nested more than {} deep",
                                           way_.front(), deepest));
    if (const auto known = sizes_.find(name); known != sizes_.end()) return known->second;
    seen_.emplace(name, found->second);
    way_.push_back(name);
    const std::size_t size = follow(found->second);
    way_.pop_back();
    sizes_.emplace(name, size);
    return size;
  }
  [[noreturn]] void refuse_unknown(const std::string& name) const {
    std::vector<std::string_view> known;
    for (const auto& [other, choice] : groups_) known.emplace_back(other);
    throw ConfigurationError(known.empty()
                                 ? fmt::format("group '{}' does not exist; create it with `eventspace "
                                               "group {} --name GLOB`",
                                               escaped(name), escaped(name))
                                 : registry::unknown_text("group", escaped(name), known));
  }

  const ProcessGroups& groups_;
  std::vector<std::string> way_;
  ProcessGroups seen_;
  std::map<std::string, std::size_t, std::less<>> sizes_;
};

}  // namespace

std::vector<std::string> ProcessChoice::named_groups() const {
  std::vector<std::string> all = groups;
  all.insert(all.end(), within.begin(), within.end());
  all.insert(all.end(), without.begin(), without.end());
  return all;
}

std::string to_text(const ProcessChoice& choice) {
  std::string text;
  for (const std::int32_t pid : choice.pids) add_part(text, "pid", std::to_string(pid));
  for (const Part& part : parts)
    for (const std::string& value : choice.*part.texts) add_part(text, part.key, value);
  if (!choice.where.empty()) add_part(text, "where", choice.where);
  return text;
}

ProcessChoice parse_choice(std::string_view text) {
  ProcessChoice choice;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('\t'));
    const std::size_t equal = part.find('=');
    if (equal == std::string_view::npos)
      throw ConfigurationError(fmt::format("'{}' is not part of a choice of processes", escaped(part)));
    read_part(choice, part.substr(0, equal), part.substr(equal + 1));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  check_choice(choice);
  return choice;
}

void check_choice(const ProcessChoice& choice) {
  std::size_t count = choice.pids.size();
  for (const Part& part : parts) count += (choice.*part.texts).size();
  if (count > max_parts)
    throw ConfigurationError(fmt::format("a choice of processes can have at most {} parts", max_parts));
  for (const auto& [noun, patterns] :
       {std::pair("name", &choice.names), std::pair("process", &choice.recorded),
        std::pair("communicator", &choice.communicators)})
    for (const std::string& pattern : *patterns)
      if (const auto fault = glob_fault(pattern); !fault.empty())
        throw ConfigurationError(fmt::format("the {} '{}' {}", noun, escaped(pattern), fault));
  for (const std::string& job : choice.jobs)
    if (job.empty()) throw ConfigurationError("the id of a job is empty");
  for (const std::string& name : choice.named_groups()) streams::StoredNames::check_name(name);
  if (!choice.where.empty()) (void)process_condition(choice.where);
}

void check_groups(const ProcessChoice& choice, const ProcessGroups& groups) {
  (void)GroupWalk(groups).follow(choice);
}

ProcessGroups groups_needed(const ProcessChoice& choice, const ProcessGroups& groups) {
  GroupWalk walk(groups);
  (void)walk.follow(choice);
  return walk.take();
}

}  // namespace eventspace

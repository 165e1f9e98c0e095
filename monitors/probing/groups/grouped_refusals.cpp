#include "monitors/probing/groups/grouped_refusals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"

namespace eventspace {
namespace {

constexpr std::string_view placeholder = "process {}";
constexpr const char* further_reasons = "further reasons, too many to list";

std::string with(std::string reason, std::string_view process) {
  const std::size_t place = reason.find(placeholder);
  if (place != std::string::npos) reason.replace(place, placeholder.size(), process);
  return reason;
}

std::string line_of(const std::string& reason, const GroupedRefusals::Processes& processes) {
  const bool names_it = reason.find(placeholder) != std::string::npos;
  if (processes.count == 1 && processes.named.size() == 1) {
    const std::string process = fmt::format("process {}", processes.named[0]);
    return names_it ? with(reason, process) : fmt::format("{}: {}", process, reason);
  }
  if (processes.named.empty())
    return fmt::format("{}: {}", counted(processes.count, "process"), with(reason, "the process"));
  return fmt::format("{} processes ({}{}): {}", processes.count, fmt::join(processes.named, ", "),
                     processes.count > processes.named.size() ? " ..." : "", with(reason, "the process"));
}

}  // namespace

void GroupedRefusals::add(std::int32_t pid, const std::string& reason, std::string_view who) {
  const std::string name = fmt::format("process {}", pid);
  std::string general = reason;
  if (const std::size_t at = general.find(name); at != std::string::npos)
    general.replace(at, name.size(), placeholder);
  add(general, {1, {who.empty() ? std::to_string(pid) : std::string(who)}});
}

void GroupedRefusals::add(const std::string& reason, const Processes& processes) {
  const bool is_known = by_reason_.contains(reason);
  Processes& all = by_reason_[is_known || by_reason_.size() < max_reasons ? reason : further_reasons];
  all.count += processes.count;
  for (const std::string& name : processes.named)
    if (all.named.size() < max_named) all.named.push_back(name);
}

std::vector<std::string> GroupedRefusals::lines() const {
  std::vector<std::string> lines;
  for (const auto& [reason, processes] : by_reason_) lines.push_back(line_of(reason, processes));
  return lines;
}

void GroupedRefusals::report() const {
  for (const std::string& line : lines()) print_message(line);
}

}  // namespace eventspace

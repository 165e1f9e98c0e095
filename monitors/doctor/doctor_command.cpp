#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/doctor/diagnosis.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

std::size_t number_of(const std::vector<Finding>& findings, Diagnosis diagnosis) {
  return static_cast<std::size_t>(std::ranges::count(findings, diagnosis, &Finding::diagnosis));
}

void print_text_of(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    std::cout << fmt::format("{:<5}{:<18}{}\n", to_string(finding.diagnosis), finding.check,
                             escaped(finding.found));
    if (!finding.advice.empty()) std::cout << fmt::format("{:23}-> {}\n", "", escaped(finding.advice));
  }
  std::cout << fmt::format("{} failed, {} warnings\n", number_of(findings, Diagnosis::fail),
                           number_of(findings, Diagnosis::warn));
}

void print_findings(const std::vector<Finding>& findings, Format format) {
  if (format == Format::text) return print_text_of(findings);
  ResultTable table({"check", "diagnosis", "found", "advice"});
  for (const Finding& finding : findings)
    table.add({finding.check, to_string(finding.diagnosis), finding.found, finding.advice});
  table.print(std::cout, format);
}

}  // namespace

Command doctor_command(const CommandContext& context) {
  const BuildInfo& build = context.build;
  const CommandGuide guide{
      .group = CommandGroup::machine,
      .place = 5,
      .examples = {{"eventspace doctor", "all checks, with advice"},
                   {"eventspace doctor --format json", "for scripts that check many machines"}},
      .statuses = {{exit_fine, "no check failed; there may be warnings"},
                   {exit_found_wrong, "a check failed; EventSpace may not work until this is repaired"}}};
  const auto add = [build](CLI::App& app) {
    const auto format = std::make_shared<Format>(Format::text);
    add_format(app, *format);
    return [format, build] {
      const std::vector<Finding> findings = diagnose(read_machine_facts(build));
      print_findings(findings, *format);
      return number_of(findings, Diagnosis::fail) > 0 ? exit_found_wrong : exit_fine;
    };
  };
  return {"doctor", "Check this machine, and suggest how to repair faults", add, guide};
}

}  // namespace eventspace

#include "monitors/web/report/report_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iostream>

#include <eventspace/error.h>
#include "monitors/export/partial_output.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace::web {

void require_report_place(const std::filesystem::path& output, bool replaces) {
  const exports::PartialOutput place({.final_place = output, .replaces = replaces});
}

void write_report(const ReportSettings& settings, const std::filesystem::path& output, bool replaces,
                  bool is_quiet) {
  exports::PartialOutput place({.final_place = output, .replaces = replaces});
  const ReportMade made = make_report(settings);
  std::ofstream file(place.place(), std::ios::binary);
  file << made.page;
  file.close();
  if (!file) throw EnvironmentError::from_errno(fmt::format("cannot write {}", output.string()), errno);
  place.commit();
  if (is_quiet) return;
  std::cerr << fmt::format("{} in {}, {}\n", counted(made.operations, "operation"), output.string(),
                           short_size(made.page.size()));
  if (made.finest_ns > 0)
    std::cerr << "report: not all operations fit; the page shows shares of time where it is too fine (see "
                 "--limit-size)\n";
  if (made.parts_left_out > 0)
    std::cerr << fmt::format(
        "report: {} of single threads and communicators did not fit (see --limit-size)\n",
        counted(made.parts_left_out, "table"));
}

}  // namespace eventspace::web

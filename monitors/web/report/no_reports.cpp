// For a build without Boost, d3 or zlib.
#include <eventspace/error.h>
#include "monitors/web/report/report_file.h"
#include "monitors/web/report/stall_report.h"

namespace eventspace::web {
namespace {

[[noreturn]] void refuse() {
  throw EnvironmentError(
      "this build cannot write reports: it was made without Boost, d3 or zlib (Debian: libboost-dev node-d3 "
      "zlib1g-dev)");
}

}  // namespace

struct StallReport::State {};

StallReport::StallReport(const Watched& /*watched*/, std::filesystem::path /*output*/,
                         std::string /*program*/) {
  refuse();
}
StallReport::~StallReport() = default;
StallReport::StallReport(StallReport&&) noexcept = default;
StallReport& StallReport::operator=(StallReport&&) noexcept = default;
void StallReport::take(Consumer& /*consumer*/) {}
void StallReport::write(const HeartbeatPace::Wishes& /*pace*/) {}

void require_report_place(const std::filesystem::path& /*output*/, bool /*replaces*/) { refuse(); }
void write_report(const ReportSettings& /*settings*/, const std::filesystem::path& /*output*/,
                  bool /*replaces*/, bool /*is_quiet*/) {
  refuse();
}

}  // namespace eventspace::web

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "monitors/collectives/command/summary_printer.h"
#include "monitors/collectives/command/summary_report.h"
#include "monitors/top/terminal/live_page.h"

namespace eventspace {

/// The live page of `collectives`: the answer, the operations that are open, the table, and how sure it is.
/// Pure. Not thread-safe.
class SummaryPage final : public top::LivePage {
 public:
  using LivePage::LivePage;

  /// Shows `report`, made at `time`, from now on.
  void take(const SummaryReport& report, std::chrono::nanoseconds time);

 private:
  [[nodiscard]] top::Page page() const override;
  [[nodiscard]] std::chrono::nanoseconds time() const override { return time_; }

  std::string answer_;
  std::vector<std::string> open_;
  std::vector<std::string> certainty_;
  SummaryTable table_;
  std::chrono::nanoseconds time_{};
};

}  // namespace eventspace

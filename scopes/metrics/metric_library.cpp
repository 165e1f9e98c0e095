#include "scopes/metrics/metric_library.h"

#include <algorithm>
#include <iterator>

#include "scopes/metrics/language/checker.h"
#include "scopes/metrics/shipped_metrics.h"

namespace eventspace::metrics {
namespace {

/// Turns byte offsets of faults into lines and columns, in one pass, since faults are in the order of the
/// text.
std::vector<MetricFault> placed(std::string_view text, const std::vector<Fault>& faults) {
  std::vector<MetricFault> made;
  std::size_t line = 1;
  std::size_t line_begin = 0;
  for (const Fault& fault : faults) {
    for (std::size_t end = text.find('\n', line_begin); end < fault.offset;
         end = text.find('\n', line_begin)) {
      ++line;
      line_begin = end + 1;
    }
    made.push_back({line, fault.offset - line_begin + 1, fault.text});
  }
  return made;
}

/// Returns the text of a metric, including the comment lines right above it.
std::string source_of(std::string_view text, const MetricSyntax& syntax) {
  std::size_t begin = syntax.name.begin;
  while (begin > 0) {
    const std::size_t end = text.rfind('\n', begin - 1);
    if (end == std::string_view::npos) break;
    const std::size_t before = end == 0 ? 0 : text.rfind('\n', end - 1) + 1;
    if (!text.substr(before).starts_with("//")) break;
    begin = before;
  }
  return std::string(text.substr(begin, syntax.end + 1 - begin));
}

void keep_sources(std::string_view text, const FileSyntax& file, std::vector<Metric>& metrics) {
  for (Metric& metric : metrics) {
    const auto syntax =
        std::ranges::find(file.metrics, metric.name, [](const auto& each) { return each.name.text; });
    metric.source = source_of(text, *syntax);
  }
}

}  // namespace

const MetricLibrary& MetricLibrary::shipped() {
  static const MetricLibrary library = [] {
    MetricLibrary made;
    const auto faults = made.add(shipped_metrics);
    if (!faults.empty()) made.metrics_.clear();  // a test shows that there are none
    return made;
  }();
  return library;
}

std::vector<MetricFault> MetricLibrary::add(std::string_view text) {
  const FileSyntax syntax = parse_metrics(text);
  CheckedFile checked = check_metrics(syntax, metrics_);
  std::vector<Fault> faults = syntax.faults;
  std::ranges::move(checked.faults, std::back_inserter(faults));
  std::ranges::stable_sort(faults, {}, &Fault::offset);
  if (faults.size() > max_faults) faults.resize(max_faults);
  if (faults.empty()) {
    keep_sources(text, syntax, checked.metrics);
    std::ranges::move(checked.metrics, std::back_inserter(metrics_));
  }
  return placed(text, faults);
}

std::optional<std::uint32_t> MetricLibrary::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(metrics_, name, &Metric::name);
  if (found == metrics_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - metrics_.begin());
}

}  // namespace eventspace::metrics

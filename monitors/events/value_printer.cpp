#include "monitors/events/value_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "monitors/text/counted.h"
#include "monitors/text/json.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

constexpr std::array<std::pair<const char*, double>, 3> quantiles{
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}}};

bool is_histogram(const Aggregate& aggregate) { return aggregate.reduction == Reduction::histogram; }

// The middle of a bucket may lie beyond the numbers in it: no quantile is shown above the maximum.
double quantile_of(const Aggregate& aggregate, double share) {
  if (aggregate.count == 0) return 0;
  return std::clamp(aggregate.histogram.quantile(share), aggregate.least, aggregate.greatest);
}

// `unit` is empty for a count.
std::string text_of(double value, const std::string& unit) {
  if (unit == "ns" && std::abs(value) < 9e18) return short_duration(nanoseconds(std::llround(value)));
  return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string incomplete(std::uint64_t lost) {
  return lost == 0 ? "\n" : fmt::format("  (incomplete: {} lost)\n", counted(lost, "record"));
}

std::string text_of(const Aggregate& aggregate, nanoseconds time, std::uint64_t lost) {
  const bool counts = aggregate.reduction == Reduction::count;
  std::string line =
      fmt::format("{:>6}  {:<9} {} {:<10} {:>10}", short_duration(time), to_string(aggregate.reduction),
                  aggregate.name, aggregate.group, text_of(aggregate.value(), counts ? "" : aggregate.unit));
  if (aggregate.count == 0 || counts) return line + incomplete(lost);
  line += fmt::format("  of {}, {} to {}", aggregate.count, text_of(aggregate.least, aggregate.unit),
                      text_of(aggregate.greatest, aggregate.unit));
  if (is_histogram(aggregate)) {
    for (const auto& [name, share] : quantiles)
      line += fmt::format(", {} {}", name, text_of(quantile_of(aggregate, share), aggregate.unit));
  }
  return line + incomplete(lost);
}

Json buckets_of(const Histogram& histogram) {
  Json list = Json::array();
  for (const Histogram::Bucket& bucket : histogram.buckets())
    list.add(
        Json::array({Histogram::lower_bound(bucket.key), Histogram::upper_bound(bucket.key), bucket.count}));
  return list;
}

std::string json_of(const Aggregate& aggregate, nanoseconds time, std::uint64_t lost) {
  Json json = Json::object({{"time_s", std::chrono::duration<double>(time).count()},
                            {"name", aggregate.name},
                            {"group", aggregate.group},
                            {"reduction", to_string(aggregate.reduction)},
                            {"unit", aggregate.unit},
                            {"value", aggregate.value()},
                            {"count", aggregate.count},
                            {"min", nullptr},
                            {"max", nullptr},
                            {"lost", lost}});
  if (aggregate.count > 0) json.set("min", aggregate.least);
  if (aggregate.count > 0) json.set("max", aggregate.greatest);
  if (is_histogram(aggregate)) json.set("buckets", buckets_of(aggregate.histogram));
  return json.dump() + '\n';
}

std::string csv_of(const Aggregate& aggregate, nanoseconds time, std::uint64_t lost) {
  std::string line =
      fmt::format("{:.6f},{},{},{},{},{},{},", std::chrono::duration<double>(time).count(),
                  csv_value(aggregate.name), csv_value(aggregate.group), to_string(aggregate.reduction),
                  aggregate.unit, aggregate.value(), aggregate.count);
  line += aggregate.count == 0 ? "," : fmt::format("{},{}", aggregate.least, aggregate.greatest);
  for (const auto& [name, share] : quantiles)
    line += is_histogram(aggregate) ? fmt::format(",{}", quantile_of(aggregate, share)) : ",";
  return line + fmt::format(",{}\n", lost);
}

}  // namespace

ValuePrinter::ValuePrinter(std::ostream& out, Format format) : out_(&out), format_(format) {
  if (format_ == Format::csv)
    *out_ << "time_s,name,group,reduction,unit,value,count,min,max,p50,p90,p99,lost\n";
}

bool ValuePrinter::print(const std::vector<Aggregate>& aggregates, nanoseconds time, std::uint64_t lost) {
  for (const Aggregate& aggregate : aggregates) {
    if (format_ == Format::text) *out_ << text_of(aggregate, time, lost);
    if (format_ == Format::json) *out_ << json_of(aggregate, time, lost);
    if (format_ == Format::csv) *out_ << csv_of(aggregate, time, lost);
  }
  return static_cast<bool>(out_->flush());
}

}  // namespace eventspace

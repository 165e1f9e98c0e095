#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/distribution/metric_wrapper.h"
#include "scopes/metrics/distribution/parts_description.h"
#include "scopes/metrics/distribution/shared_parts.h"
#include "scopes/metrics/evaluation/measurement.h"
#include "tests/scopes/metrics/evaluation/observed_run.h"

namespace eventspace::test {

/// Makes a metric of the library, or of `text`, ready.
inline metrics::Definition defined(std::string_view metric, const std::string& text = "",
                                   const std::set<std::uint32_t>& each = {}) {
  metrics::MetricLibrary library = metrics::MetricLibrary::shipped();
  const auto faults = text.empty() ? std::vector<metrics::MetricFault>{} : library.add(text);
  if (!faults.empty()) throw std::runtime_error(faults[0].text);
  return metrics::define(library.metrics(), library.find(metric).value(), each);
}

/// One of the servers of a divided metric: a wrapper, and events that wait until a view of them has arrived.
class EvaluatingServer {
 public:
  EvaluatingServer(std::string metrics, const PlanNames& names, bool is_subscription = false)
      : metrics_(std::move(metrics)), names_(&names), is_subscription_(is_subscription) {
    start();
  }

  /// The server dies, and another one is started.
  void start() {
    wrapper_ = metric_wrapper().make(
        {{"metrics", metrics_}, {"standing", is_subscription_}, {"resumed", false}}, *names_);
    arrived_ = true;
  }
  void add(View view) { unread_.append(std::move(view)); }

  /// A pull. If its view does not arrive, the next one has the same events again.
  View pull(bool arrives) {
    wrapper_->settle(arrived_);
    View view = unread_;
    wrapper_->apply(view);
    arrived_ = arrives;
    if (arrives) unread_.clear();
    return arrives ? std::move(view) : View{};
  }

 private:
  std::string metrics_;
  const PlanNames* names_;
  bool is_subscription_;
  std::unique_ptr<ViewOperator> wrapper_;
  bool arrived_{true};
  View unread_;
};

/// Metrics that are divided between servers and front-end; process i is on server i modulo their number.
class DividedRun {
 public:
  DividedRun(const metrics::Definition& definition, const metrics::MeasurementChoice& choice,
             std::size_t servers, std::int64_t start_ns, const PlanNames& names, bool is_subscription = false)
      : DividedRun(std::vector{definition}, std::vector{choice}, servers, start_ns, names, is_subscription) {}

  DividedRun(const std::vector<metrics::Definition>& definitions,
             const std::vector<metrics::MeasurementChoice>& choices, std::size_t servers,
             std::int64_t start_ns, const PlanNames& names, bool is_subscription = false) {
    std::vector<metrics::ServerPart> of_metrics;
    for (std::size_t i = 0; i < definitions.size(); ++i) {
      metrics::Division division = divided(definitions[i], choices[i]);
      division.server.start_ns = start_ns;
      of_metrics.push_back(std::move(division.server));
      measurements_.push_back(
          std::make_unique<metrics::Measurement>(std::move(division.front_end), choices[i], names));
      measurements_.back()->start(start_ns);
    }
    shared_ = metrics::SharedParts(of_metrics);
    const std::string described = metrics::text_of(metrics::description_of(of_metrics, shared_));
    for (std::size_t i = 0; i < servers; ++i) servers_.emplace_back(described, names, is_subscription);
  }

  /// Gives new events to the servers of their processes.
  void add(const View& view) {
    std::vector<View> of(servers_.size());
    for (const ProcessReport& report : view.processes)
      of[report.process % of.size()].processes.push_back(report);
    for (const TraceTuple& record : view.records)
      of[header_of(record).path / 10 % of.size()].records.push_back(record);
    for (std::size_t i = 0; i < of.size(); ++i) servers_[i].add(std::move(of[i]));
  }

  /// Pulls from all servers; `arrives(i)`: whether the view of server i does.
  template <class Arrives>
  void pull(const Arrives& arrives) {
    View all;
    for (std::size_t i = 0; i < servers_.size(); ++i) all.append(servers_[i].pull(arrives(i)));
    records_ += all.records.size();
    parcels_ = all.parcels.size();
    std::vector<metrics::Measurement*> measurements;
    for (const auto& measurement : measurements_) {
      measurement->take(all);
      measurements.push_back(measurement.get());
    }
    if (shared_.deliver(all, measurements) > 0) throw std::runtime_error("a parcel was refused");
  }

  [[nodiscard]] std::vector<EvaluatingServer>& servers() { return servers_; }
  [[nodiscard]] metrics::Measurement& measurement(std::size_t number = 0) { return *measurements_[number]; }
  [[nodiscard]] const metrics::SharedParts& shared() const { return shared_; }
  /// Records that arrived at the front-end.
  [[nodiscard]] std::size_t records() const { return records_; }
  /// Parcels of the last pull.
  [[nodiscard]] std::size_t parcels() const { return parcels_; }

 private:
  static metrics::Division divided(const metrics::Definition& definition,
                                   const metrics::MeasurementChoice& choice) {
    auto made = metrics::divide(definition, choice.objects);
    if (const auto* const reason = std::get_if<metrics::Reason>(&made))
      throw std::runtime_error(std::string(to_string(*reason)));
    return std::get<metrics::Division>(std::move(made));
  }

  metrics::SharedParts shared_;
  std::vector<EvaluatingServer> servers_;
  std::vector<std::unique_ptr<metrics::Measurement>> measurements_;
  std::size_t records_{0};
  std::size_t parcels_{0};
};

/// A value as text, with all its digits.
inline std::string exactly(const metrics::MetricValue& value) {
  std::string text = fmt::format("{}", fmt::join(value.objects, "+"));
  if (value.virtual_time) text += fmt::format("@{}", *value.virtual_time);
  const auto& datum = value.datum;
  if (!datum.is_present()) return text + (datum.state == metrics::Datum::State::later ? "=later" : "=absent");
  if (datum.problem != metrics::Problem::none) return text + "=" + std::string(to_string(datum.problem));
  return text + fmt::format("={:.17g} at {}", datum.number, datum.time_ns);
}

}  // namespace eventspace::test

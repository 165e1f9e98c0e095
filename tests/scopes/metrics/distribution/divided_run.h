#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/distribution/graph_codec.h"
#include "scopes/metrics/distribution/metric_wrapper.h"
#include "scopes/metrics/evaluation/measurement.h"
#include "tests/scopes/metrics/evaluation/observed_run.h"

namespace eventspace::test {

/// One of the servers of a divided metric: a wrapper, and events that wait until a view of them has arrived.
class EvaluatingServer {
 public:
  EvaluatingServer(std::string part, const PlanNames& names, bool is_standing = false)
      : part_(std::move(part)), names_(&names), is_standing_(is_standing) {
    start();
  }

  /// It dies, and another one is started.
  void start() {
    wrapper_ = metric_wrapper().make(
        {{"parts", std::vector<std::string>{part_}}, {"standing", is_standing_}, {"resumed", false}},
        *names_);
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
  std::string part_;
  const PlanNames* names_;
  bool is_standing_;
  std::unique_ptr<ViewOperator> wrapper_;
  bool arrived_{true};
  View unread_;
};

/// A metric that is divided between servers and front-end; process i is on server i modulo their number.
class DividedRun {
 public:
  DividedRun(const metrics::Definition& definition, const metrics::MeasurementChoice& choice,
             std::size_t servers, std::int64_t start_ns, const PlanNames& names, bool is_standing = false)
      : division_(divided(definition, choice)) {
    division_.server.start_ns = start_ns;
    const auto bytes = metrics::encode(division_.server);
    const std::string part(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (std::size_t i = 0; i < servers; ++i) servers_.emplace_back(part, names, is_standing);
    measurement_ = std::make_unique<metrics::Measurement>(division_.front_end, choice, names);
    measurement_->start(start_ns);
  }

  /// New events, at the servers of their processes.
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
    measurement_->take(all);
    if (metrics::deliver(all, {measurement_.get()}) > 0) throw std::runtime_error("a parcel was refused");
  }

  [[nodiscard]] std::vector<EvaluatingServer>& servers() { return servers_; }
  [[nodiscard]] metrics::Measurement& measurement() { return *measurement_; }
  /// Records that came to the front-end.
  [[nodiscard]] std::size_t records() const { return records_; }
  /// What came with the last pull.
  [[nodiscard]] std::size_t parcels() const { return parcels_; }

 private:
  static metrics::Division divided(const metrics::Definition& definition,
                                   const metrics::MeasurementChoice& choice) {
    auto made = metrics::divide(definition, choice.objects);
    if (const auto* const reason = std::get_if<metrics::Reason>(&made))
      throw std::runtime_error(std::string(to_string(*reason)));
    return std::get<metrics::Division>(std::move(made));
  }

  metrics::Division division_;
  std::vector<EvaluatingServer> servers_;
  std::unique_ptr<metrics::Measurement> measurement_;
  std::size_t records_{0};
  std::size_t parcels_{0};
};

/// A value as text, with all its digits.
inline std::string exactly(const metrics::Measurement::Value& value) {
  std::string text = fmt::format("{}", fmt::join(value.objects, "+"));
  if (value.virtual_time) text += fmt::format("@{}", *value.virtual_time);
  const auto& datum = value.datum;
  if (!datum.is_present()) return text + (datum.state == metrics::Datum::State::later ? "=later" : "=absent");
  if (datum.problem != metrics::Problem::none) return text + "=" + std::string(to_string(datum.problem));
  return text + fmt::format("={:.17g} at {}", datum.number, datum.time_ns);
}

}  // namespace eventspace::test

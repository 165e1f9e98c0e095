#include "scopes/metrics/distribution/metric_wrapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <eventspace/error.h>
#include "scopes/metrics/distribution/parts_description.h"
#include "scopes/metrics/distribution/server_evaluation.h"
#include "scopes/metrics/distribution/token_codec.h"
#include "scopes/metrics/distribution/token_news.h"
#include "scopes/metrics/evaluation/event_pass.h"
#include "scopes/tree/evaluation_number.h"
#include "scopes/tree/placing.h"
#include "scopes/tree/repeated_events.h"
#include "scopes/tree/view_news.h"

namespace eventspace {
namespace {

using metrics::ServerEvaluation;
using metrics::ServerPart;

class MetricOperator final : public ViewOperator {
 public:
  MetricOperator(const std::string& description, bool is_subscription, bool is_resumed,
                 const PlanNames& names)
      : is_subscription_(is_subscription) {
    const auto described = metrics::decode_description(std::as_bytes(std::span(description)));
    for (ServerPart& part : metrics::parts_of(described)) {
      if (is_resumed && part.start_ns == 0) part.start_ns = ServerPart::everything;
      evaluations_.push_back(
          std::make_unique<ServerEvaluation>(std::move(part), new_evaluation_number(), names));
    }
    told_.resize(evaluations_.size());
    std::vector<metrics::EventPass::Consumer> consumers;
    for (const auto& evaluation : evaluations_) consumers.push_back(evaluation->consumer());
    pass_.emplace(names, std::move(consumers));
  }

  void settle(bool arrived) override {
    if (arrived) repeated_.forget();
    if (!arrived) forget_told();
    for (const auto& evaluation : evaluations_) evaluation->settle(arrived);
  }

  void apply(View& view) override {
    view.loss.repeated += repeated_.drop_from(view.records);
    for (const auto& evaluation : evaluations_) evaluation->prepare(view);
    const auto events =
        pass_->take(view, [this](std::span<const TraceTuple> records) { repeated_.note(records); });
    for (const auto& evaluation : evaluations_) evaluation->take(view, events);
    // Counts loss as a filter in front of the front-end would, so that the numbers mean the same with both.
    view.loss.reduced += pass_->needed();
    view.loss.filtered += view.records.size() - pass_->needed();
    view.records.clear();
    for (ProcessReport& report : view.processes) report.in_flight.clear();
    send(view);
  }

 private:
  void send(View& view) {
    std::vector<metrics::Tokens> all;
    for (std::uint32_t i = 0; i < evaluations_.size(); ++i) all.push_back(evaluations_[i]->tokens(i));
    // A view with news of one metric has the tokens of all metrics, because its reports of processes concern
    // all.
    if (is_subscription_ && !has_news(view, all)) {
      view.processes.clear();
      return;
    }
    for (const metrics::Tokens& tokens : all)
      view.parcels.push_back({ViewParcel::Of::metric, encode(tokens)});
  }

  /// Whether there is something to send, which is then recorded as sent.
  bool has_news(const View& view, const std::vector<metrics::Tokens>& all) {
    bool is_new = told_of_views_.is_in(view);
    for (std::size_t i = 0; i < all.size(); ++i) is_new |= told_[i].is_in(all[i]);
    if (!is_new) return false;
    told_of_views_.note(view);
    for (std::size_t i = 0; i < all.size(); ++i) told_[i].note(all[i]);
    return true;
  }
  void forget_told() {
    told_of_views_.forget();
    for (metrics::TokenNews& told : told_) told.forget();
  }

  RepeatedEvents repeated_;
  std::vector<std::unique_ptr<ServerEvaluation>> evaluations_;
  std::optional<metrics::EventPass> pass_;  // for all of them
  const bool is_subscription_;
  // From the last view with news, in a subscription.
  std::vector<metrics::TokenNews> told_;
  ViewNews told_of_views_;
};

std::vector<ParameterSpec> parameters() {
  ParameterSpec metrics{"metrics", ParameterKind::text};
  metrics.required = true;
  metrics.help = "metrics and their objects, as `measure` sends them";
  ParameterSpec standing{"standing", ParameterKind::boolean, false};
  standing.help = "sends nothing while nothing has changed";
  ParameterSpec resumed{"resumed", ParameterKind::boolean, false};
  resumed.help = "set by the server: it reads on where another one ended";
  return {metrics, standing, resumed};
}

}  // namespace

ScopeWrapperInfo metric_wrapper() {
  return {"metric", "evaluates parts of metrics over the events of a node", true, parameters(),
          [](const Parameters& given, const PlanNames& names) {
            return std::make_unique<MetricOperator>(parameter<std::string>(given, "metrics"),
                                                    parameter<bool>(given, "standing"),
                                                    parameter<bool>(given, "resumed"), names);
          }};
}

namespace metrics {

void evaluate_at_servers(ScopeTree& tree, const PartsDescription& description) {
  const bool is_subscription = tree.look.count() > 0;
  put_where_read(tree, "metric", {{"metrics", text_of(description)}, {"standing", is_subscription}});
}

std::string text_of(const PartsDescription& description) {
  const auto bytes = encode(description);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace metrics
}  // namespace eventspace

#include "scopes/metrics/distribution/metric_wrapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "scopes/metrics/distribution/graph_codec.h"
#include "scopes/metrics/distribution/server_evaluation.h"
#include "scopes/metrics/distribution/token_codec.h"
#include "scopes/metrics/distribution/token_news.h"
#include "scopes/tree/view_events.h"
#include "scopes/tree/view_news.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

using metrics::ServerEvaluation;
using metrics::ServerPart;

/// A number that no other evaluation has, also not one of another server, or of this one's next run.
std::uint64_t new_number() {
  static std::atomic<std::uint64_t> last{(std::uint64_t{std::random_device()()} << 32) +
                                         std::random_device()()};
  return ++last;
}

/// Drops the events of a view that an earlier view had, which did not arrive. Not thread-safe.
class RepeatedEvents {
 public:
  void forget() { seen_.clear(); }

  /// Returns how many records were dropped.
  std::size_t drop_from(Records& records) {
    if (seen_.empty()) return 0;
    return keep_events(records, [this](std::span<const TraceTuple> event) {
      const RecordHeader header = header_of(event.back());
      const auto seen = seen_.find(element_of(header));
      // A process that was started anew counts from 1 again, and later.
      return seen == seen_.end() || header.sequence > seen->second.sequence || header.end > seen->second.end;
    });
  }

  void note(const Records& records) {
    std::uint64_t element = 0;  // the bits of the words that say which
    Last* last = nullptr;
    for (const TraceTuple& record : records) {
      if (record.words[4] == 0) continue;  // in flight
      const std::uint64_t of =
          (record.words[2] & ~std::uint64_t{0xffffffff}) | (record.words[3] >> 16 & 0xfff);
      if (last == nullptr || of != element) {
        last = &seen_[element_of(header_of(record))];
        element = of;
      }
      last->sequence = std::max(last->sequence, record.words[0]);
      last->end = std::max(last->end, record.words[4]);
    }
  }

 private:
  /// A trace element: its path, and the point on it.
  using Element = std::pair<std::uint32_t, std::uint16_t>;
  struct Last {
    std::uint64_t sequence{0};
    std::uint64_t end{0};
  };
  static Element element_of(const RecordHeader& header) noexcept { return {header.path, header.point}; }

  std::map<Element, Last> seen_;
};

class MetricOperator final : public ViewOperator {
 public:
  MetricOperator(const std::vector<std::string>& parts, bool is_standing, const PlanNames& names)
      : events_(names), is_standing_(is_standing), told_(parts.size()) {
    if (parts.size() > metrics::ServerPartBounds::metrics)
      throw ConfigurationError(fmt::format("{} metrics in one scope; a server takes {}", parts.size(),
                                           metrics::ServerPartBounds::metrics));
    for (const std::string& part : parts)
      evaluations_.push_back(std::make_unique<ServerEvaluation>(
          metrics::decode_server_part(std::as_bytes(std::span(part))), new_number(), names));
  }

  void settle(bool arrived) override {
    if (arrived) repeated_.forget();
    if (!arrived) forget_told();
    for (const auto& evaluation : evaluations_) evaluation->settle(arrived);
  }

  void apply(View& view) override {
    view.loss.repeated += repeated_.drop_from(view.records);
    repeated_.note(view.records);
    for (const auto& evaluation : evaluations_) evaluation->prepare(view);
    const auto needs = [this](const TraceTuple& record) {
      return std::ranges::any_of(evaluations_, [&](const auto& each) { return each->needs(record); });
    };
    const auto events = events_.in_order(
        view, needs, [this](const metrics::TimedEvents::Event& event, std::span<const TraceTuple> run) {
          return count_run(event, run);
        });
    for (const auto& evaluation : evaluations_) evaluation->take(view, events);
    view.loss.reduced += view.records.size();
    view.records.clear();
    for (ProcessReport& report : view.processes) report.in_flight.clear();
    send(view);
  }

 private:
  void send(View& view) {
    std::vector<metrics::Tokens> all;
    for (std::uint32_t i = 0; i < evaluations_.size(); ++i) all.push_back(evaluations_[i]->tokens(i));
    // A view with news of one metric has the tokens of all, because its reports of processes concern all.
    if (is_standing_ && !has_news(view, all)) {
      view.processes.clear();
      return;
    }
    for (const metrics::Tokens& tokens : all)
      view.parcels.push_back({ViewParcel::Of::metric, encode(tokens)});
  }

  /// Whether there is something to send, which then counts as told.
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

  /// Whether all that need the events could count them.
  bool count_run(const metrics::TimedEvents::Event& event, std::span<const TraceTuple> run) {
    const bool can_all = std::ranges::all_of(evaluations_, [&](const auto& each) {
      return !each->needs(*event.last) || each->can_count_run(event);
    });
    if (!can_all) return false;
    for (const auto& evaluation : evaluations_) {
      if (evaluation->needs(*event.last)) evaluation->count_run(event, run);
    }
    return true;
  }

  metrics::TimedEvents events_;
  RepeatedEvents repeated_;
  std::vector<std::unique_ptr<ServerEvaluation>> evaluations_;
  const bool is_standing_;
  // Of the last view with news, in a standing scope.
  std::vector<metrics::TokenNews> told_;
  ViewNews told_of_views_;
};

std::vector<ParameterSpec> parameters() {
  ParameterSpec parts{"parts", ParameterKind::texts};
  parts.required = true;
  parts.help = "parts of metrics, as `measure` sends them";
  ParameterSpec standing{"standing", ParameterKind::boolean, false};
  standing.help = "sends nothing while nothing has changed";
  return {parts, standing};
}

/// Whether the tree reads below `node` in the place where `node` runs.
bool reads_here(const ScopeNode& node) {
  if (node.wrapper == "read") return true;
  return std::ranges::any_of(
      node.children, [](const ScopeNode& child) { return child.endpoint.empty() && reads_here(child); });
}

void put_above(ScopeNode& node, const Parameters& given) {
  ScopeNode outer;
  outer.name = node.name;
  outer.wrapper = "metric";
  outer.parameters = given;
  outer.node = std::exchange(node.node, {});
  outer.endpoint = std::exchange(node.endpoint, {});
  outer.route = std::exchange(node.route, {});
  outer.timeout = std::exchange(node.timeout, {});
  outer.allowance = std::exchange(node.allowance, {});
  outer.ask_path = std::exchange(node.ask_path, {});
  outer.answer_path = std::exchange(node.answer_path, {});
  outer.children.push_back(std::move(node));
  node = std::move(outer);
}

/// `is_place`: whether the node begins a part that runs in a place of its own.
void put_on_parts(ScopeNode& node, const Parameters& given, bool is_place) {
  for (ScopeNode& child : node.children) put_on_parts(child, given, !child.endpoint.empty());
  if (is_place && reads_here(node)) put_above(node, given);
}

}  // namespace

ScopeWrapperInfo metric_wrapper() {
  return {"metric", "evaluates parts of metrics over the events of a node", true, parameters(),
          [](const Parameters& given, const PlanNames& names) {
            return std::make_unique<MetricOperator>(parameter<std::vector<std::string>>(given, "parts"),
                                                    parameter<bool>(given, "standing"), names);
          }};
}

namespace metrics {

void evaluate_at_servers(ScopeTree& tree, const std::vector<ServerPart>& parts) {
  std::vector<std::string> encoded;
  for (const ServerPart& part : parts) {
    const auto bytes = encode(part);
    encoded.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  const bool is_standing = tree.look.count() > 0;
  put_on_parts(tree.root, {{"parts", std::move(encoded)}, {"standing", is_standing}}, true);
}

std::size_t deliver(const View& view, const std::vector<Measurement*>& measurements) {
  std::size_t refused = 0;
  for (const ViewParcel& parcel : view.parcels) {
    const auto tokens = decode_tokens(parcel.body);
    if (tokens && tokens->metric < measurements.size())
      measurements[tokens->metric]->take(*tokens, view);
    else
      ++refused;
  }
  return refused;
}

}  // namespace metrics
}  // namespace eventspace

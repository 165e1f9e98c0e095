#include <fmt/format.h>

#include <numeric>

#include "monitors/top/figures.h"
#include "monitors/top/screen.h"

namespace eventspace::top {
namespace {

const char* answer_word(Answer answer) {
  switch (answer) {
    case Answer::answered:
      return "answers";
    case Answer::silent:
      return "no answer";
    case Answer::behind_gateway:
      return "not asked";
  }
  return "?";
}

class ServersScreen final : public Screen {
 public:
  [[nodiscard]] std::string name() const override { return "servers"; }
  [[nodiscard]] bool needs_servers() const override { return true; }

  [[nodiscard]] Page page(const State& state, const Context& context) const override {
    Page page;
    page.columns = {{"NODE", 10},
                    {"STATE", 9},
                    {"PING", 7, true, true, true},
                    {"PID", 8, true, true, false, 2},
                    {"REQ/S", 7, true, true, true},
                    {"REQUESTS", 9, true, true, true},
                    {"OPEN", 5, true, true, true},
                    {"PEERS", 6, true, true, true},
                    {"REFUSED", 8, true, true, true},
                    {"ENDPOINT", 26, false, false, false, 1}};
    page.when_empty = "polling the servers";
    for (const ServerState& server : state.servers) page.rows.push_back(row_of(server, context));
    return page;
  }

 private:
  static Row row_of(const ServerState& server, const Context& context) {
    const NodePlan& node = context.plan->nodes[NodeIndex(server.node)];
    const Answer answer = server.sample.answer;
    Row row;
    row.id = server.node;
    row.fields = {{node.name, static_cast<double>(server.node), Style::strong},
                  {answer_word(answer), static_cast<double>(answer),
                   answer == Answer::silent ? Style::bad : Style::plain}};
    if (server.sample.report) {
      add_report(server, row);
    } else {
      row.fields.resize(9, Field{"-"});
    }
    const std::string gateway =
        answer == Answer::behind_gateway
            ? " behind " + context.plan->nodes[*context.plan->clusters[*node.cluster].gateway].name
            : "";
    row.fields.push_back({node.endpoint() + gateway});
    return row;
  }

  static void add_report(const ServerState& server, Row& row) {
    const wire::ServerReport& report = *server.sample.report;
    const std::uint64_t refused = std::accumulate(report.refused.begin(), report.refused.end(),
                                                  report.handshakes_refused + report.undeliverable);
    row.fields.push_back(duration_field(server.sample.round_trip));
    row.fields.push_back({fmt::format("{}", report.pid), static_cast<double>(report.pid)});
    row.fields.push_back(rate_field(server.requests_per_second));
    row.fields.push_back(count_field(report.requests));
    row.fields.push_back(count_field(report.open_targets));
    row.fields.push_back(count_field(report.connections));
    row.fields.push_back(count_field(refused, refused > 0 ? Style::warning : Style::plain));
  }
};

}  // namespace

std::unique_ptr<Screen> servers_screen() { return std::make_unique<ServersScreen>(); }

}  // namespace eventspace::top

#include "monitors/web/documents/parts.h"

namespace eventspace::web {
namespace {

std::string_view word_of(top::Answer answer) {
  switch (answer) {
    case top::Answer::answered:
      return "answered";
    case top::Answer::silent:
      return "silent";
    case top::Answer::behind_gateway:
      return "behind a gateway";
  }
  return "";
}

}  // namespace

Json rates_part(const Looked& looked) {
  const top::State& state = *looked.state;
  return Json::object(
      {{"events_per_second", state.events_per_second ? Json(rounded(*state.events_per_second)) : Json()},
       {"kept_for_s", Json(seconds_of(state.kept_for))},
       {"kept_by", state.kept_for ? Json(looked.names->path_name(state.kept_by)) : Json()}});
}

Json losses_part(const Looked& looked) {
  const top::State& state = *looked.state;
  Json missing = Json::array();
  for (const Missing& part : state.missing) {
    missing.add(Json::object({{"what", part.what},
                              {"node", part.node},
                              {"cause", to_string(part.cause)},
                              {"detail", part.detail},
                              {"trace_elements", part.sources}}));
  }
  return Json::object({{"discarded", state.loss.discarded},
                       {"torn", state.loss.torn},
                       {"filtered", state.loss.filtered},
                       {"repeated", state.loss.repeated},
                       {"failed", state.loss.failed},
                       {"emptied", state.loss.emptied},
                       {"missing", std::move(missing)},
                       {"servers", state.servers_in_scope},
                       {"servers_silent", state.servers_silent},
                       {"pulls", state.pulls},
                       {"partial", state.partial}});
}

Json cost_part(const Looked& looked) {
  const top::WatchRates& watching = looked.state->watching;
  return Json::object({{"pulls_per_second", rounded(watching.pulls_per_second)},
                       {"pull_s", seconds_of(watching.pull)},
                       {"cpu_share", rounded(watching.cpu_share)},
                       {"bytes_per_second", rounded(watching.bytes_per_second)}});
}

Json servers_part(const Looked& looked) {
  if (!looked.plan->has_pathmap) return no_part("a session without a pathmap is read without servers");
  Json servers = Json::array();
  for (const top::ServerState& server : looked.state->servers) {
    const bool has_answered = server.sample.answer == top::Answer::answered;
    const auto& rate = server.requests_per_second;
    servers.add(
        Json::object({{"node", looked.plan->nodes[NodeIndex(server.node)].name},
                      {"answer", word_of(server.sample.answer)},
                      {"round_trip_s", has_answered ? Json(seconds_of(server.sample.round_trip)) : Json()},
                      {"requests_per_second", rate ? Json(rounded(*rate)) : Json()}}));
  }
  return Json::object({{"servers", std::move(servers)}});
}

}  // namespace eventspace::web

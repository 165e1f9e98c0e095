#include "pathmaps/sessions/open_paths.h"

#include <fmt/format.h>

#include <array>

#include "paths/bodies/element_bodies.h"
#include "paths/remote/remote_stage.h"
#include "paths/views/view.h"
#include "pathmaps/sessions/open_elements.h"
#include "pathmaps/sessions/session_server_start.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

constexpr std::uint32_t threshold = 200;  // the default of trace elements in pathmaps

}  // namespace

std::unique_ptr<Stage> OpenPaths::make(std::string_view name, const ElementConfig& element, const User& user) {
  check_element_name(name);
  check_element_name(element.name);
  RemoteTarget target;
  target.endpoint = require_session_server(config_.session);
  target.open.kind = open_element_target;
  target.open.spec = open_element_spec(element);
  target.node = "the session's server";
  target.answer_grace = user.links->network().limits().answer_grace;
  auto remote = std::make_unique<RemoteStage>(*user.links, std::move(target), std::make_unique<ElementClient>());
  return collect(name, std::move(remote), user);
}

// The name before the trace element: a reader that finds the trace element has its name.
std::unique_ptr<Stage> OpenPaths::collect(std::string_view name, std::unique_ptr<Stage> next, const User& user) {
  if (config_.segment == nullptr || !user.number) return next;
  const auto number = config_.numbers->take(*user.number + 1);
  if (!number) return next;
  const auto of = static_cast<std::uint16_t>(OwnNameOf::path);
  if (!config_.segment->add_name({of, *number, std::string(name)})) return next;
  const std::array spec{TraceSpec{made_plain(fmt::format("{}/{}", config_.process, name), segment_name_bytes - 1),
                                  *number, *number, *user.number, 0, threshold}};
  const auto index = config_.segment->add_traces(spec);
  if (!index) return next;
  const CollectorIdentity identity{*user.number, *number, no_peer, 0};
  return make_event_collector(std::move(next), config_.segment->writer(*index), identity, *user.recorded,
                              Clock::instance());
}

}  // namespace eventspace

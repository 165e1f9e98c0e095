#include "pathmaps/sessions/open_paths.h"

#include <fmt/format.h>
#include <unistd.h>

#include "pathmaps/sessions/open_elements.h"
#include "pathmaps/sessions/session_server_start.h"
#include "paths/bodies/element_bodies.h"
#include "paths/remote/remote_stage.h"
#include "paths/views/view.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

constexpr std::uint32_t threshold = 200;  // the default of trace elements in pathmaps

}  // namespace

OpenPaths::Made OpenPaths::make(std::string_view name, const ElementConfig& element, const User& user) {
  check_element_name(name);
  check_element_name(element.name);
  RemoteTarget target;
  target.endpoint = require_session_server(config_.session);
  // Until the path is used, and between its operations, the server may end or be killed.
  target.before_open = [session = config_.session] { (void)require_session_server(session); };
  target.open.kind = open_element_target;
  target.open.spec = open_element_spec(element);
  target.node = "the session's server";
  target.answer_grace = user.links->network().limits().answer_grace;
  auto remote =
      std::make_unique<RemoteStage>(*user.links, std::move(target), std::make_unique<ElementClient>());
  return collect(name, std::move(remote), user);
}

// Name first: a reader that finds the trace element has its name.
OpenPaths::Made OpenPaths::collect(std::string_view name, std::unique_ptr<Stage> next, const User& user) {
  if (config_.segment == nullptr || config_.traces == nullptr || !user.number) return {std::move(next)};
  const auto number = config_.numbers->take(*user.number + 1);
  if (number)
    config_.segment->add_name({static_cast<std::uint16_t>(OwnNameOf::path), *number, std::string(name)});
  const auto place = config_.traces->writer_for(
      {user.number, static_cast<std::int32_t>(::gettid()), true, ""},
      {number, made_plain(fmt::format("{}/{}", config_.process, name), segment_name_bytes - 1), threshold,
       true});
  if (!place) return {std::move(next)};
  const CollectorIdentity identity{place->thread, place->path, no_peer, 0};
  const Clock& clock = Clock::instance();
  if (place->shared != nullptr) {
    return {make_sharing_event_collector(std::move(next), *place->shared, identity, *user.recorded, clock),
            place->hold, place->index};
  }
  return {make_event_collector(std::move(next), place->writer, identity, *user.recorded, clock), place->hold,
          place->index};
}

}  // namespace eventspace

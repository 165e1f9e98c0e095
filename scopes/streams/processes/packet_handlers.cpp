#include "scopes/streams/processes/packet_handlers.h"

#include <exception>
#include <utility>

namespace eventspace::streams {

void PacketHandlers::set(std::optional<std::uint32_t> stream, Handle handle) {
  if (!stream) {
    of_others_ = std::move(handle);
  } else if (handle) {
    of_streams_[*stream] = std::move(handle);
  } else {
    of_streams_.erase(*stream);
  }
}

const PacketHandlers::Handle* PacketHandlers::find(std::uint32_t stream) const {
  if (is_internal_ && is_internal_(stream)) return nullptr;
  const auto own = of_streams_.find(stream);
  if (own != of_streams_.end()) return &own->second;
  return of_others_ ? &of_others_ : nullptr;
}

// A function may call the front-end, which calls this again: then the outer call continues.
bool PacketHandlers::hand_out() {
  constexpr int max_turns = 1000;
  if (handing_out_ || (of_streams_.empty() && !of_others_)) return false;
  std::erase_if(of_streams_, [this](const auto& one) { return !node_->streams().has_stream(one.first); });
  handing_out_ = true;
  int turns = 0;
  while (turns < max_turns && hand_out_one_of_each()) ++turns;
  handing_out_ = false;
  return turns > 0;
}

bool PacketHandlers::hand_out_one_of_each() {
  bool any = false;
  for (const std::uint32_t stream : node_->streams().with_packets()) {
    const Handle* const found = find(stream);
    if (found == nullptr) continue;
    const Handle handle = *found;  // the function may replace it
    const auto received = node_->streams().take(stream);
    if (!received) continue;
    any = true;
    call(handle, *received);
  }
  return any;
}

void PacketHandlers::call(const Handle& handle, const Received& received) const {
  try {
    handle(received);
  } catch (const std::exception& error) {
    tell_(received.stream, received.packet.wave, error.what());
  } catch (...) {
    tell_(received.stream, received.packet.wave, "an exception that is not a std::exception");
  }
}

}  // namespace eventspace::streams

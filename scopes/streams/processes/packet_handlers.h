#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "scopes/streams/node.h"

namespace eventspace::streams {

/// Functions of the user that receive packets as they come, instead of calls that wait for them: one for each
/// stream, and one for all others. They are called in turns by functions of the front-end or back-end, which
/// they may call themselves. If one throws, the error is reported, the packet is lost, and the network
/// continues. Used by one thread.
class PacketHandlers {
 public:
  using Handle = std::function<void(const Received& received)>;
  /// Reports that a function has thrown `why`, for the packet with this number.
  using Tell = std::function<void(std::uint32_t stream, std::uint64_t wave, const std::string& why)>;

  /// `node` must outlive this object.
  PacketHandlers(StreamNode& node, Tell tell) : node_(&node), tell_(std::move(tell)) {}

  /// Without a stream: for all streams without a function of their own. Null: packets are queued again.
  void set(std::optional<std::uint32_t> stream, Handle handle);
  /// Packets of internal streams are not for the user.
  void keep_from_user(std::function<bool(std::uint32_t stream)> is_internal) {
    is_internal_ = std::move(is_internal);
  }
  /// Passes queued packets to the functions, up to a limit if more arrive at the same time. Returns whether
  /// there were any.
  bool hand_out();

 private:
  [[nodiscard]] const Handle* find(std::uint32_t stream) const;
  bool hand_out_one_of_each();
  void call(const Handle& handle, const Received& received) const;

  StreamNode* node_;
  Tell tell_;
  std::function<bool(std::uint32_t)> is_internal_;
  std::map<std::uint32_t, Handle> of_streams_;
  Handle of_others_;
  bool handing_out_{false};
};

}  // namespace eventspace::streams

#pragma once

#include <cstdint>

#include "paths/wire/wire.h"

namespace eventspace {

/// Receives the messages of one open target that are not replies. Called while the link makes progress, by
/// the link's thread.
class LinkListener {
 public:
  /// Returns false if the message exceeds the grant; the link counts it as malformed.
  virtual bool on_push(Bytes body) = 0;
  /// The server has granted `up_to` messages in all.
  virtual void on_credit(std::uint64_t up_to) = 0;
  /// The connection was lost; the link has removed the listener.
  virtual void on_loss() = 0;

 protected:
  ~LinkListener() = default;
};

}  // namespace eventspace

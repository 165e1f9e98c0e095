#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "paths/stage.h"

namespace eventspace::bench {

/// A Redis stream as the place for records: XADD over a Unix socket, bounded as a trace element is. Runs a
/// server of its own, which keeps nothing on disk, and ends it on destruction.
class RedisPeer {
 public:
  RedisPeer();
  ~RedisPeer();
  RedisPeer(const RedisPeer&) = delete;
  RedisPeer& operator=(const RedisPeer&) = delete;

  /// Why it cannot run here; empty when it can.
  [[nodiscard]] const std::string& unavailable() const noexcept { return unavailable_; }
  void record(Stage& stage, Operation& operation, std::size_t times);

 private:
  class Server;
  std::unique_ptr<Server> server_;
  std::string unavailable_;
};

}  // namespace eventspace::bench

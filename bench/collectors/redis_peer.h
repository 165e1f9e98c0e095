#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <eventspace/stage.h>

namespace eventspace::bench {

/// A Redis stream as the store of records: XADD over a Unix socket, bounded like a trace element. Starts a
/// server that keeps nothing on disk; the destructor ends it.
class RedisPeer {
 public:
  RedisPeer();
  ~RedisPeer();
  RedisPeer(const RedisPeer&) = delete;
  RedisPeer& operator=(const RedisPeer&) = delete;

  /// Why it cannot run here; empty if it can.
  [[nodiscard]] const std::string& unavailable() const noexcept { return unavailable_; }
  void record(Stage& stage, Operation& operation, std::size_t times);

 private:
  class Server;
  std::unique_ptr<Server> server_;
  std::string unavailable_;
};

}  // namespace eventspace::bench

#include "bench/collectors/redis_peer.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include <eventspace/error.h>
#include "bench/collectors/recorded_path.h"
#include "bench/collectors/waiting.h"
#include "collectors/event_record.h"
#include "monitors/servers/child_process.h"

namespace eventspace::bench {

class RedisPeer::Server {
 public:
  // Not in the constructor, so that the destructor cleans up after a failure in the middle.
  void start() {
    std::filesystem::create_directories(directory_);
    const std::string socket = directory_ / "socket";
    process_ = ChildProcess::start({{"redis-server", "--port", "0", "--unixsocket", socket, "--save", "",
                                     "--appendonly", "no", "--dir", directory_.string()},
                                    {},
                                    directory_ / "log.txt",
                                    true});
    if (!eventually([&] { return connect(socket); })) throw EnvironmentError("the server does not answer");
  }
  ~Server() {
    connection_.reset();
    if (process_ && !process_->poll()) {
      process_->signal(SIGTERM);
      process_->wait();
    }
    std::error_code error;
    std::filesystem::remove_all(directory_, error);
  }
  Server() = default;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void add(const TraceTuple& tuple) {
    const std::string_view record(reinterpret_cast<const char*>(tuple.words.data()), sizeof tuple.words);
    auto* const reply = static_cast<redisReply*>(
        redisCommand(connection_.get(), "XADD trace MAXLEN ~ 200 * r %b", record.data(), record.size()));
    const bool added = reply != nullptr && reply->type == REDIS_REPLY_STRING;
    freeReplyObject(reply);
    if (!added) throw EnvironmentError("Redis did not take a record");
  }

 private:
  bool connect(const std::string& socket) {
    connection_.reset(redisConnectUnix(socket.c_str()));
    return connection_ != nullptr && connection_->err == 0;
  }

  const std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / fmt::format("eventspace-bench-redis-{}", ::getpid());
  std::optional<ChildProcess> process_;
  std::unique_ptr<redisContext, decltype(&redisFree)> connection_{nullptr, &redisFree};
};

RedisPeer::RedisPeer() {
  if (!is_measuring()) {
    unavailable_ = "peers that are programs of their own run only from scripts/bench";
    return;
  }
  try {
    server_ = std::make_unique<Server>();
    server_->start();
  } catch (const Error& error) {
    server_.reset();
    unavailable_ = fmt::format("Redis: {}", error.what());
  }
}
RedisPeer::~RedisPeer() = default;

void RedisPeer::record(Stage& stage, Operation& operation, std::size_t times) {
  for (std::size_t i = 0; i < times; ++i) {
    EventRecord event;
    event.start = Clock::instance().now();
    stage.call(operation);
    event.end = Clock::instance().now();
    event.parameter = operation.sequence;
    server_->add(encode(event));
  }
}

}  // namespace eventspace::bench

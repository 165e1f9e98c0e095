#include "monitors/web/http/server.h"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <thread>
#include <utility>

#include "monitors/web/http/connection.h"
#include "monitors/web/http/event_stream.h"
#include "monitors/web/http/gate.h"
#include "monitors/web/http/listener.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace::web {

// Members are destroyed before the members to which they refer.
struct Server::State {
  State(const ServerSettings& settings, Site& site)
      : hub{.limits = settings.limits},
        listener(context, settings, hub),
        gate(site, HostRules(listener.port(), settings.hosts), settings.limits) {
    hub.gate = &gate;
  }

  void pump_streams() {
    is_woken = false;  // before the feeds are asked: a later wake() must not be lost
    std::erase_if(hub.streams, [](const auto& stream) { return stream.expired(); });
    for (std::size_t i = 0; i < hub.streams.size(); ++i)
      if (const auto stream = hub.streams[i].lock()) stream->pump();
  }

  Hub hub;
  std::atomic<bool> is_woken{false};
  boost::asio::io_context context{1};
  Listener listener;
  Gate gate;
  std::thread thread;
};

Server::Server(const ServerSettings& settings, Site& site)
    : state_(std::make_unique<State>(settings, site)) {}

Server::~Server() { stop(); }

void Server::stop() {
  state_->context.stop();
  if (state_->thread.joinable()) state_->thread.join();
}

void Server::start() {
  state_->listener.start();
  state_->thread = start_library_thread([state = state_.get()] {
    const auto work = boost::asio::make_work_guard(state->context);
    state->context.run();
  });
}

void Server::wake() {
  if (state_->is_woken.exchange(true)) return;
  boost::asio::post(state_->context, [state = state_.get()] { state->pump_streams(); });
}

std::uint16_t Server::port() const noexcept { return state_->listener.port(); }

std::string Server::opening(Role role) const { return state_->gate.opening(role); }

}  // namespace eventspace::web

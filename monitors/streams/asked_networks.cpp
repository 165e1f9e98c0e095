#include "monitors/streams/asked_networks.h"

#include <memory>
#include <utility>

#include <eventspace/error.h>
#include "scopes/streams/processes/report_target.h"
#include "tuplespace/sockets/session_socket.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

/// A network that is being queried.
class AskedNetwork {
 public:
  AskedNetwork(const streams::AttachPoint& point, Deadline deadline)
      : found_{.name = point.network,
               .pid = SessionSocket(point.network, "0").holder().value_or(ProcessIdentity()).pid} {
    attempt([&] { question_ = std::make_unique<streams::FrontEndQuestion>(point, deadline); });
  }
  [[nodiscard]] FoundNetwork answer() {
    if (question_) attempt([this] { found_.report = question_->answer(); });
    return std::move(found_);
  }

 private:
  template <class Action>
  void attempt(Action action) {
    try {
      action();
    } catch (const Error& error) {
      found_.silence = escaped(error.what());
    }
  }

  FoundNetwork found_;
  std::unique_ptr<streams::FrontEndQuestion> question_;
};

}  // namespace

std::vector<FoundNetwork> ask_networks(const std::vector<streams::AttachPoint>& front_ends,
                                       Deadline deadline) {
  std::vector<AskedNetwork> asked;
  asked.reserve(front_ends.size());
  for (const streams::AttachPoint& point : front_ends) asked.emplace_back(point, deadline);
  std::vector<FoundNetwork> found;
  found.reserve(asked.size());
  for (AskedNetwork& one : asked) found.push_back(one.answer());
  return found;
}

}  // namespace eventspace

#include <eventspace/session_network.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/streams.h>
#include "scopes/streams/attaching/attach_lines.h"
#include "scopes/streams/attaching/session_places.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

using streams::AttachPoint;
using streams::BackEnd;
using streams::SessionPlaces;

std::string named_session(const std::string& given) {
  if (!given.empty()) return given;
  const char* const set = std::getenv("EVENTSPACE_SESSION");
  if (set != nullptr && *set != '\0') return set;
  throw ConfigurationError(
      "no session is named, and EVENTSPACE_SESSION is not set: a back-end attaches to the network of a "
      "session");
}

/// A back-end that searches for its place.
class Seeker {
 public:
  Seeker(std::string session, std::optional<RankSet::Rank> rank, std::string network)
      : session_(std::move(session)), rank_(rank), network_(std::move(network)) {}

  std::unique_ptr<BackEnd> seek(Deadline deadline) {
    constexpr std::chrono::milliseconds between_looks{20};
    while (true) {
      if (auto found = try_each(deadline)) return found;
      if (deadline.passed()) break;
      std::this_thread::sleep_for(std::min<Deadline::Clock::duration>(between_looks, deadline.left()));
    }
    throw EnvironmentError(fmt::format("no place for a back-end{} in the session '{}': {}",
                                       rank_ ? fmt::format(" of rank {}", *rank_) : "", escaped(session_),
                                       why_));
  }

 private:
  std::unique_ptr<BackEnd> try_each(Deadline deadline) {
    for (const AttachPoint& point : points()) {
      try {
        return std::make_unique<BackEnd>(point, deadline);
      } catch (const EnvironmentError& error) {  // the place is taken, or the network is just ending
        why_ = error.what();
      }
    }
    return nullptr;
  }

  std::vector<AttachPoint> points() {
    std::vector<SessionPlaces::Found> found = SessionPlaces::find(session_);
    if (!network_.empty()) std::erase_if(found, [this](const auto& one) { return one.network != network_; });
    if (found.size() > 1) {
      std::string names;
      for (const auto& one : found) names += (names.empty() ? "" : ", ") + one.network;
      throw ConfigurationError(fmt::format("the session '{}' has several networks of streams; name one of {}",
                                           escaped(session_), names));
    }
    if (found.empty()) {
      why_ = network_.empty() ? "no front-end has opened a network for it on this machine"
                              : fmt::format("it has no network '{}' on this machine", escaped(network_));
      return {};
    }
    auto points = streams::attach_points(found.front().text, rank_, "the places of a session");
    if (points.empty()) why_ = fmt::format("the network {} has no such rank here", found.front().network);
    return points;
  }

  std::string session_;
  std::optional<RankSet::Rank> rank_;
  std::string network_;
  std::string why_;
};

}  // namespace

std::unique_ptr<BackEnd> open_back_end(const std::string& session, std::optional<RankSet::Rank> rank,
                                       Deadline deadline, const std::string& network) {
  return Seeker(named_session(session), rank, network).seek(deadline);
}

}  // namespace eventspace

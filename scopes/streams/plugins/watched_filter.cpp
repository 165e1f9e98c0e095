#include "scopes/streams/plugins/watched_filter.h"

#include <fmt/format.h>

#include <iterator>
#include <stdexcept>
#include <utility>

#include <eventspace/extend.h>

namespace eventspace::streams {

struct WatchedFilter::Call {
  std::shared_ptr<Filter> filter;
  Work work;
  std::vector<Packet> out;
};

WatchedFilter::WatchedFilter(std::string name, std::unique_ptr<Filter> filter, std::chrono::nanoseconds limit)
    : name_(std::move(name)), filter_(std::move(filter)), limit_(limit) {}

bool WatchedFilter::is_back() {
  if (!is_late_) return true;
  if (!thread_.is_done()) return false;
  (void)thread_.take();  // the result of a wave that was reported as lost
  is_late_ = false;
  return true;
}

void WatchedFilter::run(Work work, std::vector<Packet>& out) {
  auto call = std::make_shared<Call>(Call{filter_, std::move(work), {}});
  thread_.start([call] { call->work(*call->filter, call->out); }, nullptr);
  if (!thread_.wait(Deadline::after(limit_))) {
    is_late_ = true;
    throw std::runtime_error(
        fmt::format("filter '{}' did not return within its limit of {}", name_, format_duration(limit_)));
  }
  const WatchedThread::Outcome outcome = thread_.take();
  if (outcome.failed) throw std::runtime_error(outcome.error);
  out.insert(out.end(), std::make_move_iterator(call->out.begin()), std::make_move_iterator(call->out.end()));
}

void WatchedFilter::catch_up(std::vector<Packet>& out) {
  while (!untold_.empty()) {
    const auto next = untold_.extract(untold_.begin());
    const Child child = next.key();
    if (next.mapped()) {
      told_.insert(child);
      run([child, ranks = *next.mapped()](Filter& filter,
                                          std::vector<Packet>&) { filter.join(child, ranks); },
          out);
    } else {
      told_.erase(child);
      run([child](Filter& filter, std::vector<Packet>& rest) { filter.leave(child, rest); }, out);
    }
  }
}

void WatchedFilter::apply(const Wave& wave, std::vector<Packet>& out) {
  if (!is_back())
    throw std::runtime_error(fmt::format("filter '{}' has not returned since an earlier wave", name_));
  catch_up(out);
  run([wave](Filter& filter, std::vector<Packet>& made) { filter.apply(wave, made); }, out);
}

void WatchedFilter::join(Child child, const RankSet& ranks) {
  untold_.insert_or_assign(child, ranks);
  std::vector<Packet> none;
  if (is_back()) catch_up(none);
}

void WatchedFilter::leave(Child child, std::vector<Packet>& out) {
  if (told_.contains(child)) {
    untold_.insert_or_assign(child, std::nullopt);
  } else {
    untold_.erase(child);
  }
  if (is_back()) catch_up(out);
}

}  // namespace eventspace::streams

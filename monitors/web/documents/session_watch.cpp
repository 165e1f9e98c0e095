#include "monitors/web/documents/session_watch.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "monitors/cli/faulty_pathmap.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace::web {
namespace {

Json verdict_unknown(const std::string& reason) {
  return Json::object({{"severity", "unknown"},
                       {"sentence", reason},
                       {"culprits", Json::array()},
                       {"text", Json::array({reason})}});
}

}  // namespace

SessionWatch::SessionWatch(WatchedSource source, When when, std::function<void()> on_change)
    : source_(std::move(source)),
      when_(when),
      document_(std::make_shared<Document>(std::move(on_change))),
      steering_(document_, source_.progress, [this] { wake(); }) {
  thread_ = start_library_thread([this] { run(); });
}

SessionWatch::~SessionWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::shared_ptr<Feed> SessionWatch::open(std::set<std::string> wanted) {
  auto feed = document_->open(std::move(wanted));
  wake();
  return feed;
}

void SessionWatch::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  changed_.notify_one();
}

bool SessionWatch::steer(Order order) {
  if (!is_recording_) return false;
  {
    const std::lock_guard lock(mutex_);
    constexpr std::size_t max_orders = 64;
    if (orders_.size() >= max_orders) orders_.erase(orders_.begin());
    orders_.push_back(std::move(order));
    is_woken_ = true;
  }
  changed_.notify_one();
  return true;
}

void SessionWatch::finish(std::chrono::nanoseconds patience) {
  std::unique_lock lock(mutex_);
  is_finishing_ = true;
  changed_.notify_one();
  finished_.wait_for(lock, patience, [this] { return has_finished_; });
}

void SessionWatch::run() {
  try_to_watch();
  const std::lock_guard lock(mutex_);
  has_finished_ = true;
  finished_.notify_all();
}

// Sessions that ended, and recordings that are still written, may be there later. A session that is about to
// begin may be short.
void SessionWatch::try_to_watch() {
  const std::chrono::milliseconds until_retry{source_.begins_soon ? 100 : 2000};
  do {
    const bool is_last = is_finishing();
    try {
      return watch();
    } catch (const std::exception& error) {
      steering_.end(error.what());
      source_.begins_soon && !was_found_ ? publish_unbegun(is_last) : publish_failure(error.what());
    }
    if (is_last) return;
  } while (wait(until_retry, false));
}

void SessionWatch::watch() {
  SessionLook look(source_);
  was_found_ = true;
  source_.found.reset();  // another look finds the session again
  is_recording_ = look.playback() != nullptr;
  steering_.begin(look.watched(), look.interval());
  bool is_last = false;
  do {
    is_last = is_finishing();
    take_orders(look);
    publish(look, is_last);
  } while (!is_last && wait(look.pause(), look.stands_still()));
  steering_.end("the session has ended");
}

bool SessionWatch::is_finishing() {
  const std::lock_guard lock(mutex_);
  return is_finishing_;
}

void SessionWatch::take_orders(SessionLook& look) {
  std::vector<Order> orders;
  {
    const std::lock_guard lock(mutex_);
    orders.swap(orders_);
  }
  if (const auto interval = steering_.interval()) look.set_interval(*interval);
  if (look.playback() == nullptr) return;
  for (const Order& order : orders) order(*look.playback());
}

// The last look has all parts, since pages may ask for them later.
void SessionWatch::publish(SessionLook& look, bool is_last) {
  WantedParts wanted = document_->wanted();
  wanted.last = is_last;
  const Looked looked =
      look.look({.servers = wanted.has("servers"), .collectives = wanted.has("collectives")});
  happenings_.observe(looked, look.at_s());
  for (const std::string& text : steering_.take_log()) happenings_.add_order(text, look.at_s());
  Document::Parts measured = look.measure(wanted);
  for (const RaisedAlert& alert : look.take_alerts()) happenings_.add_alert(alert.text(), look.at_s());
  Document::Parts parts{{"about", about_part(look.about(), looked)},
                        {"clock", look.clock()},
                        {"names", names_part(looked)},
                        {"verdict", verdict_part(looked)},
                        {"waits", wait_part(looked)},
                        {"rates", rates_part(looked)},
                        {"losses", losses_part(looked)},
                        {"cost", cost_part(looked)},
                        {"log", happenings_.part()},
                        {"servers", servers_part(looked)},
                        {"collectives", collective_part(looked)}};
  for (auto& part : thread_parts(looked)) parts.push_back(std::move(part));
  for (auto& part : look.read_events(wanted)) parts.push_back(std::move(part));
  for (auto& part : measured) parts.push_back(std::move(part));
  for (auto& part : look.map(looked, wanted)) parts.push_back(std::move(part));
  document_->publish(parts);
  if (wanted.has("steering")) steering_.observe(looked);
  if (is_last) {
    // First, because pages take a part that comes after the end for the session's return.
    steering_.end("the session has ended");
    return document_->end(sentence_of(looked).text);
  }
  if (look.playback() == nullptr) note_end(looked, look.at_s());
}

// A job may follow another, so the end counts only after the time of a stall.
void SessionWatch::note_end(const Looked& looked, double at_s) {
  if (!looked.state->health.has_ended()) {
    ended_at_s_.reset();
    return document_->come_back();
  }
  if (!ended_at_s_) ended_at_s_ = at_s;
  if (at_s - *ended_at_s_ >= seconds_of(source_.pace.stall)) document_->end(sentence_of(looked).text);
}

void SessionWatch::publish_failure(const std::string& reason) {
  document_->publish({{"verdict", verdict_unknown(reason)}});
  document_->end(reason);
}

void SessionWatch::publish_unbegun(bool is_last) {
  const std::string reason = is_last ? "no process of the application has recorded anything"
                                     : "no process of the application has begun to record yet";
  document_->publish({{"verdict", verdict_unknown(reason)}});
  if (is_last) document_->end(reason);
}

// Returns false when the watch is over. Without a page, the session is not polled.
bool SessionWatch::wait(std::chrono::nanoseconds pause, bool stands_still) {
  std::unique_lock lock(mutex_);
  const auto is_called = [this] { return is_over_ || is_woken_ || is_finishing_; };
  if (stands_still) {
    changed_.wait(lock, is_called);
  } else {
    changed_.wait_for(lock, pause, is_called);
  }
  const auto may_look = [this] {
    return is_over_ || is_finishing_ || when_ == When::always || document_->pages() > 0;
  };
  while (!may_look()) changed_.wait(lock);
  is_woken_ = false;
  return !is_over_;
}

}  // namespace eventspace::web

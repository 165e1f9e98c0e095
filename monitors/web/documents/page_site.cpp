#include "monitors/web/documents/page_site.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tuplespace/parsing/number_in.h"

namespace eventspace::web {
namespace {

Answer refuse(unsigned status, std::string_view reason) {
  return {.status = status, .body = share(no_part(reason).dump() + "\n")};
}

Answer text_of(const Json& value) { return {.body = share(value.dump() + "\n")}; }

/// Takes the first word of a path, "0" of "0/stream".
std::string_view take_word(std::string_view& path) {
  const auto slash = std::min(path.find('/'), path.size());
  const std::string_view word = path.substr(0, slash);
  path.remove_prefix(std::min(slash + 1, path.size()));
  return word;
}

std::set<std::string> words_in(const std::string& list) {
  std::set<std::string> words;
  std::string_view rest = list;
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    if (comma > 0) words.emplace(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return words;
}

/// The number in a body such as {"speed": 2}; nullopt if it has none.
std::optional<double> number_of(const std::string& body, const char* name) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains(name) || !json[name].is_number()) return std::nullopt;
  return json[name].get<double>();
}

std::chrono::nanoseconds duration_of(double seconds) {
  constexpr double max_seconds = 9e9;  // within the range of nanoseconds
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.0, max_seconds) * 1e9));
}

/// The order that a request gives; nullopt if its body is not valid. Unknown orders are empty.
std::optional<SessionWatch::Order> order_of(std::string_view what, const std::string& body) {
  if (what == "play") return [](top::Playback& playback) { playback.play(true); };
  if (what == "pause") return [](top::Playback& playback) { playback.play(false); };
  if (what == "speed") {
    const auto speed = number_of(body, "speed");
    if (!speed || !(*speed > 0)) return std::nullopt;
    return [speed = *speed](top::Playback& playback) { playback.set_speed(speed); };
  }
  if (what == "seek") {
    const auto position = number_of(body, "position");
    if (!position) return std::nullopt;
    return [position = duration_of(*position)](top::Playback& playback) { playback.seek(position); };
  }
  return SessionWatch::Order();
}

}  // namespace

PageSite::PageSite(std::string version, SessionWatch::When when, std::function<void()> on_change)
    : version_(std::move(version)), when_(when), on_change_(std::move(on_change)) {}

PageSite::~PageSite() = default;

void PageSite::offer(const std::vector<OfferedSession>& sessions) {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : entries_) entry->is_gone = true;
  for (const OfferedSession& session : sessions) {
    const auto found = std::ranges::find_if(
        entries_, [&](const auto& entry) { return entry->session.name == session.name; });
    constexpr std::size_t max_entries = 1024;
    if (found != entries_.end()) {
      (*found)->session = session;
      (*found)->is_gone = false;
    } else if (entries_.size() < max_entries) {
      entries_.push_back(std::make_unique<Entry>(Entry{session}));
    }
  }
}

Answer PageSite::answer(const Request& request) {
  std::string_view path = request.path;
  path.remove_prefix(std::string_view("/api/").size());
  const std::string_view word = take_word(path);
  if (word == "s") return of_session(path, request);
  if (request.is_post || !path.empty()) return refuse(404, "there is nothing at this address");
  if (word == "me") {
    return text_of(
        Json::object({{"role", to_string(request.role)}, {"token", request.token}, {"version", version_}}));
  }
  if (word == "sessions") return list();
  return refuse(404, "there is nothing at this address");
}

void PageSite::watch_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : entries_) (void)watch_of(*entry);
}

// Without the lock, which the server's thread needs. Entries are never removed.
void PageSite::finish(std::chrono::nanoseconds patience) {
  std::vector<SessionWatch*> watches;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& entry : entries_)
      if (entry->watch) watches.push_back(entry->watch.get());
  }
  for (SessionWatch* const watch : watches) watch->finish(patience);
}

Answer PageSite::list() {
  is_asked_ = true;
  const std::lock_guard lock(mutex_);
  Json sessions = Json::array();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = *entries_[i];
    sessions.add(Json::object({{"id", std::to_string(i)},
                               {"name", entry.session.name},
                               {"kind", entry.session.kind},
                               {"state", entry.is_gone ? "gone" : entry.session.state}}));
  }
  return text_of(sessions);
}

Answer PageSite::of_session(std::string_view rest, const Request& request) {
  const auto number = number_in<std::size_t>(take_word(rest));
  const std::lock_guard lock(mutex_);
  if (!number || *number >= entries_.size()) return refuse(404, "there is no such session");
  const std::string_view what = take_word(rest);
  if (what == "q" && !request.is_post) return ask(*entries_[*number], rest, request);
  SessionWatch& watch = watch_of(*entries_[*number]);
  if (request.is_post)
    return what == "do" ? steer(watch, rest, request) : refuse(404, "only do/NAME can be posted");
  if (what == "stream" && rest.empty()) {
    const std::string* const parts = request.parameter("parts");
    return {.type = "text/event-stream",
            .feed = watch.open(parts != nullptr ? words_in(*parts) : std::set<std::string>())};
  }
  if (what == "parts" && rest.empty()) return {.body = share(watch.document().text() + "\n")};
  return refuse(404, "there is nothing at this address");
}

SessionWatch& PageSite::watch_of(Entry& entry) {
  if (entry.watch == nullptr)
    entry.watch = std::make_unique<SessionWatch>(entry.session.source, when_, on_change_);
  return *entry.watch;
}

Answer PageSite::ask(Entry& entry, std::string_view what, const Request& request) {
  if (what == "variants") return watch_of(entry).steering().variants(request);
  if (entry.timeline == nullptr) {
    const WatchedSource& source = entry.session.source;
    entry.timeline = std::make_unique<TimelineDesk>([named = source.named, session = source.session] {
      return find_watched(named, session, Recordings::accepted);
    });
  }
  auto answer = entry.timeline->ask(what, request);
  return answer ? *std::move(answer)
                : refuse(404, "there is no such question; known: timeline, event, find, variants");
}

Answer PageSite::steer(SessionWatch& watch, std::string_view what, const Request& request) {
  if (is_steering_order(what)) return watch.steering().order(what, request.body);
  auto order = order_of(what, request.body);
  if (!order)
    return refuse(400, "the body must have the number, as in {\"speed\": 2} or {\"position\": 1.5}");
  if (!*order)
    return refuse(404,
                  "there is no such order; known: play, pause, speed, seek, collecting, interval, scope");
  if (!watch.steer(*std::move(order))) return refuse(409, "only a recording can be played");
  return text_of(Json::object());
}

}  // namespace eventspace::web

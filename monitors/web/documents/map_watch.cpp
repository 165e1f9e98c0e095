#include "monitors/web/documents/map_watch.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include <eventspace/error.h>
#include "monitors/drawing/graph_layout.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace::web {
namespace {

constexpr std::chrono::milliseconds patience_with_elements{100};
constexpr std::chrono::milliseconds patience_with_silent{10};
constexpr std::chrono::milliseconds rates_over{
    900};  // looks can follow each other at once, when a page opens

}  // namespace

MapWatch::MapWatch(std::shared_ptr<const Plan> plan, std::string session, ScopeTree watched, LayOut lay_out,
                   std::chrono::milliseconds patience_at_end)
    : plan_(std::move(plan)),
      session_(std::move(session)),
      watched_(std::move(watched)),
      lay_out_(std::move(lay_out)),
      patience_at_end_(patience_at_end) {
  if (lay_out_) return;
  lay_out_ = [this](const std::string& dot) {
    return lay_out_graph(dot, max_layout_time, [this] { return is_over_.load(); });
  };
}

MapWatch::~MapWatch() {
  is_over_ = true;
  if (thread_.joinable()) thread_.join();
}

Document::Parts MapWatch::read(const Looked& looked, const WantedParts& wanted, Timeline::Time now) {
  Document::Parts parts;
  is_awaited_ = wanted.has("map") && plan_->has_pathmap && !is_drawn(wanted.last) && !wanted.last;
  if (wanted.has("map") && !is_awaited_) {
    if (auto map = map_of(looked, wanted.last)) parts.emplace_back("map", std::move(*map));
  }
  if (!wanted.has("map_rates"))
    answers_.clear();  // rates over the time without a page would look like those of now
  else
    parts.emplace_back("map_rates", map_rates_part(looked, watched_, ask_elements(now)));
  return parts;
}

void MapWatch::draw() {
  MapPicture picture{.detail = "nodes"};
  try {
    picture = draw_plan_map(*plan_, lay_out_);
  } catch (const std::exception& error) {
    picture.note = fmt::format("the map could not be drawn: {}", error.what());
  }
  const std::lock_guard lock(mutex_);
  picture_ = std::move(picture);
  drawn_.notify_all();
}

bool MapWatch::is_drawn(bool is_last) {
  if (!thread_.joinable()) thread_ = start_library_thread([this] { draw(); });
  std::unique_lock lock(mutex_);
  const auto is_there = [this] { return picture_.has_value(); };
  return is_last ? drawn_.wait_for(lock, patience_at_end_, is_there) : is_there();
}

MapPicture MapWatch::picture_of(const std::vector<MapNode>& nodes, bool is_last) {
  if (!plan_->has_pathmap) return draw_place_map(nodes);
  if (!is_last || is_drawn(false)) return *picture_;
  return draw_plan_map(*plan_, [](const std::string&) -> GraphLayout {
    throw EnvironmentError("Graphviz had not laid out the map when the session ended");
  });
}

// The map changes only with the threads, whose positions in the part "names" it has.
std::optional<Json> MapWatch::map_of(const Looked& looked, bool is_last) {
  Shown now{{}, nodes_of(looked)};
  for (const top::ThreadState& thread : looked.state->threads) now.threads.push_back(thread.health.thread);
  if (shown_ == now) return std::nullopt;
  if (now.threads.empty() && !plan_->has_pathmap) return no_part("no thread has started yet");
  const MapPicture picture = picture_of(now.nodes, is_last);
  shown_ = std::move(now);
  return map_part(picture, looked, watched_);
}

// Only of plans: other elements are not drawn. Without an answer, the next look asks again.
std::vector<ElementRow> MapWatch::ask_elements(Timeline::Time now) {
  if (session_.empty() || !plan_->has_pathmap || plan_->elements.empty()) return {};
  try {
    if (asker_ == nullptr) {
      users_ = users_in(*plan_);
      asker_ = std::make_unique<ElementAsker>(plan_, session_);
    }
    auto answers = asker_->ask(patience_with_elements, patience_with_silent);
    auto rows = element_rows(*plan_, users_, answers, answers_, now - asked_);
    if (now - asked_ >= rates_over) {
      answers_ = std::move(answers);
      asked_ = now;
    }
    return rows;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace eventspace::web

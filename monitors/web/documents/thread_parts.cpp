#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "monitors/text/text_format.h"
#include "monitors/web/documents/parts.h"

namespace eventspace::web {
namespace {

/// The columns of one block. Texts are listed once, because most threads of a program do the same.
class Block {
 public:
  Block(std::size_t first, const PlanNames& names) : first_(first), names_(&names) {}

  void add(const top::ThreadState& thread) {
    const ThreadHealth& health = thread.health;
    states_ += letter_of(health.verdict);
    for_s_.add(Json(seconds_of(health.in_flight ? health.in_flight_for : health.silent_for)));
    const auto& event = health.in_flight ? health.in_flight : health.last;
    calls_.add(event ? Json(index_of(describe_operation(*event, *names_))) : Json());
    in_flight_ += health.in_flight ? '1' : '0';
    const auto& rate = thread.rate.per_second;
    rates_.add(rate ? Json(rounded(*rate)) : Json());
    cpu_.add(thread.cpu_share ? Json(rounded(*thread.cpu_share)) : Json());
    waiting_.add(thread.waiting);
  }

  [[nodiscard]] std::pair<std::string, Json> part() && {
    Json texts = Json::array();
    for (const std::string& text : texts_) texts.add(text);
    return {fmt::format("threads/{}", first_ / threads_in_block),
            Json::object({{"first", first_},
                          {"state", states_},
                          {"for_s", std::move(for_s_)},
                          {"call", std::move(calls_)},
                          {"in_flight", in_flight_},
                          {"texts", std::move(texts)},
                          {"rate", std::move(rates_)},
                          {"cpu", std::move(cpu_)},
                          {"waiting", std::move(waiting_)}})};
  }

 private:
  std::size_t index_of(const std::string& text) {
    const auto [at, is_new] = indexes_.emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return at->second;
  }

  std::size_t first_;
  const PlanNames* names_;
  std::string states_, in_flight_;
  std::vector<std::string> texts_;
  std::map<std::string, std::size_t> indexes_;
  Json for_s_{Json::array()}, calls_{Json::array()}, rates_{Json::array()}, cpu_{Json::array()},
      waiting_{Json::array()};
};

}  // namespace

Document::Parts thread_parts(const Looked& looked) {
  const auto& threads = looked.state->threads;
  Document::Parts parts;
  // A session has a first block even before its first thread.
  for (std::size_t first = 0; first == 0 || first < threads.size(); first += threads_in_block) {
    Block block(first, *looked.names);
    const std::size_t end = std::min(first + threads_in_block, threads.size());
    for (std::size_t i = first; i < end; ++i) block.add(threads[i]);
    parts.push_back(std::move(block).part());
  }
  return parts;
}

char letter_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::running:
      return 'R';
    case Verdict::not_started:
      return 'N';
    case Verdict::ended:
      return 'E';
    case Verdict::not_collected:
      return 'O';
    case Verdict::waiting:
      return 'W';
    case Verdict::apart:
      return 'A';
    case Verdict::stuck:
      return 'S';
    case Verdict::computing:
      return 'C';
    case Verdict::blocked:
      return 'B';
    case Verdict::silent:
      return 'Q';
    case Verdict::stopped:
      return 'T';
    case Verdict::dead:
      return 'D';
    case Verdict::unreachable:
      return 'U';
  }
  return '?';
}

}  // namespace eventspace::web

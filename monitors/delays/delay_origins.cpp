#include "monitors/delays/delay_origins.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace eventspace {
namespace {

double ns_between(const Moment& a, const Moment& b) noexcept { return static_cast<double>(between(a, b).ns); }

}  // namespace

void DelayOrigins::expect(std::uint64_t channel, std::size_t givers) { channels_[channel].givers = givers; }

void DelayOrigins::add(const DelayStep& step) {
  Thread* const thread = thread_of(step.thread);
  if (thread == nullptr) return;
  thread->kept.push_back(step);
  ++kept_;
  run(step.thread);
  while (kept_ > limits_.steps) give_up_first(std::numeric_limits<std::int64_t>::max());
}

void DelayOrigins::give_up(const Moment& before) {
  while (give_up_first(before.ns)) {
  }
}

void DelayOrigins::give_up_all() {
  while (give_up_first(std::numeric_limits<std::int64_t>::max())) {
  }
}

void DelayOrigins::fade(double keep) {
  for (auto& [thread, sum] : sums_)
    for (double* const value : {&sum.observed, &sum.waited, &sum.lost, &sum.cost, &sum.waits, &sum.direct})
      *value *= keep;
  for (auto& [thread, sum] : sums_) sum.squares *= keep * keep;
}

DelayOrigins::Thread* DelayOrigins::thread_of(std::uint32_t number) {
  if (threads_.size() >= limits_.threads && !threads_.contains(number)) {
    ++left_out_;
    return nullptr;
  }
  sums_.try_emplace(number);
  return &threads_[number];
}

// --- the order of steps ---------------------------------------------------------------------------------

// Processes the kept steps of `first`, and of the threads that this lets continue.
void DelayOrigins::run(std::uint32_t first) {
  std::vector<std::uint32_t> woken{first};
  while (!woken.empty()) {
    const std::uint32_t number = woken.back();
    woken.pop_back();
    Thread& thread = threads_.at(number);
    while (!thread.kept.empty() && advance(number, thread, woken)) {
    }
  }
}

bool DelayOrigins::advance(std::uint32_t number, Thread& thread, std::vector<std::uint32_t>& woken) {
  const DelayStep step = thread.kept.front();
  if (must_wait(step)) {
    waiting_[*step.awaits].insert(number);
    return false;
  }
  thread.kept.pop_front();
  --kept_;
  perform(step, thread, woken);
  return true;
}

bool DelayOrigins::must_wait(const DelayStep& step) const {
  if (!step.awaits || step.waits_for_unknown || is_missing(*step.awaits)) return false;
  const auto signal = signals_.find(*step.awaits);
  const auto channel = channels_.find(step.awaits->channel);
  const std::size_t givers = channel == channels_.end() ? 1 : channel->second.givers;
  return signal == signals_.end() || signal->second.given.size() < givers;
}

// The only thread that gives on the channel has already given a later signal.
bool DelayOrigins::is_missing(const DelaySignal& signal) const {
  const auto known = channels_.find(signal.channel);
  if (known == channels_.end() || signals_.contains(signal)) return false;
  const Channel& channel = known->second;
  return channel.givers == 1 && channel.only_giver && !channel.has_several && channel.newest >= signal.number;
}

// A cause precedes its effect, so the earliest kept step is given up first.
bool DelayOrigins::give_up_first(std::int64_t before_ns) {
  auto first = threads_.end();
  for (auto thread = threads_.begin(); thread != threads_.end(); ++thread) {
    if (thread->second.kept.empty()) continue;
    if (first == threads_.end() || thread->second.kept.front().end.ns < first->second.kept.front().end.ns)
      first = thread;
  }
  if (first == threads_.end() || first->second.kept.front().end.ns >= before_ns) return false;
  DelayStep& step = first->second.kept.front();
  if (step.awaits) {
    const auto waiting = waiting_.find(*step.awaits);
    if (waiting != waiting_.end() && waiting->second.erase(first->first) > 0 && waiting->second.empty())
      waiting_.erase(waiting);
  }
  step.waits_for_unknown = true;
  run(first->first);
  return true;
}

// --- one step ---------------------------------------------------------------------------------------------

void DelayOrigins::perform(const DelayStep& step, Thread& thread, std::vector<std::uint32_t>& woken) {
  if (!thread.now) thread.now = State{.at = step.begin};
  State& now = *thread.now;
  if (step.follows_gap) ++now.gaps;
  sums_[step.thread].observed += std::max(ns_between(now.at, step.end), 0.0);
  now.at = step.begin;
  wait_in(step, now);
  now.at = step.end;
  if (step.gives) give(step, now, woken);
}

void DelayOrigins::wait_in(const DelayStep& step, State& now) {
  if (step.waits_for_unknown) return lose(step.thread, now, ns_between(step.begin, step.end));
  if (!step.awaits) return;
  const auto signal = signals_.find(*step.awaits);
  if (signal == signals_.end()) return lose(step.thread, now, ns_between(step.begin, step.end));
  take(step, now, signal->second);
  const Channel& channel = channels_[step.awaits->channel];
  const bool is_over =
      channel.givers == 1 ? step.is_last_to_await : ++signal->second.awaited >= channel.givers;
  if (is_over) signals_.erase(signal);
}

void DelayOrigins::lose(std::uint32_t thread, State& now, double ns) {
  if (!(ns > 0)) return;
  now.waited += ns;
  now.origins.add(OriginShares::unknown, ns);
  sums_[thread].lost += ns;
}

void DelayOrigins::take(const DelayStep& step, State& now, Signal& signal) {
  const Given& last = *std::ranges::max_element(
      signal.given, [](const Given& a, const Given& b) { return between(a.state->at, b.state->at).ns > 0; });
  Difference wait = between(step.begin, last.state->at);
  wait.ns = std::min(wait.ns, between(step.begin, step.end).ns);
  if (last.thread != step.thread && wait.ns > 0) {
    if (wait.ns <= wait.error_ns) {
      ++unclear_;
    } else {
      const auto ns = static_cast<double>(wait.ns);
      const OriginShares shares = share_of(step, now, last, ns);
      now.waited += ns;
      for (const auto& [origin, part] : shares.entries()) now.origins.add(origin, part);
      count(step.thread, shares, ns);
      if (observe_) observe_(step, shares);
    }
  }
  now.at = step.end;
  remember(step, now, signal);
}

// On a channel with several givers, the two threads last met when both last took part.
const DelayOrigins::Pair* DelayOrigins::last_time(const DelayStep& step, const Given& last,
                                                  Pair& of_several) const {
  const std::uint64_t channel = step.awaits->channel;
  const auto find = [&](std::uint32_t taker, std::uint32_t giver) {
    const auto found = pairs_.find({channel, taker, giver});
    return found == pairs_.end() ? nullptr : &found->second;
  };
  if (channels_.at(channel).givers == 1) return find(step.thread, last.thread);
  const Pair* const here = find(step.thread, step.thread);
  if (here == nullptr || here->taker == nullptr || last.before == nullptr) return nullptr;
  of_several = {here->taker, last.before};
  return &of_several;
}

OriginShares DelayOrigins::share_of(const DelayStep& step, const State& now, const Given& last, double wait) {
  OriginShares share;
  Pair of_several;
  const Pair* const before = last_time(step, last, of_several);
  if (before == nullptr || before->taker->gaps != now.gaps || before->giver->gaps != last.state->gaps) {
    share.add(before == nullptr ? OriginShares::earlier : OriginShares::unknown, wait);
    return share;
  }
  const double through = last.state->waited - before->giver->waited;
  const double worked = ns_between(before->giver->at, last.state->at) - through;
  const double worked_here = ns_between(before->taker->at, step.begin) - (now.waited - before->taker->waited);
  const double own = std::max(worked - worked_here, 0.0);
  if (!(own + through > 0)) {
    share.add(last.thread, wait);
    return share;
  }
  note_piece(last, before->giver->at, wait * own / (own + through));
  share.add(last.thread, wait * own / (own + through));
  const OriginShares beyond = last.state->origins.since(before->giver->origins);
  const double all = beyond.all();
  for (const auto& [origin, ns] : beyond.entries())
    share.add(origin, wait * through / (own + through) * ns / all);
  return share;
}

// Several threads may wait for one piece of work, such as both neighbours in a ring.
void DelayOrigins::note_piece(const Given& last, const Moment& before, double ns) {
  Piece& piece = pieces_[last.thread];
  const bool is_same =
      piece.cost > 0 && 2 * ns_between(piece.at, last.state->at) < ns_between(before, last.state->at);
  if (!is_same) piece = {last.state->at};
  Sum& sum = sums_[last.thread];
  sum.squares += (piece.cost + ns) * (piece.cost + ns) - piece.cost * piece.cost;
  sum.direct += ns;
  piece.cost += ns;
}

// Waiting that began with the thread itself, such as for an answer to a late request, is not a cost to other
// threads.
void DelayOrigins::count(std::uint32_t thread, const OriginShares& shares, double wait) {
  Sum& own = sums_[thread];
  std::optional<OriginShares::Entry> largest;
  for (const auto& entry : shares.entries()) {
    const auto& [origin, ns] = entry;
    if (origin == thread || origin == OriginShares::earlier) continue;
    if (origin == OriginShares::unknown) {
      own.lost += ns;
      continue;
    }
    own.waited += ns;
    sums_[origin].cost += ns;
    if (!largest || ns > largest->second) largest = entry;
  }
  if (largest && largest->second * 2 >= wait) sums_[largest->first].waits += 1;
}

void DelayOrigins::remember(const DelayStep& step, const State& now, const Signal& signal) {
  const auto here = std::make_shared<const State>(now);
  const std::uint64_t channel = step.awaits->channel;
  if (channels_[channel].givers == 1)
    return keep_pair({channel, step.thread, signal.given.front().thread}, {here, signal.given.front().state});
  const PairKey key{channel, step.thread, step.thread};
  const auto known = pairs_.find(key);
  keep_pair(key, {here, known == pairs_.end() ? nullptr : known->second.giver});
}

void DelayOrigins::keep_pair(const PairKey& key, Pair pair) {
  if (pairs_.size() >= limits_.pairs && !pairs_.contains(key)) {
    ++left_out_;
    return;
  }
  pairs_[key] = std::move(pair);
}

// --- signals -------------------------------------------------------------------------------------------

void DelayOrigins::give(const DelayStep& step, const State& now, std::vector<std::uint32_t>& woken) {
  const DelaySignal& signal = *step.gives;
  Channel& channel = channels_[signal.channel];
  channel.has_several |= channel.only_giver.value_or(step.thread) != step.thread;
  channel.only_giver = step.thread;
  channel.newest = std::max(channel.newest, signal.number);
  const auto [known, is_new] = signals_.try_emplace(signal);
  if (is_new) order_.push_back(signal);
  const auto state = std::make_shared<const State>(now);
  known->second.given.push_back({step.thread, state});
  if (channel.givers > 1) {
    const PairKey key{signal.channel, step.thread, step.thread};
    const auto pair = pairs_.find(key);
    if (pair != pairs_.end()) known->second.given.back().before = pair->second.giver;
    keep_pair(key, {pair == pairs_.end() ? nullptr : pair->second.taker, state});
    if (known->second.given.size() < channel.givers) return forget_signals();
  }
  // On a channel with one giver, also wakes threads that wait for earlier signals, which will never be given.
  const auto first = waiting_.lower_bound({signal.channel, channel.givers == 1 ? 0 : signal.number});
  const auto last = waiting_.upper_bound(signal);
  for (auto waiting = first; waiting != last; ++waiting)
    woken.insert(woken.end(), waiting->second.begin(), waiting->second.end());
  waiting_.erase(first, last);
  forget_signals();
}

void DelayOrigins::forget_signals() {
  while (signals_.size() > limits_.signals || order_.size() > 4 * limits_.signals) {
    signals_.erase(order_.front());
    order_.pop_front();
  }
}

}  // namespace eventspace

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/web/documents/parts.h"

namespace eventspace::web {

/// The log of a session while it was watched, from the differences between looks: stalls and their
/// ends, processes that joined and ended, servers that went and came back, losses. Keeps the last `most`.
/// Does no I/O. Not thread-safe.
class Happenings {
 public:
  static constexpr std::size_t max_kept = 200;

  void observe(const Looked& looked, double at_s);
  void add_alert(const std::string& text, double at_s);
  /// What an order of an owner did.
  void add_order(const std::string& text, double at_s);
  /// The part "log": oldest first.
  [[nodiscard]] Json part() const;

 private:
  struct Happening {
    double at_s{0};
    std::string_view kind;  ///< "stall", "late", "recovered", "joined", "ended", "loss", "missing",
                            ///< "returned", "alert" or "order"
    std::string text;
    std::vector<std::string> threads;
  };

  void observe_health(const Looked& looked, double at_s);
  void observe_threads(const Looked& looked, double at_s);
  void observe_missing(const Looked& looked, double at_s);
  void observe_loss(const Looked& looked, double at_s);
  void add(Happening happening);

  std::deque<Happening> kept_;
  bool is_first_{true};
  std::string severity_;
  std::set<std::string> blamed_;
  std::map<std::uint32_t, bool> has_ended_;  // by thread that was seen
  std::set<std::string> missing_;
  Loss loss_;
};

}  // namespace eventspace::web

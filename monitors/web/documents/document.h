#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "monitors/text/json.h"
#include "monitors/web/http/site.h"

namespace eventspace::web {

/// The parts that the pages of a session show now.
struct WantedParts {
  bool all{false};   ///< but of "calls_of" and "flows" only those that are named
  bool last{false};  ///< all, as pages may ask for them after the last look
  std::set<std::string> names{};

  [[nodiscard]] bool has(std::string_view part) const;
  /// The numbers N of the names "PREFIX/N".
  [[nodiscard]] std::vector<std::size_t> numbers(std::string_view prefix) const;
  friend bool operator==(const WantedParts&, const WantedParts&) = default;
};

/// What pages see of a session: named parts, each a JSON value with a version. A change of several parts is
/// visible at once or not at all. Each text is encoded once and shared by all pages; a page gets the parts
/// that changed since it was last sent some, so one that is slow skips versions. Thread-safe.
///
///     sampler --- publish() ---> parts --- Feed::take() ---> server, for each page
class Document : public std::enable_shared_from_this<Document> {
 public:
  using Parts = std::vector<std::pair<std::string, Json>>;

  /// `on_change` is called after each change, without a lock; may be empty.
  explicit Document(std::function<void()> on_change = {}) : on_change_(std::move(on_change)) {}

  /// Replaces the parts with these names. A part whose text is the same keeps its version.
  void publish(const Parts& parts);
  /// Sends all pages one event: the session has ended, with the reason; until the next call of come_back().
  void end(const std::string& reason);
  void come_back();

  /// Opens a feed of the parts that `wanted` names; empty: of all. A name also stands for the parts below it:
  /// "threads" for "threads/0" and "threads/1". The document lives as long as its feeds.
  std::shared_ptr<Feed> open(std::set<std::string> wanted);
  /// The number of open feeds, and the parts that they want.
  [[nodiscard]] std::size_t pages() const;
  [[nodiscard]] WantedParts wanted() const;

  /// All parts: {"NAME": {"version": N, "value": ...}}, as text.
  [[nodiscard]] std::string text() const;

 private:
  struct Part {
    std::uint64_t version{0};
    std::string value;
    SharedText event{};
  };
  class PartFeed;

  std::function<void()> on_change_;
  mutable std::mutex mutex_;  // guards all below
  std::map<std::string, Part> parts_;
  Part gone_;  // version 0: the session has not ended
  std::uint64_t version_{0};
  std::vector<const PartFeed*> feeds_;
};

}  // namespace eventspace::web

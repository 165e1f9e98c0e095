#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/web/http/limits.h"
#include "monitors/web/http/site.h"

namespace eventspace::web {

/// The cookies that the server has given to browsers. A cookie expires some time after its last use; when the
/// table is full, the least recently used one goes. Reads no clock. Not thread-safe.
class CookieTable {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Entry {
    std::string cookie;  ///< a secret
    std::string token;   ///< the token against forged requests that belongs to it
    Role role{Role::observer};
    Time used;
  };

  explicit CookieTable(const Limits& limits) noexcept : limits_(limits) {}

  /// Makes a cookie and returns its entry, which is valid until the next call.
  const Entry& add(Role role, Time now);
  /// Finds a cookie that has not expired, and notes that it was used; null if there is none. Valid until the
  /// next call of add().
  const Entry* use(std::string_view cookie, Time now);
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  void drop_expired(Time now);

  Limits limits_;
  std::vector<Entry> entries_;
};

}  // namespace eventspace::web

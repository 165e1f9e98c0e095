#include "monitors/web/http/cookie_table.h"

#include <algorithm>

#include "monitors/web/http/secret.h"

namespace eventspace::web {

void CookieTable::drop_expired(Time now) {
  std::erase_if(entries_, [&](const Entry& entry) { return now - entry.used > limits_.cookie_time; });
}

const CookieTable::Entry& CookieTable::add(Role role, Time now) {
  drop_expired(now);
  if (entries_.size() >= limits_.cookies)
    entries_.erase(std::ranges::min_element(entries_, {}, &Entry::used));
  return entries_.emplace_back(Entry{make_secret(), make_secret(), role, now});
}

const CookieTable::Entry* CookieTable::use(std::string_view cookie, Time now) {
  drop_expired(now);
  Entry* found = nullptr;
  // Compares with all entries, so that the time does not reveal which one is similar.
  for (Entry& entry : entries_)
    if (equal_secrets(entry.cookie, cookie)) found = &entry;
  if (found != nullptr) found->used = now;
  return found;
}

}  // namespace eventspace::web

#include "pathmaps/reading/join.h"

#include <fmt/format.h>

#include <algorithm>

#include "pathmaps/reading/keys.h"

namespace eventspace::reading {

namespace {

const Key* find_key(const Shape& shape, std::string_view name) {
  const auto found = std::ranges::find(shape.keys, name, &Key::name);
  return found == shape.keys.end() ? nullptr : &*found;
}

class Joiner {
 public:
  Joiner(Document& document, Faults& faults) : document_(document), faults_(faults) {}

  const Value& sections(const Value& first, const Value& second, const Shape& shape) {
    Value joined = second;
    for (const auto& entry : first.entries) {
      const auto same = std::ranges::find(joined.entries, entry.key, &Entry::key);
      if (same == joined.entries.end()) {
        joined.entries.push_back(entry);
      } else {
        same->value = &values(entry, *same, find_key(shape, entry.key));
      }
    }
    return document_.add(std::move(joined));
  }

 private:
  const Value& values(const Entry& first, const Entry& second, const Key* key) {
    // Without a common kind there is nothing to join; the reader reports the value that is wrong.
    if (key == nullptr || first.value->kind != second.value->kind) return *second.value;
    switch (key->join) {
      case Join::append:
        return lists(*first.value, *second.value);
      case Join::names:
        return names(*first.value, *second.value);
      case Join::sections:
        return sections(*first.value, *second.value, *key->inner);
      case Join::replace:
        break;
    }
    return *second.value;
  }

  const Value& lists(const Value& first, const Value& second) {
    Value joined = first;
    joined.items.insert(joined.items.end(), second.items.begin(), second.items.end());
    return document_.add(std::move(joined));
  }

  const Value& names(const Value& first, const Value& second) {
    Value joined = first;
    for (const auto& entry : second.entries) {
      const auto same = std::ranges::find(first.entries, entry.key, &Entry::key);
      if (same == first.entries.end()) {
        joined.entries.push_back(entry);
        continue;
      }
      faults_.add(entry.place, fmt::format("duplicate name '{}'; first given in {}", entry.key,
                                           faults_.describe(same->place, entry.place)));
    }
    return document_.add(std::move(joined));
  }

  Document& document_;
  Faults& faults_;
};

}  // namespace

const Value& join(const Value& fragment, const Value& file, Document& document, Faults& faults) {
  return Joiner(document, faults).sections(fragment, file, pathmap_shape);
}

}  // namespace eventspace::reading

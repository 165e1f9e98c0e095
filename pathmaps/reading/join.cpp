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
    if (second.value->kind == Value::Kind::null) return *first.value;
    if (key == nullptr || key->join == Join::replace || first.value->kind == Value::Kind::null)
      return *second.value;
    if (key->join == Join::append) return lists(*first.value, *second.value);
    if (!check_mapping(first) || !check_mapping(second)) return *second.value;
    return key->join == Join::names ? names(*first.value, *second.value)
                                    : sections(*first.value, *second.value, *key->inner);
  }

  bool check_mapping(const Entry& entry) {
    if (entry.value->kind == Value::Kind::mapping) return true;
    faults_.add(entry.value->place,
                fmt::format("found {} for '{}'; expected a mapping", describe(*entry.value), entry.key));
    return false;
  }

  const Value& lists(const Value& first, const Value& second) {
    Value joined;
    joined.kind = Value::Kind::sequence;
    joined.place = first.place;
    for (const auto* part : {&first, &second}) {
      // A single word is a list with one item.
      const auto items = part->kind == Value::Kind::sequence ? part->items : std::vector<const Value*>{part};
      joined.items.insert(joined.items.end(), items.begin(), items.end());
    }
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

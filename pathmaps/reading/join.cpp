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
  Joiner(Document& document, Faults& faults, bool may_override)
      : document_(document), faults_(faults), may_override_(may_override) {}

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
    return key->join == Join::sections ? sections(*first.value, *second.value, *key->inner)
                                       : names(*first.value, *second.value, *key);
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

  const Value& names(const Value& first, const Value& second, const Key& key) {
    Value joined = first;
    for (const auto& entry : second.entries) {
      const auto same = std::ranges::find(joined.entries, entry.key, &Entry::key);
      if (same == joined.entries.end()) {
        joined.entries.push_back(entry);
      } else if (!may_override_) {
        faults_.add(entry.place, fmt::format("duplicate name '{}'; first given in {}; files that are "
                                             "included side by side cannot override each other",
                                             entry.key, faults_.describe(same->place, entry.place)));
      } else if (is_none(*entry.value)) {
        joined.entries.erase(same);
      } else {
        *same = {entry.key, entry.place, &overridden(*same->value, *entry.value, key)};
      }
    }
    return document_.add(std::move(joined));
  }

  static bool is_none(const Value& value) {
    return value.kind == Value::Kind::scalar && !value.quoted && value.text == "none";
  }

  const Value& overridden(const Value& first, const Value& second, const Key& key) {
    if (second.kind == Value::Kind::null) return first;
    const bool both_are_mappings = first.kind == Value::Kind::mapping && second.kind == Value::Kind::mapping;
    return key.join == Join::settings && both_are_mappings ? sections(first, second, *key.inner) : second;
  }

  Document& document_;
  Faults& faults_;
  bool may_override_;
};

}  // namespace

const Value& join(const Value& fragment, const Value& file, Document& document, Faults& faults) {
  return Joiner(document, faults, true).sections(fragment, file, pathmap_shape);
}

const Value& join_neighbours(const Value& first, const Value& second, Document& document, Faults& faults) {
  return Joiner(document, faults, false).sections(first, second, pathmap_shape);
}

}  // namespace eventspace::reading

#include "pathmaps/hosting/path_target.h"

#include <fmt/format.h>

#include <eventspace/error.h>
#include "tuplespace/system/plain_text.h"

namespace eventspace {

std::vector<std::byte> path_spec(PathIndex path, std::uint64_t fingerprint, std::string_view session) {
  const Tuple spec =
      Tuple::of({static_cast<std::int64_t>(path.number()), static_cast<std::int64_t>(fingerprint), session});
  return {spec.encoded().begin(), spec.encoded().end()};
}

PathIndex path_of_spec(Bytes spec, const Plan& plan, std::string_view session) {
  const Tuple tuple = Tuple::decode(spec);
  if (!tuple.has_signature({FieldType::integer, FieldType::integer, FieldType::text}))
    throw ConfigurationError("a path is opened with two numbers and a session");
  const PathIndex path(static_cast<std::size_t>(tuple.get<std::int64_t>(0)));
  if (static_cast<std::uint64_t>(tuple.get<std::int64_t>(1)) != plan.fingerprint) {
    throw ConfigurationError("the other process uses another version of the pathmap; restart all processes");
  }
  if (tuple.get<std::string_view>(2) != session) {
    throw ConfigurationError(
        fmt::format("found a process of session '{}'; this port belongs to session '{}': give the sessions "
                    "different ports, or keys",
                    escaped(std::string(tuple.get<std::string_view>(2))), session));
  }
  if (!plan.paths.has(path)) throw ConfigurationError(fmt::format("unknown path number {}", path.number()));
  return path;
}

}  // namespace eventspace

#pragma once

#include <array>
#include <span>
#include <string_view>

namespace eventspace::reading {

struct Shape;

/// The rule for a key that both a file and a fragment included by it contain.
///
/// `whole` and `settings` are mappings from names. The value of a name in the including file wins, and the
/// word `none` as its value removes the name. A name in two files of one `include` list is a fault, because
/// neither of them includes the other.
enum class Join {
  replace,   ///< the value in the including file replaces the other
  append,    ///< both are lists; the fragment's items come first
  sections,  ///< both are mappings of the shape `inner`, joined key by key
  whole,     ///< the including file's value of a name replaces the fragment's value
  settings   ///< the values of a name have the shape `inner` and are joined key by key
};

struct Key {
  std::string_view name;
  bool required{false};
  Join join{Join::replace};
  const Shape* inner{nullptr};
};

/// The allowed keys of one kind of mapping in a pathmap. The shapes below define the language of pathmaps:
/// Mapping asserts that no other key is read, and pathmap.schema.json has a definition with the same name for
/// each shape (a test compares them).
struct Shape {
  std::string_view name;
  std::span<const Key> keys;
};

namespace keys {
inline constexpr std::array limits{Key{"message"}, Key{"open_targets"}, Key{"connections"}, Key{"lease"},
                                   Key{"keep"}};
inline constexpr std::array node{Key{"host"}, Key{"port"}, Key{"launch"}, Key{"priority"}};
inline constexpr std::array node_group{Key{"gateway"}, Key{"nodes", true}};
inline constexpr std::array element{Key{"name", true}, Key{"for"},       Key{"tuple", true},
                                    Key{"threshold"},  Key{"when_full"}, Key{"max_tuple"}};
inline constexpr std::array path{Key{"thread", true}, Key{"name", true}, Key{"element", true}, Key{"use"},
                                 Key{"stages"}};
inline constexpr std::array stage_rule{Key{"threads"}, Key{"paths"}, Key{"wrappers", true}};
inline constexpr std::array collective{Key{"kind", true}, Key{"threads", true}, Key{"root"},  Key{"tuple"},
                                       Key{"combine"},    Key{"path"},          Key{"levels"}};
inline constexpr std::array joint_level{Key{"group", true}, Key{"on"}, Key{"arity"}};
inline constexpr std::array process{Key{"node", true}, Key{"port"}, Key{"threads", true}};
inline constexpr std::array element_rule{Key{"elements", true}, Key{"with"}, Key{"process"}, Key{"node"},
                                         Key{"shared"}};
inline constexpr std::array point{Key{"threads"},   Key{"paths"}, Key{"at", true},
                                  Key{"threshold"}, Key{"in"},    Key{"add"}};
inline constexpr std::array annex{Key{"directory"}, Key{"keep"}};
inline constexpr std::array exception{Key{"threads"}, Key{"paths"}, Key{"at"}};
inline constexpr std::array scope{
    Key{"threads"}, Key{"paths"}, Key{"at"},      Key{"except"},  Key{"read"},   Key{"since"},
    Key{"batch"},   Key{"most"},  Key{"timeout"}, Key{"direct"},  Key{"levels"}, Key{"shape"},
    Key{"wrapper"}, Key{"tree"},  Key{"of"},      Key{"collect"}, Key{"probes"}, Key{"unplanned"}};
inline constexpr std::array own_paths{Key{"at"}, Key{"threshold"}, Key{"consumer"}};
inline constexpr std::array level{Key{"group", true}, Key{"on"},      Key{"wrapper"},
                                  Key{"wrappers"},    Key{"timeout"}, Key{"ask"},
                                  Key{"late"},        Key{"arity"},   Key{"spread"}};
inline constexpr std::array k_ary{Key{"k-ary", true}};
inline constexpr std::array tree_node{Key{"name", true}, Key{"on", true}, Key{"wrapper"},
                                      Key{"wrappers"},   Key{"timeout"},  Key{"ask"},
                                      Key{"late"},       Key{"children"}, Key{"sources"}};
inline constexpr std::array sources{Key{"threads"}, Key{"paths"}, Key{"at"}};
inline constexpr std::array wrapper_library{Key{"library", true}, Key{"limit"}};
inline constexpr std::array asking{Key{"threads", true}};
inline constexpr std::array lateness{Key{"skip", true}};
}  // namespace keys

inline constexpr Shape limits_shape{"limits", keys::limits};
inline constexpr Shape node_shape{"node", keys::node};
inline constexpr Shape node_group_shape{"node_group", keys::node_group};
inline constexpr Shape element_shape{"element", keys::element};
inline constexpr Shape path_shape{"path", keys::path};
inline constexpr Shape stage_rule_shape{"stage_rule", keys::stage_rule};
inline constexpr Shape collective_shape{"collective", keys::collective};
inline constexpr Shape joint_level_shape{"joint_level", keys::joint_level};
inline constexpr Shape process_shape{"process", keys::process};
inline constexpr Shape element_rule_shape{"element_rule", keys::element_rule};
inline constexpr Shape point_shape{"point", keys::point};
inline constexpr Shape annex_shape{"annex", keys::annex};
inline constexpr Shape exception_shape{"exception", keys::exception};
inline constexpr Shape scope_shape{"scope", keys::scope};
inline constexpr Shape own_paths_shape{"own_paths", keys::own_paths};
inline constexpr Shape level_shape{"level", keys::level};
inline constexpr Shape k_ary_shape{"k_ary", keys::k_ary};
inline constexpr Shape tree_node_shape{"tree_node", keys::tree_node};
inline constexpr Shape sources_shape{"sources", keys::sources};
inline constexpr Shape wrapper_library_shape{"wrapper_library", keys::wrapper_library};
inline constexpr Shape asking_shape{"asking", keys::asking};
inline constexpr Shape lateness_shape{"lateness", keys::lateness};

namespace keys {
inline constexpr std::array cluster{Key{"nodes", true, Join::settings, &node_shape},
                                    Key{"clusters", false, Join::settings, &node_group_shape}};
inline constexpr std::array application{Key{"command"},
                                        Key{"threads", true, Join::append},
                                        Key{"elements", false, Join::append},
                                        Key{"paths", false, Join::append},
                                        Key{"generate", false, Join::append},
                                        Key{"collectives", false, Join::whole},
                                        Key{"stages", false, Join::append}};
inline constexpr std::array placement{Key{"processes", true, Join::settings, &process_shape},
                                      Key{"elements", false, Join::append}};
inline constexpr std::array collect{Key{"enabled"}, Key{"threshold"}, Key{"stamps"},
                                    Key{"annexes", false, Join::settings, &annex_shape},
                                    Key{"points", false, Join::append}};
}  // namespace keys

inline constexpr Shape cluster_shape{"cluster", keys::cluster};
inline constexpr Shape application_shape{"application", keys::application};
inline constexpr Shape placement_shape{"placement", keys::placement};
inline constexpr Shape collect_shape{"collect", keys::collect};

namespace keys {
inline constexpr std::array pathmap{Key{"pathmap", true},
                                    Key{"include"},
                                    Key{"name", true},
                                    Key{"security"},
                                    Key{"priority"},
                                    Key{"limits", false, Join::sections, &limits_shape},
                                    Key{"cluster", true, Join::sections, &cluster_shape},
                                    Key{"application", true, Join::sections, &application_shape},
                                    Key{"placement", true, Join::sections, &placement_shape},
                                    Key{"collect", false, Join::sections, &collect_shape},
                                    Key{"wrappers", false, Join::settings, &wrapper_library_shape},
                                    Key{"scopes", false, Join::whole}};
}  // namespace keys

inline constexpr Shape pathmap_shape{"pathmap", keys::pathmap};

inline constexpr std::array all_shapes{&pathmap_shape,
                                       &limits_shape,
                                       &cluster_shape,
                                       &node_shape,
                                       &node_group_shape,
                                       &application_shape,
                                       &element_shape,
                                       &path_shape,
                                       &stage_rule_shape,
                                       &placement_shape,
                                       &process_shape,
                                       &element_rule_shape,
                                       &collect_shape,
                                       &point_shape,
                                       &scope_shape,
                                       &exception_shape,
                                       &level_shape,
                                       &k_ary_shape,
                                       &tree_node_shape,
                                       &sources_shape,
                                       &asking_shape,
                                       &lateness_shape,
                                       &wrapper_library_shape,
                                       &collective_shape,
                                       &joint_level_shape,
                                       &own_paths_shape,
                                       &annex_shape};

/// Top-level keys with this prefix are ignored, so that users can define YAML anchors under them.
inline constexpr std::string_view private_prefix = "x-";
/// One of these keys, which whole_pathmap writes: the names of scopes that it has left out
/// (Plan::scopes_left_out).
inline constexpr std::string_view left_out_key = "x-scopes-left-out";

}  // namespace eventspace::reading

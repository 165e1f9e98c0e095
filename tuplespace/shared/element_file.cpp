#include "tuplespace/shared/element_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

#include <eventspace/error.h>
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/shared/element_file_layout.h"
#include "tuplespace/shared/element_home.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

using namespace element_file_layout;

void require_possible(const SharedElementSpec& spec) {
  const Element kind(spec.config);  // throws if the configuration is invalid
  if (spec.config.threshold > SharedElement::max_threshold)
    throw ConfigurationError(fmt::format("element '{}': threshold {}; it must be {} or less",
                                         spec.config.name, spec.config.threshold,
                                         SharedElement::max_threshold));
  if (spec.room < SharedElement::min_room || spec.room > SharedElement::max_room)
    throw ConfigurationError(fmt::format("element '{}': room for {} bytes; allowed: {} to {}",
                                         spec.config.name, spec.room, SharedElement::min_room,
                                         SharedElement::max_room));
}

void require_possible(const ElementFile::Config& config) {
  if (config.elements.size() > max_elements)
    throw ConfigurationError(
        fmt::format("{} shared elements in one process; allowed: {}", config.elements.size(), max_elements));
  std::set<std::string_view> names;
  for (const SharedElementSpec& spec : config.elements) {
    require_possible(spec);
    if (!names.insert(spec.config.name).second)
      throw ConfigurationError(fmt::format("element '{}' exists already", spec.config.name));
  }
}

Entry make_entry(const SharedElementSpec& spec, std::uint64_t offset) {
  Entry entry{};
  entry.offset = offset;
  entry.room = spec.room;
  entry.threshold = spec.config.threshold;
  entry.max_tuple_bytes = spec.config.max_tuple_bytes;
  entry.when_full = static_cast<std::uint8_t>(spec.config.when_full);
  for (const FieldType type : spec.config.signature.fields())
    entry.fields[entry.field_count++] = static_cast<std::uint8_t>(type);
  copy_text(entry.name, spec.config.name, "element");
  return entry;
}

std::vector<Entry> make_directory(const std::vector<SharedElementSpec>& specs) {
  std::vector<Entry> directory;
  std::uint64_t offset = elements_offset(specs.size());
  for (const SharedElementSpec& spec : specs) {
    directory.push_back(make_entry(spec, offset));
    offset += SharedElement::bytes(spec.config, spec.room);
  }
  return directory;
}

std::uint64_t total_bytes(const ElementFile::Config& config) {
  std::uint64_t total = elements_offset(config.elements.size());
  for (const SharedElementSpec& spec : config.elements) total += SharedElement::bytes(spec.config, spec.room);
  return total;
}

Header make_header(const ElementFile::Config& config, std::uint64_t bytes) {
  Header header{};
  header.magic = magic;
  header.layout_version = layout_version;
  header.byte_order = byte_order_mark;
  header.total_bytes = bytes;
  header.fingerprint = config.identity.fingerprint;
  header.pid = ::getpid();
  header.process_start_ticks = own_start_ticks();
  header.origin = own_origin();
  header.created_realtime_ns =
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  header.element_count = static_cast<std::uint32_t>(config.elements.size());
  copy_text(header.session, config.identity.session, "session");
  copy_text(header.node, config.identity.node, "node");
  copy_text(header.process, config.identity.process, "process");
  return header;
}

}  // namespace

ElementFile::ElementFile(const Config& config) {
  require_possible(config);
  const std::uint64_t bytes = total_bytes(config);
  Header header = make_header(config, bytes);
  const std::vector<Entry> directory = make_directory(config.elements);
  const std::filesystem::path file =
      config.directory / session_files::own_name(config.identity, session_files::element_file_suffix);
  FileDraft draft(file, bytes, "element file");
  header.origin.has_lock = draft.is_locked() ? 1 : 0;
  header.checksum = checksum(header, std::as_bytes(std::span(directory)));
  {
    // The memory after the directory is zero, which is the initial state of every element.
    const Mapping mapping(draft.handle(), directory_offset + directory.size() * sizeof(Entry), true, file);
    std::memcpy(mapping.data(), &header, sizeof header);
    if (!directory.empty())
      std::memcpy(mapping.data() + directory_offset, directory.data(), directory.size() * sizeof(Entry));
  }
  file_ = std::make_unique<PublishedFile>(draft.publish());
  // Opened like the file of any other process, so its own process also checks it.
  view_ = std::make_unique<ElementFileView>(file);
}

ElementFile::~ElementFile() {
  if (file_->belongs_to_this_process()) view_->end();  // otherwise this is a copy in a forked child
}

}  // namespace eventspace

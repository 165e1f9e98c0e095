#include <fmt/format.h>

#include <cstring>
#include <map>

#include <eventspace/error.h>
#include "tuplespace/shared/element_file.h"
#include "tuplespace/shared/element_file_layout.h"
#include "tuplespace/shared/element_home.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {

using namespace element_file_layout;

namespace element_file_layout {

std::uint64_t checksum(Header header, std::span<const std::byte> directory) noexcept {
  header.checksum = 0;
  return checksum_of(checksum_of(checksum_seed, std::as_bytes(std::span(&header, 1))), directory);
}

}  // namespace element_file_layout

struct ElementFileView::State {
  std::filesystem::path file;
  Mapping mapping;
  Header header{};
  SegmentIdentity identity;
  std::unique_ptr<ElementHome> home;
  std::vector<SharedElement> elements;
  std::map<std::string_view, SharedElement*> by_name;

  explicit State(const std::filesystem::path& path) : file(path) {
    open();
    check_header();
    identity = {std::string(text_in(header.session)), std::string(text_in(header.node)),
                std::string(text_in(header.process)), header.fingerprint};
    auto& lifecycle = *reinterpret_cast<Lifecycle*>(mapping.data() + sizeof(Header));
    home = std::make_unique<ElementHome>(
        identity.process, ProcessIdentity{header.pid, header.process_start_ticks, header.origin}, file,
        lifecycle.ended);
    read_directory();
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw EnvironmentError(fmt::format("element file {} is refused: {}", file.string(), why));
  }

  void open() {
    const OwnFile opened = open_own_file(file, FileAccess::write, "element file",
                                         [this](const std::string& why) { refuse(why); });
    if (opened.bytes < directory_offset)
      refuse(fmt::format("it is truncated: {} bytes, less than a header", opened.bytes));
    mapping = Mapping(opened.handle, opened.bytes, true, file);
    // Checked and used as a copy, because the owner may write to the file at the same time.
    std::memcpy(&header, mapping.data(), sizeof header);
  }

  void check_header() const {
    if (header.magic != magic) refuse("it is not an element file of EventSpace");
    if (header.byte_order != byte_order_mark) refuse("its byte order is not this machine's");
    if (header.layout_version != layout_version) {
      refuse(fmt::format("its layout is version {}; this program reads version {}", header.layout_version,
                         layout_version));
    }
    if (header.total_bytes > mapping.size())
      refuse(fmt::format("it is truncated: {} of {} bytes", mapping.size(), header.total_bytes));
    if (header.total_bytes < mapping.size() || header.total_bytes > max_bytes) refuse("its size is wrong");
    if (header.element_count > max_elements || elements_offset(header.element_count) > header.total_bytes)
      refuse("its count of elements is too large");
    if (!has_end(header.session) || !has_end(header.node) || !has_end(header.process))
      refuse("a name in its header is not terminated");
  }

  void read_directory() {
    const std::byte* const directory = mapping.data() + directory_offset;
    std::vector<Entry> entries(header.element_count);
    if (!entries.empty()) std::memcpy(entries.data(), directory, entries.size() * sizeof(Entry));
    if (checksum(header, std::as_bytes(std::span(entries))) != header.checksum)
      refuse("its checksum is wrong");
    std::uint64_t offset = elements_offset(header.element_count);
    for (std::size_t i = 0; i < entries.size(); ++i) offset = read_entry(i, entries[i], offset);
    if (offset != header.total_bytes) refuse("its elements do not fill the file");
    for (SharedElement& element : elements) by_name.emplace(element.config().name, &element);
  }

  // Elements are consecutive, in the order of the directory; this check excludes overlaps and gaps.
  std::uint64_t read_entry(std::size_t index, const Entry& entry, std::uint64_t offset) {
    const bool sound = entry.offset == offset && entry.threshold >= 1 &&
                       entry.threshold <= SharedElement::max_threshold &&
                       entry.room >= SharedElement::min_room && entry.room <= SharedElement::max_room &&
                       entry.field_count >= 1 && entry.field_count <= Signature::max_fields &&
                       entry.when_full <= static_cast<std::uint8_t>(WhenFull::wait) && has_end(entry.name);
    if (!sound) refuse(fmt::format("entry {} of its directory is invalid", index));
    ElementConfig config{std::string(text_in(entry.name)), signature_of(index, entry), entry.threshold,
                         static_cast<WhenFull>(entry.when_full), entry.max_tuple_bytes};
    const std::uint64_t bytes = SharedElement::bytes(config, entry.room);
    if (bytes > header.total_bytes - offset) refuse(fmt::format("element {} extends beyond its end", index));
    elements.emplace_back(std::move(config), entry.room, mapping.data() + offset, *home);
    return offset + bytes;
  }

  [[nodiscard]] Signature signature_of(std::size_t index, const Entry& entry) const {
    std::vector<FieldType> fields;
    for (std::uint32_t i = 0; i < entry.field_count; ++i) {
      if (entry.fields[i] > static_cast<std::uint8_t>(FieldType::bytes))
        refuse(fmt::format("entry {} of its directory has a field of unknown type", index));
      fields.push_back(static_cast<FieldType>(entry.fields[i]));
    }
    return Signature(std::move(fields));
  }
};

ElementFileView::ElementFileView(const std::filesystem::path& file) : state_(std::make_unique<State>(file)) {}
ElementFileView::~ElementFileView() = default;

const SegmentIdentity& ElementFileView::identity() const noexcept { return state_->identity; }
std::int32_t ElementFileView::pid() const noexcept { return state_->header.pid; }
std::uint64_t ElementFileView::process_start_ticks() const noexcept {
  return state_->header.process_start_ticks;
}
ProcessIdentity ElementFileView::owner() const noexcept {
  return {state_->header.pid, state_->header.process_start_ticks, state_->header.origin};
}
std::int64_t ElementFileView::created_realtime_ns() const noexcept {
  return state_->header.created_realtime_ns;
}
const std::filesystem::path& ElementFileView::path() const noexcept { return state_->file; }
std::size_t ElementFileView::bytes() const noexcept { return state_->mapping.size(); }
std::vector<SharedElement>& ElementFileView::elements() noexcept { return state_->elements; }

SharedElement* ElementFileView::find(std::string_view name) noexcept {
  const auto found = state_->by_name.find(name);
  return found == state_->by_name.end() ? nullptr : found->second;
}

std::string ElementFileView::process_text() const { return state_->home->text(); }
bool ElementFileView::has_ended() noexcept { return state_->home->has_ended(); }

void ElementFileView::end() noexcept {
  for (SharedElement& element : state_->elements) element.close();
  state_->home->end();
}

void ElementFileView::leave() noexcept {
  state_->home->leave();
  for (SharedElement& element : state_->elements) element.wake_all();
}

}  // namespace eventspace

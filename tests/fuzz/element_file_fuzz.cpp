// Opens any bytes as a file of shared elements, and operates on its elements. Values that a forger can know
// are corrected first: magic, version and checksum.

#include <cstring>

#include <eventspace/error.h>
#include "tests/fuzz/fuzz.h"
#include "tests/tuplespace/shared/shared_element_talk.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tuplespace/shared/element_file_layout.h"

namespace eventspace {
namespace {

using namespace element_file_layout;

// Operations would wait for a lock that names a living thread as its holder, which the tests of locks cover.
void free_locks(std::string& bytes, std::size_t elements) {
  for (std::size_t i = 0; i < elements && elements_offset(i + 1) <= bytes.size(); ++i) {
    Entry entry;
    std::memcpy(&entry, bytes.data() + directory_offset + i * sizeof(Entry), sizeof entry);
    if (entry.offset <= bytes.size() && sizeof(RobustLock) <= bytes.size() - entry.offset)
      std::memset(bytes.data() + entry.offset, 0, sizeof(RobustLock));
  }
}

void seal(std::string& bytes) {
  if (bytes.size() < directory_offset) return;
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.magic = magic;
  header.layout_version = layout_version;
  header.byte_order = byte_order_mark;
  const std::size_t entries = std::size_t{header.element_count} * sizeof(Entry);
  if (entries <= bytes.size() - directory_offset)
    header.checksum = checksum(header, std::as_bytes(std::span(bytes)).subspan(directory_offset, entries));
  std::memcpy(bytes.data(), &header, sizeof header);
  free_locks(bytes, header.element_count);
}

void use(SharedElement& element) {
  const Deadline now = Deadline::after(std::chrono::nanoseconds(0));
  const Template match{std::int64_t{3}, FieldType::text};
  for (const From from : {From::oldest, From::newest, From::at, From::after}) {
    Operation read = test::fetch_of(Verb::read, from, 2, now);
    if (from == From::oldest) read.match = &match;
    element.perform(read);
  }
  test::performed(element, test::write_of(Tuple::of({std::int64_t{1}, "some text"}), now));
  test::performed(element, test::fetch_of(Verb::take, From::at, 3, now));
  test::performed(element, test::discard_through(3));
  (void)element.counts();
}

}  // namespace
}  // namespace eventspace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) try {
  static const eventspace::fuzz::ScratchFile file("elements");
  std::string bytes(data, data + size);
  eventspace::seal(bytes);
  eventspace::ElementFileView view(file.with(bytes));
  for (std::size_t i = 0; i < view.elements().size() && i < 4; ++i) eventspace::use(view.elements()[i]);
  return 0;
} catch (const eventspace::EnvironmentError&) {
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  const test::TemporaryDirectory directory;
  ElementFile::Config config{{"wind", "n1", "p0", 0xfeed}, {}, directory.path()};
  const Signature signature{FieldType::integer, FieldType::text};
  config.elements.push_back({{"box", signature, 4, WhenFull::wait, 60}, 100});
  config.elements.push_back({{"progress", signature, 2, WhenFull::discard, 60}, 100});
  ElementFile whole(config);
  for (SharedElement& element : whole.view().elements()) {
    for (std::int64_t n = 0; n < 4; ++n) test::performed(element, test::write_of(Tuple::of({n, "text"})));
    test::performed(element, test::fetch_of(Verb::take, From::at, 3));
  }
  return {content_of(whole.view().path())};
}

// Opens any bytes as a control file. Values that a forger can know are corrected first: magic, version and
// checksum.

#include <cstring>

#include <eventspace/error.h>
#include "tests/fuzz/fuzz.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tuplespace/trace/control_file.h"

namespace eventspace {
namespace {

void seal(std::string& bytes) {
  using namespace control_layout;
  if (bytes.size() < sizeof(Header)) return;
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.magic = magic;
  header.layout_version = layout_version;
  header.byte_order = byte_order_mark;
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum =
      checksum_of(checksum_seed, std::as_bytes(std::span(bytes)).first(offsetof(Header, checksum)));
  std::memcpy(bytes.data(), &header, sizeof header);
}

/// The file of this process: inputs with its numbers are accepted.
const ControlFile& own_file() {
  static const test::TemporaryDirectory directory;
  static const ControlFile file({"wind", "n1", "p0", 0}, directory.path());
  return file;
}

}  // namespace
}  // namespace eventspace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) try {
  static const eventspace::fuzz::ScratchFile file("control");
  (void)eventspace::own_file();
  std::string bytes(data, data + size);
  eventspace::seal(bytes);
  const eventspace::ControlView view(file.with(bytes), eventspace::ControlView::Access::read);
  (void)view.collect_switch().state();
  (void)view.identity();
  return 0;
} catch (const eventspace::EnvironmentError&) {
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() { return {content_of(own_file().path())}; }

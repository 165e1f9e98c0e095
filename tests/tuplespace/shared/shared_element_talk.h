#pragma once

#include <fcntl.h>

#include "tests/tuplespace/any_element.h"
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/element_talk.h"
#include "tests/tuplespace/shared/shared_memory.h"
#include "tuplespace/shared/element_file.h"
#include "tuplespace/shared/element_file_layout.h"
#include "tuplespace/system/mapping.h"

namespace eventspace::test {

using namespace std::chrono_literals;

inline const Deadline patient = Deadline::after(60s);  // a hang becomes a failure

/// The memory of the only element of a file, mapped again, like in other processes.
class ElementMemory {
 public:
  explicit ElementMemory(const std::filesystem::path& file)
      : mapping_(FileHandle(::open(file.c_str(), O_RDWR)), std::filesystem::file_size(file), true, file) {}

  [[nodiscard]] shared_element::Head& head() {
    return *reinterpret_cast<shared_element::Head*>(mapping_.data() +
                                                    element_file_layout::elements_offset(1));
  }
  /// Returns whether a thread waits for `event`, or is about to, and has not been woken yet.
  [[nodiscard]] bool is_awaited(shared_element::Event event) {
    const volatile std::uint32_t& awaited = head().control.awaited;  // another process writes to it
    return (awaited & static_cast<std::uint32_t>(event)) != 0;
  }

 private:
  Mapping mapping_;
};

/// This process as p0, with shared elements, and children that use them.
class SharedElementTest : public testing::Test {
 protected:
  void given(std::vector<SharedElementSpec> elements) {
    file.emplace(ElementFile::Config{{"wind", "n1", "p0", 0xfeed}, std::move(elements), directory.path()});
  }
  static SharedElementSpec numbers(const std::string& name, std::size_t threshold = 4,
                                   WhenFull when_full = WhenFull::wait) {
    return {{name, {FieldType::integer}, threshold, when_full}};
  }
  SharedElement& element(const char* name) { return *file->view().find(name); }

  /// Starts a child that maps the elements itself and does `work` with them.
  template <class Work>
  Child child(Work work) {
    return Child([path = file->view().path(), work] {
      ElementFileView view(path);
      work(view);
    });
  }

  static bool write(SharedElement& element, std::int64_t value, Deadline deadline = patient) {
    return performed(element, write_of(one(value), deadline)).status == Status::ok;
  }
  /// Returns the value, or nullopt if none comes in time.
  static std::optional<std::int64_t> take(SharedElement& element, Deadline deadline = patient) {
    const Operation taken = performed(element, fetch_of(Verb::take, From::oldest, 0, deadline));
    if (taken.status != Status::ok) return std::nullopt;
    return taken.tuple.get<std::int64_t>(0);
  }

  TemporaryDirectory directory;
  std::optional<ElementFile> file;
};

}  // namespace eventspace::test

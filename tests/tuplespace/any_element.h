#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "tests/tuplespace/temporary_directory.h"
#include "tuplespace/element.h"
#include "tuplespace/shared/element_file.h"

namespace eventspace::test {

/// The common interface of Element and SharedElement, for tests that are run on both.
class AnyElement {
 public:
  virtual ~AnyElement() = default;
  virtual void perform(Operation& operation) = 0;
  virtual void attempt(Operation& operation) = 0;
  virtual void forget(Waker& waker) = 0;
  virtual void close() = 0;
  [[nodiscard]] virtual Element::Counts counts() const = 0;
};

template <class Kind>
class ElementOfKind : public AnyElement {
 public:
  explicit ElementOfKind(Kind& element) : element_(element) {}
  void perform(Operation& operation) override { element_.perform(operation); }
  void attempt(Operation& operation) override { element_.attempt(operation); }
  void forget(Waker& waker) override { element_.forget(waker); }
  void close() override { element_.close(); }
  [[nodiscard]] Element::Counts counts() const override { return element_.counts(); }

 private:
  Kind& element_;
};

enum class ElementKind { in_process, shared };
inline const auto all_kinds = testing::Values(ElementKind::in_process, ElementKind::shared);
inline std::string name_of_kind(const testing::TestParamInfo<ElementKind>& given) {
  return given.param == ElementKind::shared ? "Shared" : "InProcess";
}

class InProcessElement final : private std::unique_ptr<Element>, public ElementOfKind<Element> {
 public:
  explicit InProcessElement(ElementConfig config)
      : std::unique_ptr<Element>(std::make_unique<Element>(std::move(config))),
        ElementOfKind<Element>(*std::unique_ptr<Element>::get()) {}
};

struct OneElementFile {
  OneElementFile(ElementConfig config, std::size_t room)
      : file(ElementFile::Config{
            {"test", "n1", "p0", 0xfeed}, {{std::move(config), room}}, directory.path()}) {}
  TemporaryDirectory directory;
  ElementFile file;
};

class SoleSharedElement final : private OneElementFile, public ElementOfKind<SharedElement> {
 public:
  explicit SoleSharedElement(ElementConfig config, std::size_t room = 64u << 10)
      : OneElementFile(std::move(config), room),
        ElementOfKind<SharedElement>(OneElementFile::file.view().elements().front()) {}
};

inline std::unique_ptr<AnyElement> make_element(ElementKind kind, ElementConfig config) {
  if (kind == ElementKind::shared) return std::make_unique<SoleSharedElement>(std::move(config));
  return std::make_unique<InProcessElement>(std::move(config));
}

}  // namespace eventspace::test

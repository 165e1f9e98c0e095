#pragma once

#include <memory>
#include <string>
#include <vector>

#include "monitors/heartbeat/element_waits.h"
#include "pathmaps/elements/element_asker.h"

namespace eventspace {

/// The source from which a heartbeat gets the fills of elements at which threads wait. Used by one thread.
class FillSource {
 public:
  FillSource() = default;
  virtual ~FillSource() = default;
  FillSource(const FillSource&) = delete;
  FillSource& operator=(const FillSource&) = delete;

  /// Sets the fills that it can get within `patience`, and leaves the others unchanged.
  virtual void fill(std::vector<ElementWait>& waits, std::chrono::nanoseconds patience) = 0;
};

/// Requests the fills from the hosts of the elements. Connects at the first request, when a thread first
/// waits.
class AskedFills final : public FillSource {
 public:
  AskedFills(std::shared_ptr<const Plan> plan, std::string session);
  void fill(std::vector<ElementWait>& waits, std::chrono::nanoseconds patience) override;

 private:
  std::shared_ptr<const Plan> plan_;
  std::string session_;
  std::unique_ptr<ElementAsker> asker_;
};

}  // namespace eventspace

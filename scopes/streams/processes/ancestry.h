#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/streams.h>
#include "paths/pushes.h"
#include "paths/remote/remote_stage.h"
#include "scopes/streams/node.h"

namespace eventspace::streams {

/// The name of the kind of target at which children attach.
inline constexpr std::string_view target_name = "stream";
/// Part of the reason of a refusal: the refusing process still has the end-points attached elsewhere, which
/// may change soon.
inline constexpr std::string_view still_attached = "attached already";

/// The message with which a child attaches. `ranks`: the end-points below an internal process; `endpoint`:
/// where its own children attach.
[[nodiscard]] std::vector<std::byte> encode_spec(const AttachPoint& point, Part part, const RankSet& ranks,
                                                 const std::string& endpoint = {});

/// The link of a process to its parent and, when that is lost, to the first of its refuges that accepts it:
///
///     attaching --> attached --> looking for a refuge --> attached --> ...
///         |             |                 |
///         +-------------+-----------------+--> ended (fault() says why)
///
/// It ends when the first parent refuses it, when the network has ended, when the lost parent was the
/// front-end, and when no process has accepted it within adopt_within. Used by one thread; the links'
/// receivers are called within LinkPool::wait and progress, and replaced in look() only.
class Ancestry final : public PushReceiver {
 public:
  static constexpr std::chrono::seconds adopt_within{10};

  /// `news` is called after each message and when look() has work to do.
  struct Self {
    Part part{Part::back_end};
    std::string endpoint{};  ///< where the children of an internal process attach
  };
  Ancestry(StreamNode& node, LinkPool& links, AttachPoint point, Self self, std::function<void()> news);
  ~Ancestry();
  Ancestry(const Ancestry&) = delete;
  Ancestry& operator=(const Ancestry&) = delete;

  /// Begins to attach; `waker` is called when look() should be called.
  void begin(Waker* waker, Deadline deadline);
  /// Continues pending work. Does not block.
  void look();
  /// When look() has work to do without a message.
  [[nodiscard]] Deadline due() const;
  [[nodiscard]] bool is_attached() const noexcept { return step_ == Step::attached; }
  /// Why attaching failed, or the connection was lost for good; empty while it is up or the process looks for
  /// a refuge.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

  void receive(Bytes body) override;
  void granted() override;
  void ended() override;

 private:
  enum class Step : std::uint8_t { attaching, attached, lost, ended };
  static constexpr std::chrono::milliseconds between_looks{20};
  static constexpr std::chrono::seconds patience{2};  // with a refuge that does not yet accept

  void attach_at(const std::string& endpoint, Deadline deadline);
  void conclude();
  void try_refuge();
  [[nodiscard]] bool goes_on(const std::string& why);
  void end(std::string why);

  StreamNode* node_;
  LinkPool* links_;
  AttachPoint point_;
  Self self_;
  std::function<void()> news_;
  Waker* waker_{nullptr};
  Step step_{Step::ended};
  std::string fault_;
  std::optional<Deadline> adopted_by_;  // set while a refuge is searched
  Refuges::List refuges_;               // to be tried
  std::size_t next_refuge_{0};
  Deadline waits_for_it_{Deadline::now()};  // limit for waiting for a sibling of the parent
  Deadline again_{Deadline::now()};         // when the next refuge is tried
  Operation operation_;
  std::unique_ptr<RemoteStage> stage_;
};

}  // namespace eventspace::streams

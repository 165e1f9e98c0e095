#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scopes/gathering/combine_stage.h"
#include "tests/scopes/scope_talk.h"

namespace eventspace::test {

/// The script of a fake child, which the test writes, and a record of how the child was asked.
struct ChildStory {
  std::uint64_t record{1};  ///< number of the record that it yields
  bool answers{true};
  bool in_blocks{false};   ///< yields it in a block, as a message does
  bool goes_ahead{false};  ///< set if the pull has a sink for early records
  Deadline looks_again{Deadline::never()};
  int begun{0}, asked{0}, finished{0};
  std::vector<std::string> pulls;  ///< "ID after ID"
  Waker* waker{nullptr};           ///< of the operation under way

  /// Lets the answer arrive and calls the waker.
  void answer() {
    answers = true;
    if (waker != nullptr) waker->wake();
  }
};

/// A child that yields one record when it answers, and is listed as missing if it does not answer in time.
class FakeChild final : public Stage {
 public:
  explicit FakeChild(ChildStory& story) : story_(&story) {}
  void begin(Operation& operation) override {
    ++story_->begun;
    story_->pulls.push_back(std::to_string(pull_of(operation).id) + " after " +
                            std::to_string(pull_of(operation).after));
    story_->waker = operation.waker;
    operation.status = Status::under_way;
    operation.look_again = story_->looks_again;
  }
  bool ready(Operation& operation) override {
    ++story_->asked;
    operation.look_again = story_->looks_again;
    if (operation.waker != nullptr) story_->waker = operation.waker;
    return story_->answers;
  }
  bool await(Operation& /*operation*/) override { return story_->answers; }
  void finish(Operation& operation) override {
    ++story_->finished;
    story_->waker = nullptr;
    story_->goes_ahead = pull_of(operation).ahead != nullptr;
    pull_of(operation).view.clear();
    if (story_->answers && story_->in_blocks) {
      const auto kept = std::make_shared<const TraceTuple>(event(story_->record, 1, 2));
      pull_of(operation).view.records.append(RecordBlock{kept, std::as_bytes(std::span(kept.get(), 1))});
    } else if (story_->answers) {
      pull_of(operation).view.records.push_back(event(story_->record, 1, 2));
    } else {
      pull_of(operation).view.missing.push_back(
          {"n9", "child " + std::to_string(story_->record), MissingCause::no_answer, "", 1});
    }
    operation.status = story_->answers ? Status::ok : Status::timed_out;
  }

 private:
  ChildStory* story_;
};

/// Pulls through a combining stage with fake children 1, 2, 3 ..., with the views as text.
class Combining {
 public:
  Combining(const CombineStage::Config& config, std::size_t children,
            std::vector<std::chrono::nanoseconds> timeouts = {}, bool elsewhere = false,
            std::vector<std::unique_ptr<ViewOperator>> operators = {}, bool local = false)
      : stories(children) {
    std::vector<CombineStage::Child> made;
    for (std::size_t i = 0; i < children; ++i) {
      stories[i].record = i + 1;
      CombineStage::Child child;
      child.stage = std::make_unique<FakeChild>(stories[i]);
      if (i < timeouts.size()) child.timeout = timeouts[i];
      child.is_elsewhere = elsewhere;
      child.is_local = local;
      child.known_as = {"n9", "child " + std::to_string(i + 1), {}, "", 1};
      made.push_back(std::move(child));
    }
    stage = std::make_unique<CombineStage>(config, std::move(made), std::move(operators));
  }

  /// Performs pull number `id`, in which `after` is the last pull whose view arrived.
  void begin(std::uint64_t id, std::uint64_t after,
             Deadline deadline = Deadline::after(std::chrono::minutes(1)), Waker* waker = nullptr) {
    pull = {};
    pull.id = id;
    pull.after = after;
    operation = Operation{};
    operation.verb = Verb::pull;
    operation.body = &pull;
    operation.deadline = deadline;
    operation.waker = waker;
    stage->begin(operation);
  }
  /// In effect until the test changes it.
  void let_no_child_answer() {
    for (ChildStory& story : stories) story.answers = false;
  }
  /// Keeps all children silent, and tests the stage once.
  void begin_unanswered(Waker& waker, Deadline deadline) {
    let_no_child_answer();
    begin(1, 0, deadline, &waker);
    EXPECT_FALSE(ready());
  }
  bool ready() { return stage->ready(operation); }
  /// "1 3 child 2: no answer"
  std::string finish() {
    stage->finish(operation);
    std::string text = test::told(pull.view);
    for (const Missing& missing : pull.view.missing)
      text += (text.empty() ? "" : " ") + missing.what + ": " + std::string(to_string(missing.cause));
    return text;
  }
  std::string call(std::uint64_t id, std::uint64_t after,
                   Deadline deadline = Deadline::after(std::chrono::minutes(1))) {
    begin(id, after, deadline);
    return finish();
  }
  [[nodiscard]] int asked() const {
    int sum = 0;
    for (const ChildStory& story : stories) sum += story.asked;
    return sum;
  }

  std::vector<ChildStory> stories;
  Pull pull;
  Operation operation;
  std::unique_ptr<CombineStage> stage;  // declared last, destroyed before the scripts of its children
};

/// A waker that counts its calls.
struct CountingWaker final : Waker {
  void wake() noexcept override { count.fetch_add(1); }
  std::atomic<int> count{0};
};

}  // namespace eventspace::test

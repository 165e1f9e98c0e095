#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/paths/server_talk.h"

// A server with a target whose stage throws.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::number;
using test::told;

/// Throws in one of its calls, before it forwards it.
class FaultyWrapper final : public Wrapper {
 public:
  FaultyWrapper(std::unique_ptr<Stage> next, std::string throws_in)
      : Wrapper(std::move(next)), throws_in_(std::move(throws_in)) {}
  void begin(Operation& operation) override {
    throw_if("begin");
    Wrapper::begin(operation);
  }
  bool ready(Operation& operation) override {
    throw_if("ready");
    return Wrapper::ready(operation);
  }
  void finish(Operation& operation) override {
    throw_if("finish");
    Wrapper::finish(operation);
  }

 private:
  void throw_if(const std::string& here) const {
    if (throws_in_ == here) throw std::runtime_error("broken in " + here);
    if (throws_in_ == here + " without a text") throw 7;
  }
  std::string throws_in_;
};

class FaultyStageTest : public testing::Test {
 protected:
  /// The target is named by the call in which it throws.
  test::Targets targets() {
    return {{"faulty", element_kind([this](Bytes spec, LinkPool&) -> std::unique_ptr<Stage> {
               std::string name(reinterpret_cast<const char*>(spec.data()), spec.size());
               return std::make_unique<FaultyWrapper>(std::make_unique<ElementStage>(behind),
                                                      std::move(name));
             })}};
  }
  Path faulty(const std::string& throws_in) {
    RemoteTarget target = test::Client::target(throws_in, {test::local_endpoint(port)});
    target.open.kind = "faulty";
    return {"faulty", std::make_unique<RemoteStage>(client.links(), std::move(target))};
  }
  void put(std::int64_t value) {
    Operation write;
    write.tuple = number(value);
    behind.perform(write);
  }

  Element behind{{"behind", {FieldType::integer}, 10}};
  std::uint16_t port{test::free_port()};
  test::ElementServer server{port, {}, targets()};
  test::Client client;
};

TEST_F(FaultyStageTest, TheExceptionIsTheAnswerAndTheServerGoesOn) {
  for (const std::string call : {"begin", "ready", "finish"}) {
    Path path = faulty(call);
    const Received taken = path.take(From::oldest, Deadline::after(10ms));
    EXPECT_EQ(taken.status, Status::closed) << call;
    EXPECT_EQ(taken.reason, "a stage of this path failed at the server: broken in " + call +
                                "; it is unknown whether the operation happened");
    const Received read = path.read(From::oldest, Deadline::after(10ms));
    EXPECT_EQ(told(read), "refused: a stage of this path failed at the server: broken in " + call);
  }
  server.element("channel");
  Path sound = client.path("channel", port);
  EXPECT_EQ(sound.write(number(1)), Status::ok);
  EXPECT_EQ(told(sound.take()), "1");
}

TEST_F(FaultyStageTest, WhatIsNoExceptionOfTheLibraryIsAnsweredToo) {
  Path path = faulty("finish without a text");
  EXPECT_THAT(path.read(From::oldest, Deadline::now()).reason,
              testing::HasSubstr("an exception that is not a std::exception"));
}

// The call of ready fails, but the stages below can still finish the operation.
TEST_F(FaultyStageTest, AnOperationThatCanStillBeFinishedIsOk) {
  put(5);
  EXPECT_EQ(told(faulty("ready").take()), "5");
}

// The element has the waker of an operation that has ended.
TEST_F(FaultyStageTest, AnElementMayWakeAnOperationWhoseFinishFailed) {
  Path path = faulty("finish");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(path.take(From::oldest, Deadline::after(10ms)).status, Status::closed);
  put(1);
  put(2);
  Path sound = faulty("");
  EXPECT_EQ(told(sound.take()), "1");
}

}  // namespace
}  // namespace eventspace

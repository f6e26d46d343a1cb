#include "kernels/threads.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/parallel.h"

namespace gradlab {
namespace {

std::atomic<int> requested_threads{0};  // 0: not asked yet

int threads_by_default() noexcept {
  if (const char* text = std::getenv("GRADLAB_NUM_THREADS")) {
    int count = 0;
    const char* end = text + std::strlen(text);
    if (const auto parsed = std::from_chars(text, end, count); parsed.ec == std::errc() && parsed.ptr == end && count > 0) {
      return count;
    }
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// One loop in progress: threads take its pieces until none is left.
struct Loop {
  std::int64_t count, piece;
  RangeBody body;
  std::atomic<std::int64_t> next{0};

  void work() {
    for (;;) {
      const std::int64_t begin = next.fetch_add(piece, std::memory_order_relaxed);
      if (begin >= count) return;
      body.call(body.function, begin, std::min(begin + piece, count));
    }
  }
};

// Workers that sleep between loops. A worker that wakes too late finds no loop and sleeps on; nobody waits for it.
class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  // False when another thread's loop is using the workers.
  bool run(Loop& loop, int threads) {
    const std::unique_lock owner(owner_, std::try_to_lock);
    if (!owner) return false;
    {
      const std::lock_guard lock(mutex_);
      while (static_cast<int>(workers_.size()) + 1 < threads && start_worker()) {}
      loop_ = &loop;
      free_seats_ = threads - 1;
      generation_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    loop.work();
    std::unique_lock lock(mutex_);
    loop_ = nullptr;
    idle_.wait(lock, [&] { return working_ == 0; });
    return true;
  }

 private:
  bool start_worker() {
    try {
      workers_.emplace_back([this] { serve(); });
      return true;
    } catch (const std::system_error&) {
      return false;  // the loop runs with the threads there are
    }
  }

  void serve() {
    std::uint64_t seen = 0;
    for (;;) {
      // A steady row of kernels comes back within microseconds: look a little before sleeping.
      for (int i = 0; i < 1000 && generation_.load(std::memory_order_acquire) == seen; ++i) relax();
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || generation_.load(std::memory_order_relaxed) != seen; });
      if (stop_) return;
      seen = generation_.load(std::memory_order_relaxed);
      if (loop_ == nullptr || free_seats_ == 0) continue;
      Loop& loop = *loop_;
      --free_seats_;
      ++working_;
      lock.unlock();
      loop.work();
      lock.lock();
      if (--working_ == 0) idle_.notify_one();
    }
  }

  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  std::mutex owner_;  // held by the thread whose loop runs
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_, idle_;
  std::vector<std::thread> workers_;
  Loop* loop_ = nullptr;
  int free_seats_ = 0;
  int working_ = 0;
  bool stop_ = false;
  std::atomic<std::uint64_t> generation_{0};
};

}  // namespace

int num_threads() noexcept {
  int count = requested_threads.load(std::memory_order_relaxed);
  if (count == 0) requested_threads.store(count = threads_by_default(), std::memory_order_relaxed);
  return count;
}

void set_num_threads(int count) noexcept { requested_threads.store(std::max(1, count), std::memory_order_relaxed); }

void run_ranges(std::int64_t count, std::int64_t grain, RangeBody body) {
  const int threads = static_cast<int>(std::min<std::int64_t>(num_threads(), count / grain));
  if (threads > 1) {
    // Four pieces a thread: a core that is busy elsewhere then delays a quarter of its share.
    const std::int64_t piece = std::max(grain, (count / (4 * threads) + grain - 1) / grain * grain);
    Loop loop{count, piece, body};
    static Pool pool;
    if (pool.run(loop, threads)) return;
  }
  body.call(body.function, 0, count);
}

}  // namespace gradlab

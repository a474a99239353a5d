// Many calls become few: at once where it was quiet, and then at most one in so many milliseconds, the last one always.

export function everyOther(pause, work) {
  let timer = 0;
  let last = -Infinity;
  let running = false;
  let again = false;
  async function run() {
    timer = 0;
    if (running) {
      again = true;
      return;
    }
    running = true;
    last = performance.now();
    try {
      await work();
    } finally {
      running = false;
      if (again) {
        again = false;
        soon();
      }
    }
  }
  function soon() {
    timer ||= setTimeout(run, Math.max(0, last + pause - performance.now()));
  }
  return { soon };
}

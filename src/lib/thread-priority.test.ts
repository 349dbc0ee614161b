import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const niceness = (): number[] =>
  readdirSync("/proc/self/task").map((task) => {
    const stat = readFileSync(`/proc/self/task/${task}/stat`, "utf8");
    // Field 19; the second one is the thread's name in parentheses and may contain blanks.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  });

test.skipIf(process.platform !== "linux")("only the calling thread is lowered", async () => {
  const before = Math.min(...niceness());
  const source = `
    import { lowerThreadPriority } from ${JSON.stringify(join(import.meta.dir, "thread-priority.ts"))};
    self.onmessage = () => {};
    postMessage(lowerThreadPriority());
  `;
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "application/typescript" })));
  const lowered = await new Promise((resolve) =>
    worker.addEventListener("message", ({ data }) => resolve(data)),
  );
  const after = niceness();
  worker.terminate();
  expect(lowered).toBe(true);
  expect(after).toContain(before + 5);
  const main = readFileSync(`/proc/self/task/${process.pid}/stat`, "utf8");
  expect(Number(main.slice(main.lastIndexOf(")") + 2).split(" ")[16])).toBe(before);
});

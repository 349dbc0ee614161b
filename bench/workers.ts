/**
 * The gain of a second worker: redirects of two workers on two cores against one worker on one core.
 *
 *     bin/bun bench/workers.ts [rounds] [seconds]
 *
 * On a machine of two cores two workers leave no core for the load, so requests a second would measure wrk's share.
 * Instead the processor time per request is measured: two cores answer 2 ÷ (time with two workers) requests where one
 * answers 1 ÷ (time with one). With four or more cores the load has two of its own, and requests a second are reported
 * too. The rounds alternate.
 */
import { availableParallelism } from "node:os";
import { createDataFolder } from "./lib/data-folder.ts";
import { requireTools, runLoad } from "./lib/load.ts";
import type { Subject } from "./lib/subject.ts";
import { startWaymark } from "./lib/subjects.ts";

const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = Number(process.argv[3] ?? 3);
const LINKS = 100_000;

requireTools();
const folders = [await createDataFolder(LINKS), await createDataFolder(LINKS)];
const one = await startWaymark(folders[0]!);
const two = await startWaymark(folders[1]!, { WAYMARK__SERVER__WORKERS: "2", CORES: "0,1" });
const gains: number[] = [];
try {
  await Bun.sleep(3_000);
  for (let round = 0; round <= ROUNDS; round++) {
    const [single, double] = [await measure(one), await measure(two)];
    // The first round warms up the compilers.
    if (round === 0) continue;
    gains.push((2 * single.micros) / double.micros);
    console.log(
      `one worker: ${single.micros.toFixed(2)} µs a request, ${Math.round(single.perSecond)} a second;  ` +
        `two: ${double.micros.toFixed(2)} µs, ${Math.round(double.perSecond)} a second`,
    );
  }
  const median = gains.sort((a, b) => a - b)[gains.length >> 1]!;
  console.log(
    `Two workers on two cores answer ${median.toFixed(2)} times what one answers on one core (goal: ≥ 1.7).`,
  );
  if (availableParallelism() < 4)
    console.log("Told from processor time: this machine has no core left for the load.");
} finally {
  await Promise.all([one.stop(), two.stop()]);
  for (const folder of folders) folder.remove();
}

async function measure(subject: Subject): Promise<{ micros: number; perSecond: number }> {
  const before = subject.cpuSeconds();
  const result = await runLoad({ port: subject.port, prefix: "c", count: LINKS, seconds: SECONDS });
  if (result.errorStatus > 0) throw new Error("wrong answers");
  return { micros: ((subject.cpuSeconds() - before) * 1e6) / result.requests, perSecond: result.perSecond };
}

/**
 * Redirects beside 10,000 deliveries that are due to a dead receiver, in pairs with those beside the same webhook
 * disabled. One receiver takes connections and never answers, the other one refuses them, which costs most: its failures
 * come as fast as they can be written down.
 *
 *     bin/bun bench/webhooks.ts [pairs] [seconds]
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { signIn } from "../test/support/session.ts";
import { until } from "../test/support/until.ts";
import { PASSWORD, setPassword } from "./lib/csv-client.ts";
import { createDataFolder } from "./lib/data-folder.ts";
import { requireTools, runLoad } from "./lib/load.ts";
import { freePort } from "./lib/subject.ts";
import { startWaymark } from "./lib/subjects.ts";

const PAIRS = Number(process.argv[2] ?? 4);
const SECONDS = Number(process.argv[3] ?? 3);
const [LINKS, EVENTS] = [1_000, 10_000];

requireTools();
const data = await createDataFolder(LINKS);
const database = new Database(join(data.path, "waymark.db"));
database.run(
  `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${EVENTS})
   insert into events (at, actor, via, action, subject, after)
   select ${Date.now()}, 'cli', 'cli', 'link.create', 'many' || i, '{}' from n`,
);
database.close();
await setPassword(data.path);
const hanging = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
const server = await startWaymark(data, { WAYMARK__WEBHOOKS__ALLOW_PRIVATE: "true" });
try {
  const client = await signIn(`http://127.0.0.1:${server.port}`, PASSWORD);
  /** Redirects a second of the server's processor time, by which a busy machine matters less, and of the clock. */
  const rates = async () => {
    const load = { port: server.port, prefix: "c", count: LINKS, seconds: SECONDS };
    const before = server.cpuSeconds();
    const { requests, perSecond, errorStatus, socketErrors } = await runLoad(load);
    if (errorStatus + socketErrors > 0) throw new Error(`${errorStatus + socketErrors} redirects failed`);
    return { perSecond, perCpuSecond: requests / (server.cpuSeconds() - before) };
  };
  await rates();
  for (const [name, port] of [
    ["never answers", hanging.port],
    ["refuses connections", freePort()],
  ] as const) {
    const url = `http://127.0.0.1:${port}/hook`;
    const { id } = (await client.call("POST", "/webhooks", { url, events: ["link.created"] })).body.data;
    const ratios = { perSecond: [] as number[], perCpuSecond: [] as number[] };
    const measured = async (isEnabled: boolean) => {
      await client.call("PATCH", `/webhooks/${id}`, { enabled: isEnabled });
      if (isEnabled) await client.call("POST", `/webhooks/${id}/replay`, { from: 1 });
      const isQueued = async () =>
        (await client.call("GET", `/webhooks/${id}`)).body.data.replaying_from === null;
      if (isEnabled) await until(isQueued);
      return rates();
    };
    for (let pair = 0; pair < PAIRS; pair++) {
      const first = await measured(pair % 2 === 0);
      const second = await measured(pair % 2 === 1);
      const [beside, alone] = pair % 2 === 0 ? [first, second] : [second, first];
      for (const of of ["perSecond", "perCpuSecond"] as const) ratios[of].push(beside[of] / alone[of]);
    }
    console.log(
      `a receiver that ${name}: ${median(ratios.perSecond)} of the redirects a second without it, ` +
        `${median(ratios.perCpuSecond)} of those a second of processor time; none failed`,
    );
    await client.call("DELETE", `/webhooks/${id}`);
  }
} finally {
  await server.stop();
  hanging.stop(true);
  data.remove();
}

function median(values: readonly number[]): string {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!.toFixed(2);
}
process.exit(0);

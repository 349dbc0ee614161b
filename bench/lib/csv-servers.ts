/**
 * Imports and exports on several database servers in turns. In each round every server imports the same new links and
 * exports all of its links. So what else loads the machine hits all of them; the ratios are of medians.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, signIn } from "../../test/support/session.ts";
import { csvOf, exportCsv, importCsv, PASSWORD, setPassword } from "./csv-client.ts";
import { createServerDatabase, type Server } from "./server-database.ts";
import { startWaymark } from "./subjects.ts";

const ROUNDS = 3;

type Side = { name: Server; client: Client; imports: number[]; exports: number[]; stop(): Promise<void> };

export async function compareServers(names: readonly Server[], rows: number): Promise<void> {
  const sides: Side[] = [];
  try {
    for (const name of names) {
      const side = await startSide(name);
      if (side !== null) sides.push(side);
    }
    console.log(`${rows.toLocaleString("en")} links a round, over HTTP; seconds`);
    console.log("                        import    export");
    for (let round = 1; round <= ROUNDS; round++) {
      const text = csvOf(rows, `camp${round}`);
      for (const { name, client, imports, exports } of sides) {
        imports.push(
          await seconds(() => importCsv(client, text, { mode: "skip", counted: "success_count", rows })),
        );
        exports.push(await seconds(() => exportCsv(client, rows * round)));
        console.log(`round ${round}, ${name}`.padEnd(20) + cell(imports.at(-1)!) + cell(exports.at(-1)!));
      }
    }
    const [last, ...others] = sides.toReversed();
    for (const side of others) {
      const ratio = (of: "imports" | "exports") => cell(median(side[of]) / median(last![of]));
      console.log(`${side.name} : ${last!.name}`.padEnd(20) + ratio("imports") + ratio("exports"));
    }
  } finally {
    for (const side of sides) await side.stop();
  }
}

async function startSide(name: Server): Promise<Side | null> {
  const database = await createServerDatabase(name);
  if (database === null) return null;
  const path = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  const environment = { WAYMARK__DATABASE__URL: database.url, CORES: "0,1" };
  await setPassword(path, environment);
  const server = await startWaymark({ path }, environment);
  return {
    name,
    client: await signIn(`http://127.0.0.1:${server.port}`, PASSWORD),
    imports: [],
    exports: [],
    async stop() {
      await server.stop();
      await database.drop();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

const cell = (value: number): string => value.toFixed(2).padStart(10);

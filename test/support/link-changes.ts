/**
 * Makes and changes links on nodes in turn, singly, in batches and by import, and knows what was answered. A refused
 * change may or may not have happened; an answered one must last.
 */
import { addOne } from "./click-tally.ts";
import { createTruth, targetOf } from "./cluster-load.ts";
import type { Node } from "./cluster.ts";
import type { Client, Envelope } from "./session.ts";
import { SAID } from "./upload-load.ts";

const ITEMS = 2_000;
/** Batches and imports make the codes of so many lists, then change them. */
const LISTS = 3;
const PAUSE_MS = 20;
/** A call that takes longer counts as not answered. */
const CALL_MS = 30_000;

export type LinkChanges = {
  /** Changed links of answered calls. */
  made: number;
  /** Calls answered 503 or 507, and how long the slowest of them took. */
  refused: number;
  /** What the refusals said, and how often. */
  refusals: Map<string, number>;
  /** Calls without an answer. */
  broken: number;
  slowestRefusalMs: number;
  wrong: string[];
  /** The answered version of each link to which no later change was sent, if it was answered by that time. */
  settledAt(time: number): ReadonlyMap<string, number>;
  /** Links that an answered call made alone. */
  created(): string[];
  /** From now on nodes may leave calls without an answer. */
  expectBreaks(may: boolean): void;
  /** The newest version that was sent. */
  latest(): number;
  end(): Promise<void>;
};

type Send = (client: Client, codes: readonly string[], version: number) => Promise<Response>;

/**
 * `existing` are codes that are there; `pauseMs` is the time between an answer and the next call, `items` the length of
 * batches and imports.
 */
export function startLinkChanges(
  nodes: readonly Node[],
  existing: readonly string[],
  pauseMs = PAUSE_MS,
  items = ITEMS,
): LinkChanges {
  const listOf = (name: string) => Array.from({ length: items }, (_, at) => `${name}-${at}`);
  let mayBreak = false;
  let breaks = 0;
  const truth = createTruth();
  const sentAt = new Map<string, number>();
  const answered = new Set<string>();
  let isOver = false;
  let version = 1;
  const changes: LinkChanges = {
    made: 0,
    refused: 0,
    refusals: new Map(),
    broken: 0,
    slowestRefusalMs: 0,
    wrong: [],
    settledAt: (time) =>
      new Map(
        [...answered]
          .filter((code) => sentAt.get(code)! <= time)
          .map((code) => [code, truth.confirmedAt(code, Infinity)] as const)
          .filter(([code, last]) => truth.confirmedAt(code, time) === last),
      ),
    created: () => [...answered].filter((code) => code.startsWith("single-")),
    expectBreaks(may) {
      mayBreak = may;
      breaks++;
    },
    latest: () => version,
    async end() {
      isOver = true;
      await running;
    },
  };

  async function change(send: Send, codes: readonly string[]): Promise<void> {
    const node = nodes[version % nodes.length]!;
    if (!node.isUp()) {
      version++;
      return Bun.sleep(pauseMs);
    }
    const what = `${node.name}: ${codes[0]} and ${codes.length - 1} more, version ${++version}`;
    const begun = performance.now();
    const before = breaks;
    const mightBreak = mayBreak;
    for (const code of codes) sentAt.set(code, begun);
    const answer = await send(node.client(), codes, version).catch(String);
    const text = typeof answer === "string" ? answer : await answer.text().catch(String);
    const isBroken = typeof answer === "string" || (answer.ok && !text.startsWith("{"));
    if (isBroken && (mightBreak || before !== breaks)) changes.broken++;
    else if (typeof answer !== "string" && [503, 507].includes(answer.status)) {
      changes.refused++;
      addOne(changes.refusals, `${answer.status} ${text.slice(0, SAID)}`);
      changes.slowestRefusalMs = Math.max(changes.slowestRefusalMs, Math.round(performance.now() - begun));
    } else if (typeof answer === "string" || !answer.ok || !isWhole(text))
      changes.wrong.push(`${what}: ${typeof answer === "string" ? "no answer" : answer.status} ${text}`);
    else {
      changes.made += codes.length;
      for (const code of codes) {
        truth.confirm(code, version);
        answered.add(code);
      }
    }
    await Bun.sleep(pauseMs);
  }

  async function run(): Promise<void> {
    for (let turn = 0; !isOver; turn++) {
      await change(post, [`single-${turn}`]);
      await change(put, [existing[turn % existing.length]!]);
      const list = Math.floor(turn / 3) % LISTS;
      const batched = listOf(`batch-${list}`).filter((code) => answered.has(code));
      if (turn % 3 === 0) await change(postBatch, listOf(`batch-${list}`));
      if (turn % 3 === 1 && batched.length > 0) await change(putBatch, batched);
      if (turn % 3 === 2) await change(importCsv, listOf(`import-${list}`));
    }
  }

  const running = run();
  return changes;
}

function sendJson(client: Client, method: string, path: string, body: object): Promise<Response> {
  return client.fetch(path, {
    method,
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
    signal: AbortSignal.timeout(CALL_MS),
  });
}

const linkOf = (version: number) => (code: string) => ({
  code,
  target: targetOf(code, version),
  force: true,
});

const post: Send = (client, [code], version) => sendJson(client, "POST", "/links", linkOf(version)(code!));

const put: Send = (client, [code], version) =>
  sendJson(client, "PUT", `/links/${code}`, { target: targetOf(code!, version) });

const postBatch: Send = (client, codes, version) =>
  sendJson(client, "POST", "/links/batch", { links: codes.map(linkOf(version)) });

const putBatch: Send = (client, codes, version) =>
  sendJson(client, "PUT", "/links/batch", {
    updates: codes.map((code) => ({ code, payload: { target: targetOf(code, version) } })),
  });

const importCsv: Send = (client, codes, version) => {
  const form = new FormData();
  const lines = codes.map((code) => `${code},${targetOf(code, version)}\n`);
  form.set("file", new File([`code,target\n${lines.join("")}`], "links.csv"));
  form.set("mode", "overwrite");
  return client.fetch("/links/import", {
    method: "POST",
    body: form,
    signal: AbortSignal.timeout(CALL_MS),
  });
};

/** Whether the answer says that no item failed. */
function isWhole(text: string): boolean {
  const { data } = JSON.parse(text) as Envelope;
  return (data?.failed ?? []).length === 0 && (data?.failed_count ?? 0) + (data?.skipped_count ?? 0) === 0;
}

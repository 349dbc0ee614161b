/**
 * Random, damaged and pipelined requests for the wire server, for Node's, and through nginx:
 *
 *     bin/bun test/http/fuzz.ts [--seconds 60] [--seed N]
 *
 * A failure, shown by the fewest bytes: ours hears a request that Node does not hear, or with another method, target or
 * body, and DIFFERENCES does not name it; ours hears another number of requests than nginx sent. A connection that does
 * not end in time is counted, and is none.
 */
import { METHODS } from "node:http";
import { parseArgs } from "node:util";
import { type Heard, startHearing } from "../support/hearing.ts";
import { dial } from "../support/wire.ts";
import { createInputs, type Input, shrink } from "./fuzz-inputs.ts";
import { CALLER, startNginx, startNode } from "./fuzz-peers.ts";

type Difference = {
  reason: string;
  /** `theirs` is undefined if Node heard no such request. */
  isSo(ours: Heard, theirs: Heard | undefined, bytes: string): boolean;
};

/** What ours hears and Node does not. */
const DIFFERENCES: readonly Difference[] = [
  {
    reason: "Node refuses methods that it does not know. Here any token is one, and addresses answer 405.",
    isSo: ({ method }, theirs) => theirs === undefined && !METHODS.includes(method),
  },
  {
    reason: "Node refuses bytes above 127 in targets. Here they are escaped.",
    isSo: ({ target }, theirs) => theirs === undefined && /[\x80-\xff]/.test(target),
  },
  {
    reason: "Older versions of Node refuse a tab after the value of a field that they parse.",
    isSo: (_, theirs, bytes) =>
      theirs?.end !== "whole" && /^(?:content-length|transfer-encoding|connection):.*\t *\r?$/im.test(bytes),
  },
  {
    reason: "Node parses the extensions and trailers of chunks, and refuses some. Here they are skipped.",
    isSo: ({ end, body }, theirs, bytes) =>
      end === "whole" &&
      theirs?.end === "malformed" &&
      body.startsWith(theirs.body) &&
      /[\da-f][ \t]*;|\n0+\r\n[^\r]/i.test(bytes),
  },
];

/** The longest wait for the end of a connection; for a busy machine. */
const LONGEST_MS = 20_000;
/** Connections at a time, to each program. */
const AT_ONCE = 16;
/** A failure must be seen again in so many tries. What is not was an accident of the machine, and is printed. */
const MOST_TRIES = 10;

const { values } = parseArgs({ options: { seconds: { type: "string" }, seed: { type: "string" } } });
const seconds = Number(values.seconds ?? 60);
const seed = Number(values.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]);
if (!(seconds > 0) || !Number.isInteger(seed))
  throw new Error("--seconds takes a number, --seed a whole number");
console.log(`seed ${seed}`);

const hearing = startHearing((arrival) =>
  arrival.peerAddress === "127.0.0.1" ? (arrival.get(CALLER) ?? "") : arrival.peerAddress!,
);
const node = await startNode();
const nginx = await startNginx(hearing.port);
if (nginx === null) console.log("nginx is missing, so nothing is sent through it: apt-get install nginx");
nginx?.forwarded();
hearing.take("127.0.0.1");

const counts = {
  inputs: 0,
  heard: 0,
  alike: 0,
  known: 0,
  forwarded: 0,
  refusedBehind: 0,
  late: 0,
  unconfirmed: 0,
};

/** Each has an address of its own, by which all three tell what they heard of it. */
let callers = 0;
function nextCaller(): string {
  callers = (callers % 0x7fffff) + 1;
  return `127.${1 + (callers >> 16)}.${(callers >> 8) & 255}.${callers & 255}`;
}

/** Sends the input and ends the client's half. False: the server did not end the connection in time. */
async function send({ bytes, cuts }: Input, url: string, from: string): Promise<boolean> {
  const wire = dial(url, { from });
  const ends = [...cuts, bytes.length];
  await wire.dribble(ends.map((end, at) => bytes.slice(ends[at - 1] ?? 0, end)));
  wire.end();
  const closed = wire.closed().then(
    () => true,
    () => false,
  );
  const hasEnded = await Promise.race([closed, Bun.sleep(LONGEST_MS).then(() => false)]);
  wire.hangUp();
  return hasEnded;
}

const textOf = (heard: Heard | undefined): string =>
  heard === undefined
    ? "nothing"
    : `${heard.method} ${heard.target}, body ${heard.end}, ${heard.body.length} bytes`;

/** What is wrong. Null: nothing. */
function compare(ours: readonly Heard[], theirs: readonly Heard[], bytes: string): string | null {
  // Ours answers this one itself, and notes nothing.
  const others = theirs.filter(({ method, target }) => !(method === "OPTIONS" && target === "*"));
  for (const [at, one] of ours.entries()) {
    const other = others[at];
    const isAlike =
      other !== undefined &&
      other.method === one.method &&
      other.target === one.target &&
      // Malformed bodies end the connection. Node refuses some before the byte that ours waits for.
      (one.end === "malformed" ||
        (one.end === "cut" ? other.end !== "whole" : other.end === "whole" && other.body === one.body));
    if (isAlike) {
      counts.alike++;
      continue;
    }
    if (DIFFERENCES.some(({ isSo }) => isSo(one, other, bytes))) {
      counts.known++;
      return null;
    }
    return `request ${at + 1}: Waymark heard ${textOf(one)}; Node heard ${textOf(other)}`;
  }
  return null;
}

async function tryBesideNode(input: Input): Promise<string | null> {
  const caller = nextCaller();
  const [toUs, toNode] = await Promise.all([send(input, hearing.url, caller), send(input, node.url, caller)]);
  const ours = hearing.take(caller);
  const theirs = toNode ? await node.take(caller) : null;
  counts.heard += ours.length;
  if (toUs && theirs !== null) return compare(ours, theirs, input.bytes);
  counts.late++;
  return null;
}

/** The inputs at a time, through nginx. */
async function tryBehindNginx(inputs: readonly Input[]): Promise<string | null> {
  if (nginx === null) return null;
  const refusedBefore = hearing.refusals();
  const callersOf = inputs.map(nextCaller);
  const inTime = await Promise.all(inputs.map((input, at) => send(input, nginx.url, callersOf[at]!)));
  const forwarded = nginx.forwarded();
  const all = [...forwarded.values()].flat();
  const heard = callersOf.map((caller) => hearing.take(caller).length);
  const strays = hearing.take("");
  // What nginx could not send, or got no answer to, tells nothing.
  const isUnclear = inTime.includes(false) || all.some((status) => /^50[0234]/.test(status));
  if (isUnclear) counts.late++;
  if (strays.length > 0) return `Waymark heard ${textOf(strays[0])}, which nginx did not send`;
  if (isUnclear) return null;
  const isHeard = (status: string): boolean => status === "204" || status === "422";
  for (const [at, caller] of callersOf.entries()) {
    const sent = (forwarded.get(caller) ?? []).filter(isHeard).length;
    if (sent !== heard[at]) return `nginx sent ${sent} requests, Waymark heard ${heard[at]}`;
  }
  const refused = all.filter((status) => status === "400").length;
  counts.forwarded += all.length;
  counts.refusedBehind += refused;
  const seen = hearing.refusals() - refusedBefore;
  return seen === refused
    ? null
    : `nginx sent ${refused} requests that were refused, Waymark refused ${seen}`;
}

const showOf = ({ bytes, cuts }: Input): string => `${JSON.stringify(bytes)}, cut at ${JSON.stringify(cuts)}`;

/** True: it is a failure. */
async function judge(
  inputs: readonly Input[],
  found: string,
  tryOne: (input: Input) => Promise<string | null>,
) {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    for (const input of inputs) {
      if ((await tryOne(input)) === null) continue;
      const least = await shrink(input, async (shorter) => (await tryOne(shorter)) !== null);
      console.log(
        `DESYNC: ${(await tryOne(least)) ?? found}\n  bytes ${showOf(least)}\n  of ${showOf(input)}`,
      );
      return true;
    }
  }
  counts.unconfirmed++;
  console.log(`seen once, and not again: ${found}`);
  for (const input of inputs.length > 1 ? [] : inputs) console.log(`  bytes ${showOf(input)}`);
  return false;
}

async function run(): Promise<boolean> {
  const next = createInputs(seed);
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const inputs = Array.from({ length: AT_ONCE }, next);
    counts.inputs += inputs.length;
    const found = await Promise.all(inputs.map(tryBesideNode));
    for (const [at, wrong] of found.entries()) {
      if (wrong !== null && (await judge([inputs[at]!], wrong, tryBesideNode))) return false;
    }
    const wrong = await tryBehindNginx(inputs);
    if (wrong !== null && (await judge(inputs, wrong, (input) => tryBehindNginx([input])))) return false;
  }
  return true;
}

const isFine = await run();
node.stop();
await nginx?.stop();
await hearing.stop();
console.log(JSON.stringify(counts));
// Of no use are a comparison of nothing, and one that is mostly late.
const isEmpty = counts.alike === 0 || (nginx !== null && counts.forwarded === 0);
if (isEmpty) console.log("nothing was compared: the machine is too slow, or a server does not answer");
process.exit(isFine && !isEmpty ? 0 : 1);

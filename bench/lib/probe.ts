/**
 * Requests redirects at a fixed rate beside a load, as its own process: `probe.ts PORT COUNT RATE SECONDS`. Each
 * request has a scheduled time, and its latency counts from there, so a server that stalls cannot hide it by receiving
 * fewer requests. Prints one line of JSON.
 */
import type { Socket } from "bun";
import { codeAt } from "./data-folder.ts";

const CONNECTIONS = 64;
const WARM_UP_MS = 1_000;

const [port, count, rate, seconds] = process.argv.slice(2).map(Number) as [number, number, number, number];

type Lane = { socket: Socket<undefined> | null; due: number; received: string };

const latencies: number[] = [];
const idle: Lane[] = [];
const overdue: number[] = [];
let errors = 0;

const lanes: Lane[] = await Promise.all(Array.from({ length: CONNECTIONS }, connectLane));
idle.push(...lanes);

async function connectLane(): Promise<Lane> {
  const lane: Lane = { socket: null, due: 0, received: "" };
  lane.socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(_socket, bytes) {
        lane.received += bytes.toString("latin1");
        if (!lane.received.endsWith("\r\n\r\n")) return;
        if (!lane.received.startsWith("HTTP/1.1 307")) errors++;
        lane.received = "";
        latencies.push(performance.now() - lane.due);
        const next = overdue.shift();
        if (next === undefined) idle.push(lane);
        else send(lane, next);
      },
    },
  });
  return lane;
}

function send(lane: Lane, due: number): void {
  lane.due = due;
  const code = codeAt(Math.floor(Math.random() * count));
  lane.socket!.write(`GET /${code} HTTP/1.1\r\nHost: bench.example\r\n\r\n`);
}

const begun = performance.now();
let sent = 0;
let warm = false;
while (performance.now() - begun < seconds * 1000 + WARM_UP_MS) {
  const now = performance.now();
  if (!warm && now - begun > WARM_UP_MS) {
    warm = true;
    latencies.length = 0;
  }
  const owed = Math.floor(((now - begun) / 1000) * rate);
  for (; sent < owed; sent++) {
    const due = begun + (sent / rate) * 1000;
    const lane = idle.pop();
    if (lane === undefined) overdue.push(due);
    else send(lane, due);
  }
  await Bun.sleep(1);
}
const sorted = Float64Array.from(latencies).sort();
const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
console.log(
  JSON.stringify({
    answered: sorted.length,
    errors,
    p50: quantile(0.5),
    p99: quantile(0.99),
    p999: quantile(0.999),
    max: sorted.at(-1),
  }),
);
process.exit(0);

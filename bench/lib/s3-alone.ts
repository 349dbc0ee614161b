/**
 * The runtime's S3 client alone, as a process of its own that stays warm: what a relay is measured against. It takes
 * lines `get KEY` (read and thrown away) and `put KEY FILE` (in parts, as it likes), and answers each with a line of
 * JSON: {"ms", "cpuMs"}, its time by the clock and on the processor, of all its threads.
 */
import { bucketOf } from "./s3-bucket.ts";

const bucket = bucketOf(process.env);

async function get(key: string): Promise<void> {
  for await (const _ of bucket.file(key).stream() as unknown as AsyncIterable<Uint8Array>);
}

for await (const line of console) {
  const [what, key = "", path = ""] = line.split(" ");
  const before = process.cpuUsage();
  const begun = performance.now();
  if (what === "get") await get(key);
  else await bucket.write(key, Bun.file(path));
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1_000 }));
}

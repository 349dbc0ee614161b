/**
 * The runtime's S3 client alone, as its own warm process: the baseline for a relay. Reads lines `get KEY` (the content
 * is discarded) and `put KEY FILE` (in the client's own parts). Answers each with a line of JSON: {"ms", "cpuMs"}, its
 * time by the clock and the processor time of all its threads.
 */
import { processorMs } from "./processor.ts";
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
  console.log(JSON.stringify({ ms, cpuMs: processorMs(before) }));
}

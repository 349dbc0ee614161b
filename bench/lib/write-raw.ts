/** Copies a file with plain writes of 1 MiB and one fsync: the baseline for uploads. */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";

const [from = "", to = ""] = process.argv.slice(2);
const source = openSync(from, "r");
const buffer = Buffer.alloc(1 << 20);
const begun = performance.now();
const target = openSync(to, "w");
for (let length = 1; length > 0; ) {
  length = readSync(source, buffer, 0, buffer.length, null);
  if (length > 0) writeSync(target, buffer, 0, length);
}
fsyncSync(target);
closeSync(target);
console.log(performance.now() - begun);

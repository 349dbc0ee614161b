/**
 * The process that crash.test.ts kills: `… DATABASE_URL DATA_FOLDER POLICY_ID SIZE FAULT COMMAND`. It writes a line
 * for each response that a client would have got. "upload SEED": one file. "again SEED": the same content twice. "together SEED COUNT": as many files at once.
 * "delete ID": one file. "resume ID SEED": an upload in two halves. "finish ID SEED": also to its end.
 */
import { writeSync } from "node:fs";
import { openDatabase } from "../../platform/db/database.ts";
import { armFault, fault } from "../../lib/fault.ts";
import { silentLogger } from "../../lib/logger.ts";
import { once, startContent } from "../content.test-support.ts";
import { bytesOf } from "../storage/driver-contract.test-support.ts";

const [url = "", dataDir = "", policy = "", bytes = "", point = "", command = "", ...words] =
  process.argv.slice(2);
const size = Number(bytes);

const report = (text: string) => writeSync(1, `${text}\n`);

const database = await openDatabase({ url, poolSize: 2 }, { threads: false, logger: silentLogger });
const content = await startContent(database, { dataDir });
const policyId = Number(policy);

armFault(point);
if (command === "upload" || command === "again") {
  const given = bytesOf(size, Number(words[0]));
  report(`file ${await content.files.add(given, policyId)}`);
  if (command === "again") report(`file ${await content.files.add(given, policyId)}`);
  await content.blobs.settled();
} else if (command === "together") {
  const contents = Array.from({ length: Number(words[1]) }, (_, n) => bytesOf(size, Number(words[0]) + n));
  for (const id of await content.files.addTogether(contents, policyId)) report(`file ${id}`);
  await content.blobs.settled();
} else if (command === "delete") {
  await content.files.remove(Number(words[0]));
  report("deleted");
} else if (command === "resume" || command === "finish") {
  const given = bytesOf(size, Number(words[1]));
  const upload = await content.blobs.begin(policyId, words[0]!);
  await upload.append(once(given.slice(0, size / 2)), { maxBytes: 0 });
  await upload.suspend();
  report(`received ${upload.received}`);
  fault("test.suspended");
  const resumed = command === "resume" ? upload : await content.blobs.resume(policyId, words[0]!, size / 2);
  await resumed.append(once(given.slice(size / 2)), { maxBytes: 0 });
  fault("test.appended");
  if (command === "finish") await resumed.finish();
  fault("test.finished");
}
report("end");
process.exit(0);

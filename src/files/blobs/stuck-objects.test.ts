/** A storage that refuses to remove one object. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { Logger } from "../../lib/logger.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type ContentHarness, startContent } from "../content.test-support.ts";
import { bytesOf } from "../storage/driver-contract.test-support.ts";
import { type S3Stub, startS3Stub } from "../storage/s3/stub.test-support.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

forEachDialect((dialect) => {
  let at: ContentHarness;
  let stub: S3Stub;
  let policyId: number;
  const warned: string[] = [];
  beforeAll(async () => {
    stub = await startS3Stub();
    const logger: Logger = Object.create(silentLogger);
    logger.warn = (_: unknown, text?: string) => void warned.push(text ?? "");
    at = await startContent(await dialect.openDb(), { logger });
    const keys = { access_key: "a", secret_key: "b", bucket: "bucket" };
    const endpoint = `http://127.0.0.1:${stub.port}`;
    policyId = (await at.policies.create({ name: "s3", driver_type: "s3", endpoint, ...keys })).id;
  });
  afterAll(async () => {
    await at?.close();
    stub?.close();
  });

  const objects = () => [...stub.objects.keys()].filter((key) => !key.includes(".waymark-"));
  const attempts = (key: string) =>
    stub.requests.filter((one) => one.method === "DELETE" && one.key === key).length;

  test("the others are removed; it is tried less and less often, logged once, and removed in the end", async () => {
    const ids: number[] = [];
    for (let n = 0; n < 4; n++) ids.push(await at.files.add(bytesOf(100, n), policyId));
    const bad = objects()[1]!;
    let isRefused = true;
    stub.misbehave({ status: 403 }, ({ method, key }) => isRefused && method === "DELETE" && key === bad);
    await at.files.remove(...ids);
    expect([objects(), attempts(bad)]).toEqual([[bad], 1]);
    const tried: number[] = [];
    for (let hour = 1; hour <= 8; hour++) {
      at.time.now += HOUR_MS;
      await at.runJob("storage-reaper");
      tried.push(attempts(bad));
    }
    expect(tried).toEqual([2, 3, 3, 4, 4, 4, 4, 5]);
    expect(warned).toEqual([expect.stringContaining("less and less often")]);
    isRefused = false;
    at.time.now += DAY_MS;
    await at.runJob("storage-reaper");
    expect(objects()).toEqual([]);
    expect(await at.findings()).toEqual([]);
  }, 60_000);
});

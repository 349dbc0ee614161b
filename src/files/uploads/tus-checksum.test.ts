import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { AppError } from "../../lib/errors.ts";
import { chunksOf, refusal } from "../drive.test-support.ts";
import { createCheckedBodies } from "./tus-checksum.ts";

const MIB = 1024 * 1024;
const checksumOf = (text: string) => ({
  algorithm: "sha256" as const,
  digest: createHash("sha256").update(text).digest(),
});
const bodyOf = (text: string, length: number | undefined, left = 100 * MIB) => ({
  bytes: chunksOf(Buffer.from(text)),
  checksum: checksumOf(text),
  length,
  left,
});
const textOf = async (bytes: AsyncIterable<Uint8Array>): Promise<string> =>
  Buffer.concat(await Array.fromAsync(bytes)).toString();

test("hands out what fits its checksum, and nothing else", async () => {
  const bodies = createCheckedBodies();
  expect(await bodies.prove(bodyOf("hello", 5), textOf)).toBe("hello");
  const other = { ...bodyOf("hello", 5), checksum: checksumOf("hullo") };
  const wrong = await bodies.prove(other, textOf).catch((error: AppError) => error.details?.["status"]);
  expect(wrong).toBe(460);
  expect(await refusal(bodies.prove(bodyOf("hello", undefined, 4), textOf))).toBe("FileTooLargeForPolicy");
  expect(await refusal(bodies.prove(bodyOf("hello", 9 * MIB), textOf))).toBe("FileTooLargeForPolicy");
});

test("gathers no more than 64 MiB at once, and says when to come again", async () => {
  const bodies = createCheckedBodies();
  const held = Promise.withResolvers<void>();
  const many = Array.from({ length: 7 }, () => bodies.prove(bodyOf("x", 8 * MIB), () => held.promise));
  // Without a length it may be as long as any.
  const last = Promise.withResolvers<void>();
  const unknown = bodies.prove(bodyOf("x", undefined), () => last.promise);
  const late = bodies.prove(bodyOf("x", 1), textOf).catch((error: AppError) => [error.name, error.details]);
  expect(await late).toEqual(["ServiceUnavailable", { retryAfterSeconds: 1 }]);
  last.resolve();
  await unknown;
  expect(await bodies.prove(bodyOf("x", 1), textOf)).toBe("x");
  held.resolve();
  await Promise.all(many);
  // What failed is given back as well.
  const broken = { ...bodyOf("x", 8 * MIB), checksum: checksumOf("y") };
  for (let round = 0; round < 9; round++) await bodies.prove(broken, textOf).catch(() => {});
  expect(await bodies.prove(bodyOf("x", 8 * MIB), textOf)).toBe("x");
});

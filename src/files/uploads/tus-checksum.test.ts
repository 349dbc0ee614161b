import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createBodyMemory } from "../../platform/http/body-memory.ts";
import type { AppError } from "../../lib/errors.ts";
import { chunksOf, refusal } from "../drive.test-support.ts";
import { type CheckedBody, provedBytes } from "./tus-checksum.ts";

const MIB = 1024 * 1024;
const checksumOf = (text: string) => ({
  algorithm: "sha256" as const,
  digest: createHash("sha256").update(text).digest(),
});
const bodyOf = (text: string, length: number | undefined, left = 100 * MIB) => ({
  bytes: chunksOf(Buffer.from(text)),
  checksum: checksumOf(text),
  length,
  size: left,
  left,
  reservation: createBodyMemory().enter(),
});
const textOf = async (body: CheckedBody): Promise<string> =>
  Buffer.concat(await Array.fromAsync(await provedBytes(body))).toString();

test("returns only bytes that match the checksum", async () => {
  expect(await textOf(bodyOf("hello", 5))).toBe("hello");
  expect(await textOf(bodyOf("hello", undefined))).toBe("hello");
  const other = { ...bodyOf("hello", 5), checksum: checksumOf("hullo") };
  const wrong = await provedBytes(other).catch((error: AppError) => error.details?.["status"]);
  expect(wrong).toBe(460);
  expect(await refusal(provedBytes(bodyOf("hello", undefined, 4)))).toBe("FileTooLargeForPolicy");
  expect(await refusal(provedBytes(bodyOf("hello", 9 * MIB)))).toBe("FileTooLargeForPolicy");
});

test("counts its bytes and fails when there is no room", async () => {
  const room = createBodyMemory({ mostBytes: 8 });
  const reservation = room.enter();
  const text = "x".repeat(4 * 1024);
  expect(await textOf({ ...bodyOf(`${text}12345678`, undefined), reservation })).toHaveLength(
    text.length + 8,
  );
  const full = { ...bodyOf(`${text}1`, undefined), reservation: room.enter() };
  expect(await refusal(provedBytes(full))).toBe("ServiceUnavailable");
  reservation.leave();
  expect(await textOf({ ...bodyOf(`${text}1`, undefined), reservation: room.enter() })).toHaveLength(
    text.length + 1,
  );
});

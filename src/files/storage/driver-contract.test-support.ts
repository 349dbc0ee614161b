/** Test support: the contract of driver.ts, for every driver. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AppError, type ErrorName } from "../../lib/errors.ts";
import type { ContentIdentity, Driver } from "./driver.ts";

export type DriverUnderTest = {
  driver: Driver;
  /** As after a restart, on the same location. */
  reopen(): Promise<Driver>;
  /** The storage's own listing. */
  allNames(): Promise<string[]>;
  /** Changes stored bytes without the driver. */
  overwrite(key: string, bytes: Uint8Array): Promise<void>;
  /** The driver treats it as large. */
  largeBytes: number;
  close(): Promise<void>;
};

export const newId = (): string => crypto.randomUUID();

export function bytesOf(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    bytes[at] = state >> 16;
  }
  return bytes;
}

export const sha256 = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

export const contentOf = (bytes: Uint8Array): ContentIdentity => ({
  sha256: sha256(bytes),
  generation: Math.floor(Math.random() * 2 ** 52),
});

/** Yields chunks of uneven sizes. Throws after `failAfter` bytes. */
export async function* inChunks(bytes: Uint8Array, failAfter = Infinity): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let size = 1; at < bytes.length; size = (size * 7) % 90_001) {
    if (at >= failAfter) throw new Error("the source failed");
    yield bytes.slice(at, Math.min(at + size, failAfter));
    at = Math.min(at + size, failAfter);
  }
  if (failAfter <= bytes.length) throw new Error("the source failed");
}

export async function put(driver: Driver, bytes: Uint8Array): Promise<string> {
  const staging = await driver.stage(newId());
  await staging.append(inChunks(bytes));
  expect(staging.received).toBe(bytes.length);
  return staging.finish(contentOf(bytes));
}

export async function readAll(body: Blob | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer());
}

async function collect<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) {
    expect(page.length).toBeLessThanOrEqual(1_000);
    all.push(...page);
  }
  return all;
}

export async function expectUnavailable(
  work: Promise<unknown>,
  name: ErrorName = "StorageUnavailable",
): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  expect((error as AppError).name).toBe(name);
  // A sentence for clients: no paths, no codes.
  expect((error as AppError).message).toMatch(/^[A-Z][^/\\{}<>]*\.$/);
  return error as AppError;
}

export function driverContract(driverName: string, open: () => Promise<DriverUnderTest>): void {
  describe(`${driverName}: the driver's contract`, () => {
    let at: DriverUnderTest;
    let driver: Driver;
    beforeAll(async () => {
      at = await open();
      driver = at.driver;
    });
    afterAll(() => at.close());

    /** Except the objects and the marker. */
    const leftovers = async () =>
      (await at.allNames()).filter(
        (path) => !/^(\.waymark-[^/]+|[0-9a-f]{2}\/[0-9a-f]{2}\/[^/]+)$/.test(path),
      );

    const sizes = () => [0, 1, 4_096, 700_001, at.largeBytes];

    describe("an object", () => {
      test("has the appended bytes, for every size", async () => {
        for (const size of sizes()) {
          const bytes = bytesOf(size, size + 1);
          const key = await put(driver, bytes);
          expect(await driver.stat(key)).toEqual({ size });
          expect(sha256(await readAll(await driver.open(key, { size })))).toBe(sha256(bytes));
        }
        expect(await leftovers()).toEqual([]);
      });

      test("is read in ranges with both ends inside", async () => {
        const bytes = bytesOf(300_000);
        const key = await put(driver, bytes);
        for (const range of [
          { start: 0, end: 0 },
          { start: 0, end: 299_999 },
          { start: 299_999, end: 299_999 },
          { start: 65_535, end: 131_072 },
        ]) {
          const body = await driver.open(key, { size: bytes.length, range });
          expect(await readAll(body)).toEqual(bytes.slice(range.start, range.end + 1));
        }
      });

      test("of the same content twice is two objects", async () => {
        const bytes = bytesOf(1_000);
        const keys = [await put(driver, bytes), await put(driver, bytes)];
        expect(keys[0]).not.toBe(keys[1]);
        await driver.remove(keys[0]!);
        expect(await readAll(await driver.open(keys[1]!, { size: 1_000 }))).toEqual(bytes);
      });

      test("is gone after removal, and can be removed again", async () => {
        const key = await put(driver, bytesOf(10));
        await driver.remove(key);
        await driver.remove(key);
        expect(await driver.stat(key)).toBeNull();
        await expectUnavailable(driver.open(key, { size: 10 }));
        expect(await at.allNames()).not.toContain(key);
      });

      test("is not opened if its size is wrong", async () => {
        const key = await put(driver, bytesOf(1_000));
        for (const wrong of [bytesOf(999), bytesOf(1_001), bytesOf(0)]) {
          await at.overwrite(key, wrong);
          await expectUnavailable(driver.open(key, { size: 1_000 }));
          await expectUnavailable(driver.open(key, { size: 1_000, range: { start: 0, end: 9 } }));
        }
      });
    });

    describe("a staging", () => {
      test("is not an object before it is finished, and leaves nothing after it is aborted", async () => {
        for (const size of sizes()) {
          const before = await at.allNames();
          const staging = await driver.stage(newId());
          await staging.append(inChunks(bytesOf(size)));
          expect((await collect(driver.listObjects())).map(({ key }) => key).sort()).toEqual(
            objectsOf(before),
          );
          await staging.abort();
          await staging.abort();
          expect(await at.allNames()).toEqual(before);
        }
      });

      test("passes on the source's error, and leaves nothing after it is aborted", async () => {
        for (const failAfter of [0, 100, 600_000, at.largeBytes]) {
          const before = await at.allNames();
          const staging = await driver.stage(newId());
          const appending = staging.append(inChunks(bytesOf(at.largeBytes), failAfter));
          expect(await appending.catch((error: Error) => error.message)).toBe("the source failed");
          expect(staging.received).toBe(failAfter);
          await staging.abort();
          expect(await at.allNames()).toEqual(before);
        }
      });

      test("takes several appends", async () => {
        const bytes = bytesOf(at.largeBytes + 5);
        const staging = await driver.stage(newId());
        for (const [from, to] of [
          [0, 1],
          [1, 1],
          [1, 900_000],
          [900_000, bytes.length],
        ] as const) {
          await staging.append(inChunks(bytes.slice(from, to)));
        }
        const key = await staging.finish(contentOf(bytes));
        expect(sha256(await readAll(await driver.open(key, { size: bytes.length })))).toBe(sha256(bytes));
      });

      test("continues in another process, from any byte", async () => {
        const bytes = bytesOf(at.largeBytes * 2);
        const id = newId();
        let staging = await driver.stage(id);
        let received = 0;
        for (const until of [10, 100_000, at.largeBytes + 3, at.largeBytes + 4, bytes.length]) {
          await staging.append(inChunks(bytes.slice(received, until)));
          await staging.suspend();
          received = staging.received;
          staging = await (await at.reopen()).resume(id, received);
          expect(staging.received).toBe(received);
        }
        const hasher = new Bun.CryptoHasher("sha256");
        for await (const chunk of staging.read()) hasher.update(chunk);
        expect(hasher.digest("hex")).toBe(sha256(bytes));
        const key = await staging.finish(contentOf(bytes));
        await staging.settle();
        expect(sha256(await readAll(await driver.open(key, { size: bytes.length })))).toBe(sha256(bytes));
        expect(await leftovers()).toEqual([]);
      });

      test("keeps the bytes before its source failed, and continues from there", async () => {
        const bytes = bytesOf(at.largeBytes + 1_000);
        const id = newId();
        const first = await driver.stage(id);
        await first.append(inChunks(bytes, at.largeBytes + 7)).catch(() => undefined);
        await first.suspend();
        const second = await driver.resume(id, first.received);
        await second.append(inChunks(bytes.slice(second.received)));
        const key = await second.finish(contentOf(bytes));
        await second.settle();
        expect(sha256(await readAll(await driver.open(key, { size: bytes.length })))).toBe(sha256(bytes));
        expect(await leftovers()).toEqual([]);
      });

      test.each([3, 2.5])(
        "that was finished is resumed with all bytes until it is settled (%d parts)",
        async (n) => {
          const bytes = bytesOf(Math.floor(n * at.largeBytes));
          const id = newId();
          const first = await driver.stage(id);
          await first.append(inChunks(bytes.slice(0, 1_000)));
          await first.suspend();
          const second = await driver.resume(id, 1_000);
          await second.append(inChunks(bytes.slice(1_000)));
          const lost = await second.finish(contentOf(bytes));
          const third = await (await at.reopen()).resume(id, 1_000);
          expect(third.received).toBe(bytes.length);
          const hasher = new Bun.CryptoHasher("sha256");
          for await (const chunk of third.read()) hasher.update(chunk);
          expect(hasher.digest("hex")).toBe(sha256(bytes));
          const key = await third.finish(contentOf(bytes));
          await third.settle();
          if (lost !== key) await driver.remove(lost);
          expect(sha256(await readAll(await driver.open(key, { size: bytes.length })))).toBe(sha256(bytes));
          expect(await leftovers()).toEqual([]);
        },
      );

      test("that was finished and is aborted later leaves the object", async () => {
        const bytes = bytesOf(at.largeBytes + 1_000);
        const id = newId();
        const first = await driver.stage(id);
        await first.append(inChunks(bytes));
        await first.suspend();
        const key = await (await driver.resume(id, bytes.length)).finish(contentOf(bytes));
        await (await driver.resume(id, bytes.length)).abort();
        expect(sha256(await readAll(await driver.open(key, { size: bytes.length })))).toBe(sha256(bytes));
        expect(await leftovers()).toEqual([]);
      });

      test("that another process removed while it is written fails, and leaves no object", async () => {
        for (const late of [0, 3 * at.largeBytes]) {
          const before = await at.allNames();
          const staging = await driver.stage(newId());
          await staging.append(inChunks(bytesOf(2 * at.largeBytes)));
          await (await at.reopen()).removeStaging(staging.id);
          const bytes = bytesOf(2 * at.largeBytes + late);
          await expectUnavailable(
            (async () => {
              await staging.append(inChunks(bytes.subarray(staging.received)));
              await staging.finish(contentOf(bytes));
            })(),
          );
          await staging.abort();
          expect(await at.allNames()).toEqual(before);
        }
      });

      test("that lost bytes or never existed is not resumed", async () => {
        const id = newId();
        const staging = await driver.stage(id);
        await staging.append(inChunks(bytesOf(100)));
        await staging.suspend();
        await expectUnavailable(driver.resume(id, 101));
        await driver.removeStaging(id);
        await driver.removeStaging(id);
        await expectUnavailable(driver.resume(id, 100));
        expect(await leftovers()).toEqual([]);
      });
    });

    describe("lists", () => {
      test("have every object once, in order, with its size and age", async () => {
        const before = new Set((await collect(driver.listObjects())).map(({ key }) => key));
        const start = Date.now();
        const made = new Map<string, number>();
        await Promise.all(
          Array.from({ length: 30 }, async (_, n) => made.set(await put(driver, bytesOf(n, n)), n)),
        );
        const listed = await collect(driver.listObjects());
        const keys = listed.map(({ key }) => key);
        expect(keys).toEqual([...keys].sort());
        const fresh = listed.filter(({ key }) => !before.has(key));
        expect(new Map(fresh.map(({ key, size }) => [key, size]))).toEqual(made);
        for (const { modifiedAt } of fresh) expect(Math.abs(modifiedAt - start)).toBeLessThan(60_000);
      });

      test("skip foreign files", async () => {
        const before = (await collect(driver.listObjects())).length;
        const foreign = [
          "photo.jpg",
          "ab/cd/photo.jpg",
          "ab/photo.jpg",
          `ab/cd/${"0".repeat(64)}.1`,
          ".other",
        ];
        for (const name of foreign) await at.overwrite(name, bytesOf(3));
        expect((await collect(driver.listObjects())).length).toBe(before);
        for (const name of foreign) expect(await at.allNames()).toContain(name);
        for (const name of foreign) await driver.remove(name);
      });

      test("have the matching stagings, small and large, with size and age", async () => {
        const staged = new Map([10, at.largeBytes, at.largeBytes * 2].map((size) => [newId(), size]));
        for (const [id, size] of staged) {
          const staging = await driver.stage(id);
          await staging.append(inChunks(bytesOf(size)));
          await staging.suspend();
        }
        const listed = await collect(driver.listStagings(() => true));
        const found = new Map<string, number>();
        for (const { id, size, modifiedAt } of listed) {
          found.set(id, (found.get(id) ?? 0) + size);
          expect(Math.abs(modifiedAt - Date.now())).toBeLessThan(60_000);
        }
        expect(found).toEqual(staged);
        const [first] = staged.keys();
        const some = await collect(driver.listStagings((id) => id === first));
        expect(new Set(some.map(({ id }) => id))).toEqual(new Set([first!]));
        for (const id of staged.keys()) await (await at.reopen()).removeStaging(id);
        expect(await collect(driver.listStagings(() => true))).toEqual([]);
        expect(await leftovers()).toEqual([]);
      });
    });

    test("each installation has its own marker in a location", async () => {
      const [mine, others] = [newId(), newId()];
      expect(await driver.claim(mine, false)).toBe(false);
      expect(await driver.claim(mine, true)).toBe(true);
      const reopened = await at.reopen();
      expect(await reopened.claim(mine, false)).toBe(true);
      expect(await reopened.claim(mine, true)).toBe(true);
      expect(await reopened.claim(others, false)).toBe(false);
      expect(await reopened.claim(others, true)).toBe(true);
      expect(await driver.claim(mine, false)).toBe(true);
    });

    test("a reader that leaves does not disturb others", async () => {
      const bytes = bytesOf(at.largeBytes);
      const key = await put(driver, bytes);
      const leaving = new AbortController();
      const body = await driver.open(key, { size: bytes.length, signal: leaving.signal });
      const reader = (body instanceof Blob ? body.stream() : body).getReader();
      await reader.read();
      leaving.abort();
      await reader.cancel().catch(() => undefined);
      expect(sha256(await readAll(await driver.open(key, { size: bytes.length })))).toBe(sha256(bytes));
    });
  });
}

const objectsOf = (names: readonly string[]): string[] =>
  names.filter((name) => /^[0-9a-f]{2}\/[0-9a-f]{2}\//.test(name)).sort();

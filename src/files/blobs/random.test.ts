/**
 * Random schedules: many clients upload and delete a handful of contents, several files of each at once, while jobs
 * run and uploads fail. At the end every file whose upload succeeded reads back, and the doctor finds nothing. The seed is
 * printed with a failure; WAYMARK_TEST_SEED repeats it (as far as schedules repeat), WAYMARK_TEST_STEPS makes it longer.
 */
import { describe, expect, test } from "bun:test";
import { forEachDialect, WITHOUT_MYSQL } from "../../platform/db/for-each-dialect.test-support.ts";
import { type ContentHarness, keepOne, once, startContent } from "../content.test-support.ts";
import { bytesOf, inChunks, sha256 } from "../storage/driver-contract.test-support.ts";

const SEED = Number(process.env["WAYMARK_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const STEPS = Number(process.env["WAYMARK_TEST_STEPS"] ?? 1_500);
const CLIENTS = 24;
const CONTENTS = 5;

function createRandom(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Random = ReturnType<typeof createRandom>;
type Files = { id: number; content: number }[];

const contents = Array.from({ length: CONTENTS }, (_, n) => bytesOf(n === 0 ? 0 : 3_000 * n, n + 1));

/** One client's next action on files that are its own. */
async function act(
  at: ContentHarness,
  policyIds: readonly number[],
  mine: Files,
  random: Random,
): Promise<void> {
  const content = random(CONTENTS);
  const bytes = contents[content]!;
  const policyId = policyIds[random(policyIds.length)]!;
  // Few files at a time, so that blobs often lose their last one.
  const action = mine.length > 1 ? 45 + random(55) : random(100);
  if (action < 45) {
    mine.push({ id: await at.files.add(bytes, policyId), content });
  } else if (action < 80) {
    const gone = mine.splice(0, 1 + random(2));
    if (gone.length > 0) await at.files.remove(...gone.map(({ id }) => id));
  } else if (action < 85) {
    const failing = at.blobs.store(inChunks(bytes, random(bytes.length + 1)), policyId, { maxBytes: 0 });
    await failing.then((stored) => stored.drop()).catch(() => undefined);
  } else if (action < 90) {
    const stored = await at.blobs.store(once(bytes), policyId, { maxBytes: 0 });
    const refused = keepOne(at.blobs, stored, (commit) =>
      at.database.transaction(async (tx) => {
        await commit(tx);
        throw new Error("refused");
      }),
    );
    await refused.catch(() => undefined);
  } else if (action < 98) {
    const file = mine[random(mine.length)];
    if (file !== undefined)
      expect(sha256(await at.files.read(file.id))).toBe(sha256(contents[file.content]!));
  } else {
    await at.runJob(["storage-reaper", "storage-orphans"][random(2)]!);
  }
}

forEachDialect((dialect) => {
  describe(`a random schedule of ${STEPS} steps (seed ${SEED})`, () => {
    test("loses nothing and leaves nothing", async () => {
      const database = await dialect.openDb({ poolSize: 8 });
      const at = await startContent(database);
      const other = await at.policies.create({ name: "other", driver_type: "local", base_path: "files" });
      const policyIds = [at.policy.id, other.id];
      let left = STEPS;
      const files = await Promise.all(
        Array.from({ length: CLIENTS }, async (_, client) => {
          const random = createRandom(SEED + client);
          const mine: Files = [];
          while (left-- > 0) await act(at, policyIds, mine, random);
          return mine;
        }),
      );
      await at.blobs.settled();
      for (const { id, content } of files.flat()) {
        expect(sha256(await at.files.read(id))).toBe(sha256(contents[content]!));
      }
      await at.runJob("storage-reaper");
      expect(await at.findings()).toEqual([]);
      at.time.now += 2 * 3_600_000;
      expect(await at.findings()).toEqual([]);
      await at.files.remove(...files.flat().map(({ id }) => id), 0);
      expect(await at.findings()).toEqual([]);
      expect(at.stored()).toEqual([]);
      await at.close();
    });
  });
}, WITHOUT_MYSQL);

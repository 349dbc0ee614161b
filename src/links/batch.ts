/** Batches: a bad item fails alone, the others are written in one transaction. Long work yields to the event loop. */
import type { Actor } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError, appError } from "../lib/errors.ts";
import { validated } from "../lib/validated.ts";
import { inParallel } from "../lib/in-parallel.ts";
import { type CodeRule, isCodeText, linkNotFound } from "./code.ts";
import type { FallbackLoops } from "./fallback-loops.ts";
import { readOptions } from "./link-options.ts";
import { parseLinkInput, parseLinkUpdate, parseTagChange } from "./link-input.ts";
import { createSchema, updateItemSchema } from "./link.ts";
import type { LinkWriter, WriteOutcome, WrittenLink } from "./writer.ts";

export const MOST_ITEMS = 5000;
const ITEMS_A_TURN = 100;
/** Concurrent password hashes. */
const HASHES_AT_ONCE = 2;

/** In the order of the request. `code`: empty if absent. */
export type BatchResult = {
  success: string[];
  failed: { code: string; error: string; error_code: number }[];
};

type Deps = {
  writer: LinkWriter;
  rule: CodeRule;
  hashPassword(plain: string): Promise<string>;
  clock: Clock;
  loops: FallbackLoops;
  actor: Actor;
};

type Checked<T> = T | AppError;
type Secret = { password: string | null | undefined };

export function createLinkBatch({ writer, rule, hashPassword, clock, loops, actor }: Deps) {
  return {
    /** Items like the body of a create. @throws BatchSizeTooLarge */
    async create(items: readonly unknown[]): Promise<BatchResult> {
      const now = clock.now();
      const inputs = await checked(items, (item) =>
        parseLinkInput(validated(createSchema, item, "The item"), rule, now),
      );
      await refuseLoops(inputs, (input) => loops.refusal(input.code, readOptions(input.options).fallbackUrl));
      const entries = await hashed(inputs, hashPassword);
      const outcomes = await written(entries, (valid) => writer.create(valid, { actor, now }));
      return resultOf(outcomes, items);
    },

    /** Items `{code, payload}`. @throws BatchSizeTooLarge */
    async update(items: readonly unknown[]): Promise<BatchResult> {
      const now = clock.now();
      const patches = await checked(items, (item) => {
        const { code, payload } = validated(updateItemSchema, item, "The item");
        if (!isCodeText(code)) throw linkNotFound(code);
        return { code, ...parseLinkUpdate(payload, now), ...parseTagChange(payload) };
      });
      await refuseLoops(patches, (patch) => loops.refusal(patch.code, patch.options.fallbackUrl));
      const updates = await hashed(patches, hashPassword);
      const outcomes = await written(updates, (valid) => writer.update(valid, { actor, now }));
      return resultOf(outcomes, items);
    },

    /** Items are codes. @throws BatchSizeTooLarge */
    async remove(items: readonly unknown[]): Promise<BatchResult> {
      const codes = await checked(items, (item) => {
        if (typeof item !== "string") throw appError("BadRequest", "A code must be a string.");
        if (!isCodeText(item)) throw linkNotFound(item);
        return item;
      });
      const outcomes = await written(codes, (valid) => writer.remove(valid, { actor, now: clock.now() }));
      return resultOf(outcomes, items);
    },
  };
}

async function checked<T>(items: readonly unknown[], check: (item: unknown) => T): Promise<Checked<T>[]> {
  if (items.length > MOST_ITEMS) {
    throw appError("BatchSizeTooLarge", `A batch has at most ${MOST_ITEMS} items; send more in several.`);
  }
  const results: Checked<T>[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % ITEMS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    results.push(item instanceof AppError ? item : refusalOr(() => check(item)));
  }
  return results;
}

function refusalOr<T>(run: () => T): Checked<T> {
  try {
    return run();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

async function refuseLoops<T>(
  items: Checked<T>[],
  refusalOf: (item: T) => Promise<AppError | null>,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    const refusal = item instanceof AppError ? null : await refusalOf(item);
    if (refusal !== null) items[index] = refusal;
  }
}

/** Hashes instead of passwords. An item without room in the hash queue fails. */
async function hashed<T extends Secret>(
  items: readonly Checked<T>[],
  hashPassword: Deps["hashPassword"],
): Promise<Checked<Omit<T, "password"> & { passwordHash: T["password"] }>[]> {
  const results = items.map((item): Checked<Omit<T, "password"> & { passwordHash: T["password"] }> => {
    if (item instanceof AppError) return item;
    const { password, ...rest } = item;
    return { ...rest, passwordHash: password };
  });
  await inParallel(results.entries(), HASHES_AT_ONCE, async ([index, item]) => {
    if (item instanceof AppError || typeof item.passwordHash !== "string") return;
    try {
      item.passwordHash = await hashPassword(item.passwordHash);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      results[index] = error;
    }
  });
  return results;
}

/** Merges the outcomes with the refusals. */
async function written<T, W>(
  items: readonly Checked<T>[],
  write: (valid: readonly T[]) => Promise<WriteOutcome<W>[]>,
): Promise<WriteOutcome<W>[]> {
  const valid = items.filter((item): item is Exclude<typeof item, AppError> => !(item instanceof AppError));
  const outcomes = valid.length === 0 ? [] : await write(valid);
  let next = 0;
  return items.map((item) => (item instanceof AppError ? item : outcomes[next++]!));
}

function resultOf(
  outcomes: readonly WriteOutcome<WrittenLink | string>[],
  items: readonly unknown[],
): BatchResult {
  const result: BatchResult = { success: [], failed: [] };
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome instanceof AppError) {
      result.failed.push({ code: codeOf(items[index]), error: outcome.message, error_code: outcome.code });
    } else result.success.push(typeof outcome === "string" ? outcome : outcome.code);
  }
  return result;
}

/** Empty if there is none. */
function codeOf(item: unknown): string {
  const code = typeof item === "object" && item !== null && "code" in item ? item.code : item;
  return typeof code === "string" ? code : "";
}

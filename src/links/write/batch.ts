/** Batches: a bad item fails alone, the others are written in one transaction. Long work yields to the event loop. */
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import { inParallel } from "../../lib/in-parallel.ts";
import { type CodeRule, isCodeText, linkNotFound } from "../link/code.ts";
import { type LinkOptions, readOptions } from "../link/field-values.ts";
import { parseLinkInput, parseLinkUpdate, parseTagChange } from "../link/input.ts";
import { codeOf } from "../link/key.ts";
import { createSchema, namedSchema, updateItemSchema } from "../link/link.ts";
import type { Gifts } from "./gifts.ts";
import type { LinkWriter, WriteOutcome, WrittenLink } from "./writer.ts";

export const MOST_ITEMS = 5000;
const ITEMS_A_TURN = 100;
/** Concurrent password hashes. */
const HASHES_AT_ONCE = 2;

/** Outcomes in the order of the request. `code` is empty if the item has none. */
export type BatchResult = {
  success: string[];
  failed: { code: string; error: string; error_code: number }[];
};

/** See domains/registry.ts. */
type Domains = {
  key(code: string, host: string | null | undefined): string;
  place<T extends { code: string | null }>(input: T, host: string | null | undefined): T & { domain: number };
  refuseMove(key: string, host: string | null | undefined): void;
};

type Deps = {
  writer: LinkWriter;
  rule: CodeRule;
  domains: Domains;
  hashPassword(plain: string): Promise<string>;
  clock: Clock;
  loops: {
    refusal(
      code: string | null,
      urls: Partial<LinkOptions> & { target?: string | undefined },
    ): Promise<AppError | null>;
  };
  gifts: Pick<Gifts, "owned">;
  actor: Actor;
};

type Checked<T> = T | AppError;
type Secret = { password: string | null | undefined };

export type LinkBatch = ReturnType<typeof createLinkBatch>;

export function createLinkBatch({ writer, rule, domains, hashPassword, clock, loops, gifts, actor }: Deps) {
  return {
    /** Items like the body of a create. @throws BatchSizeTooLarge */
    async create(items: readonly unknown[]): Promise<BatchResult> {
      const now = clock.now();
      const inputs = await checked(items, (item) => {
        const input = validated(createSchema, item, "The item");
        return { ...domains.place(parseLinkInput(input, rule, now), input.domain), owner: input.owner };
      });
      await refuseLoops(inputs, (input) =>
        loops.refusal(input.code, { ...input, ...readOptions(input.options) }),
      );
      const entries = await hashed(await gifts.owned(inputs), hashPassword);
      const outcomes = await written(entries, (valid) => writer.create(valid, { actor, now }));
      return resultOf(outcomes, items);
    },

    /** Items `{code, domain?, payload}`. @throws BatchSizeTooLarge */
    async update(items: readonly unknown[]): Promise<BatchResult> {
      const now = clock.now();
      const patches = await checked(items, (item) => {
        const { code, domain, payload } = validated(updateItemSchema, item, "The item");
        if (!isCodeText(code)) throw linkNotFound(code);
        const key = domains.key(code, domain);
        domains.refuseMove(key, payload.domain);
        return {
          code: key,
          ...parseLinkUpdate(payload, now),
          ...parseTagChange(payload),
          owner: payload.owner,
        };
      });
      await refuseLoops(patches, (patch) => loops.refusal(patch.code, { ...patch, ...patch.options }));
      const updates = await hashed(await gifts.owned(patches), hashPassword);
      const outcomes = await written(updates, (valid) => writer.update(valid, { actor, now }));
      return resultOf(outcomes, items);
    },

    /** Items are codes or `{code, domain?}`. @throws BatchSizeTooLarge */
    async remove(items: readonly unknown[]): Promise<BatchResult> {
      const codes = await checked(items, (item) => {
        const named = typeof item === "string" ? { code: item } : item;
        const { code, domain } = validated(namedSchema, named, "The item");
        if (!isCodeText(code)) throw linkNotFound(code);
        return domains.key(code, domain);
      });
      const outcomes = await written(codes, (valid) => writer.remove(valid, { actor, now: clock.now() }));
      return resultOf(outcomes, items);
    },
  };
}

async function checked<T>(items: readonly unknown[], check: (item: unknown) => T): Promise<Checked<T>[]> {
  if (items.length > MOST_ITEMS) {
    throw appError(
      "BatchSizeTooLarge",
      `A batch can have at most ${MOST_ITEMS} items; send several batches.`,
    );
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
      result.failed.push({ code: codeIn(items[index]), error: outcome.message, error_code: outcome.code });
    } else result.success.push(codeOf(typeof outcome === "string" ? outcome : outcome.code));
  }
  return result;
}

/** Empty if there is none. */
function codeIn(item: unknown): string {
  const code = typeof item === "object" && item !== null && "code" in item ? item.code : item;
  return typeof code === "string" ? code : "";
}

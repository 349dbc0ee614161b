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
import type { Owners } from "../link/owners.repository.ts";
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
  owners: Owners;
  actor: Actor;
};

export function createLinkBatch({ writer, rule, domains, hashPassword, clock, loops, owners, actor }: Deps) {
  async function refuseLoop(...of: Parameters<Deps["loops"]["refusal"]>): Promise<void> {
    const refusal = await loops.refusal(...of);
    if (refusal !== null) throw refusal;
  }

  const hashOf = async <P extends string | null | undefined>(password: P) =>
    typeof password === "string" ? hashPassword(password) : (password as Exclude<P, string>);

  /** Looks up each name once. */
  const ownersOfBatch = () => {
    const known = new Map<string, Promise<number | undefined>>();
    return async (name: string | null | undefined): Promise<number | undefined> => {
      if (name && !known.has(name)) known.set(name, owners.newOwner(actor, name));
      return name ? known.get(name) : undefined;
    };
  };

  return {
    /** Items like the body of a create. @throws BatchSizeTooLarge */
    async create(items: readonly unknown[]): Promise<BatchResult> {
      const now = clock.now();
      const ownerOf = ownersOfBatch();
      const entries = await checked(items, async (item) => {
        const input = validated(createSchema, item, "The item");
        const { password, ...entry } = domains.place(parseLinkInput(input, rule, now), input.domain);
        await refuseLoop(entry.code, { ...entry, ...readOptions(entry.options) });
        const ownerId = await ownerOf(input.owner);
        return { ...entry, ownerId, passwordHash: await hashOf(password) };
      });
      return written(items, entries, (valid) => writer.create(valid, { actor, now }));
    },

    /** Items `{code, domain?, payload}`. @throws BatchSizeTooLarge */
    async update(items: readonly unknown[]): Promise<BatchResult> {
      const now = clock.now();
      const ownerOf = ownersOfBatch();
      const updates = await checked(items, async (item) => {
        const { code, domain, payload } = validated(updateItemSchema, item, "The item");
        const key = keyOf(code, domain);
        domains.refuseMove(key, payload.domain);
        const { password, ...change } = {
          ...parseLinkUpdate(payload, rule, now),
          ...parseTagChange(payload),
        };
        await refuseLoop(key, { ...change, ...change.options });
        const ownerId = await ownerOf(payload.owner);
        return { ...change, code: key, ownerId, passwordHash: await hashOf(password) };
      });
      return written(items, updates, (valid) => writer.update(valid, { actor, now }));
    },

    /** Items are codes or `{code, domain?}`. @throws BatchSizeTooLarge */
    async remove(items: readonly unknown[]): Promise<BatchResult> {
      const keys = await checked(items, async (item) => {
        const named = typeof item === "string" ? { code: item } : item;
        const { code, domain } = validated(namedSchema, named, "The item");
        return keyOf(code, domain);
      });
      return written(items, keys, (valid) => writer.remove(valid, { actor, now: clock.now() }));
    },
  };

  /** @throws LinkNotFound, BadRequest for an unknown host */
  function keyOf(code: string, host: string | null | undefined): string {
    if (!isCodeText(code)) throw linkNotFound(code);
    return domains.key(code, host);
  }
}

type Checked<T> = T | AppError;

/** What `check` returns for each item, or why it is refused; it has room for the hashes of two passwords at once. */
async function checked<T>(
  items: readonly unknown[],
  check: (item: unknown) => Promise<T>,
): Promise<Checked<T>[]> {
  if (items.length > MOST_ITEMS) {
    throw appError(
      "BatchSizeTooLarge",
      `A batch can have at most ${MOST_ITEMS} items; send several batches.`,
    );
  }
  const results: Checked<T>[] = [];
  await inParallel(items.entries(), HASHES_AT_ONCE, async ([index, item]) => {
    if (index > 0 && index % ITEMS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    results[index] = item instanceof AppError ? item : await orRefusal(() => check(item));
  });
  return results;
}

/** The result, or the AppError with which `run` fails. */
export async function orRefusal<T>(run: () => Promise<T>): Promise<Checked<T>> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Writes the valid entries. */
async function written<T>(
  items: readonly unknown[],
  entries: readonly Checked<T>[],
  write: (valid: readonly T[]) => Promise<WriteOutcome<WrittenLink | string>[]>,
): Promise<BatchResult> {
  const valid = entries.filter(
    (entry): entry is Exclude<typeof entry, AppError> => !(entry instanceof AppError),
  );
  const outcomes = valid.length === 0 ? [] : await write(valid);
  const result: BatchResult = { success: [], failed: [] };
  let next = 0;
  for (const [index, entry] of entries.entries()) {
    const outcome = entry instanceof AppError ? entry : outcomes[next++]!;
    if (outcome instanceof AppError) {
      result.failed.push({ code: codeIn(items[index]), error: outcome.message, error_code: outcome.code });
    } else result.success.push(codeOf(typeof outcome === "string" ? outcome : outcome.code));
  }
  return result;
}

/** The code of an item, also of one that was too large (see readJsonList); empty if there is none. */
function codeIn(given: unknown): string {
  const item = given instanceof AppError ? given.details?.["item"] : given;
  const code = typeof item === "object" && item !== null && "code" in item ? item.code : item;
  return typeof code === "string" ? code : "";
}

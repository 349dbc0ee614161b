/** Links whose codes serve something of another room (internal-target.ts), made in its transaction. */
import { isUniqueViolation } from "../db/failures.ts";
import type { Actor } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import type { CodeRule } from "./code.ts";
import { parseLinkInput } from "./link-input.ts";
import type { CreateInput, Link } from "./link.ts";
import { DEFAULT_DOMAIN } from "./link-key.ts";
import type { LinkTransaction } from "./changes.ts";
import type { LinkRepository } from "./links.repository.ts";
import { alreadyExists, type CheckedCreate, type LinkWriter } from "./writer.ts";
import { AppError } from "../lib/errors.ts";

export type InternalInput = Pick<CreateInput, "code" | "expires_at" | "password" | "title">;

export type InternalEntry = Omit<CheckedCreate, "target" | "force">;

type Deps = {
  writer: LinkWriter;
  repository: LinkRepository;
  rule: CodeRule;
  hashPassword(plain: string): Promise<string>;
  clock: Clock;
};

export type InternalLinks = ReturnType<typeof createInternalLinks>;

/** Passes every check. Never stored. */
const PLACEHOLDER = "http://localhost/";
const MOST_RUNS = 5;

export function createInternalLinks({ writer, repository, rule, hashPassword, clock }: Deps) {
  return {
    /** Call it before the transaction. @throws LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime */
    async check(input: InternalInput): Promise<InternalEntry> {
      const {
        password,
        target: _,
        force: __,
        ...entry
      } = parseLinkInput({ ...input, target: PLACEHOLDER }, rule, clock.now());
      return {
        ...entry,
        domain: DEFAULT_DOMAIN,
        passwordHash: password === null ? null : await hashPassword(password),
      };
    },

    /** @throws LinkAlreadyExists */
    async create(tx: LinkTransaction, entry: InternalEntry, target: string, actor: Actor): Promise<Link> {
      const [written] = await writer.createIn(tx, [{ ...entry, target, force: false }], {
        actor,
        now: clock.now(),
      });
      if (written instanceof AppError) throw written;
      return (await repository.find(written!.code, tx.db))!;
    },

    /** Calls `write` again if another writer took the code meanwhile. */
    async inTurn<T>(code: string | null, write: () => Promise<T>): Promise<T> {
      for (let runs = 1; ; runs++) {
        try {
          return await write();
        } catch (error) {
          if (!isUniqueViolation(error)) throw error;
          if (runs === MOST_RUNS) throw code === null ? error : alreadyExists(code);
        }
      }
    },
  };
}

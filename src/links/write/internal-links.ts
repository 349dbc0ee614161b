/** Links whose codes serve something of another room (internal-target.ts), made in its transaction. */
import { isUniqueViolation } from "../../platform/db/failures.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { type CodeRule, codeTaken } from "../link/code.ts";
import { passwordNeeded } from "../link/internal-fields.ts";
import { isInternal, isReport } from "../link/internal-target.ts";
import type { ServedFields } from "../link/events.ts";
import { parseLinkInput } from "../link/input.ts";
import type { CreateInput, Link } from "../link/link.ts";
import { codeOf, DEFAULT_DOMAIN, domainOf, keyOf } from "../link/key.ts";
import { NO_OPTIONS } from "../link/field-values.ts";
import { writeAgain } from "./changes.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { ExistingLink, LinkRepository } from "./repository.ts";
import type { CheckedCreate, CheckedUpdate, LinkWriter, LockedLinks } from "./writer.ts";
import { AppError, appError } from "../../lib/errors.ts";

export type InternalInput = Pick<CreateInput, "code" | "expires_at" | "password" | "title">;

type InternalEntry = Omit<CheckedCreate, "target" | "force">;

/** What the code leads to from now on. */
export type Use = {
  /** Internal, or a URL. */
  target: string;
  /** Extra fields of events, about the former use and the new one. Null: a redirect. */
  before: ServedFields | null;
  after: ServedFields | null;
};

/** Prepared before the transaction. `link`: as it was read for this. */
export type PlannedChange = {
  link: Link;
  change: CheckedUpdate;
  now: number;
  /** The change restores a past state, and the password is that of this state. */
  hasPasswordOfState?: boolean;
};

/** Locked until the transaction ends. */
type LinkInChange = { stored: ExistingLink; locked: LockedLinks };

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

export function createInternalLinks({ writer, repository, rule, hashPassword, clock }: Deps) {
  return {
    /** Call it before the transaction. @throws LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime */
    async check(input: InternalInput, domain = DEFAULT_DOMAIN): Promise<InternalEntry> {
      const {
        password,
        target: _,
        force: __,
        ...entry
      } = parseLinkInput({ ...input, target: PLACEHOLDER }, rule, clock.now());
      return {
        ...entry,
        domain,
        code: entry.code && keyOf(domain, entry.code),
        passwordHash: password === null ? null : await hashPassword(password),
      };
    },

    /** @throws LinkAlreadyExists */
    async create(
      tx: ChangeTransaction,
      entry: InternalEntry,
      { target, ...serves }: Use,
      actor: Actor,
    ): Promise<Link> {
      const by = { actor, now: clock.now(), serves };
      const [written] = await writer.createIn(tx, [{ ...entry, target, force: false }], by);
      if (written === undefined || written instanceof AppError) throw written;
      const { isNew: _, ...link } = written;
      return repository.shown(link, null, tx.db);
    },

    /** Locks the link that `change` writes. Null if it is gone. */
    async lock(tx: ChangeTransaction, { change }: PlannedChange): Promise<LinkInChange | null> {
      const locked = await writer.lock(tx, [change]);
      const stored = locked.links.get(change.code);
      return stored === undefined ? null : { stored, locked };
    },

    /**
     * Changes a locked link that serves something, or will. Its options go when it does. @throws LinkNotFound,
     * LinkAlreadyExists, LinkReservedCode, BadRequest (another domain, a redirect's password), Forbidden (a domain of
     * others)
     */
    async change(
      tx: ChangeTransaction,
      { stored, locked }: LinkInChange,
      planned: PlannedChange,
      { target, ...serves }: Use,
      actor: Actor,
    ): Promise<Link> {
      const { link, change, now } = planned;
      if (isInternal(target) && keepsRedirectPassword(stored, planned))
        throw passwordNeeded(isReport(target) ? "report" : "share");
      const options = isInternal(target) ? NO_OPTIONS : change.options;
      const update = { ...change, target, ...(options && { options }) };
      const [written] = await writer.updateIn(tx, [update], { actor, now, serves }, locked);
      if (written === undefined || written instanceof AppError) throw written;
      if (isInternal(target)) {
        for (const key of [written.code, ...(await repository.aliases.ofLinks([written.id], tx.db))])
          refuseKey(key, rule, target);
      }
      return repository.shown(written, link, tx.db);
    },

    /** Calls `write` again if another writer took the code meanwhile. */
    inTurn: <T>(code: string | null, write: () => Promise<T>): Promise<T> =>
      writeAgain(write).catch((error: unknown) => {
        throw code !== null && isUniqueViolation(error) ? codeTaken(code) : error;
      }),
  };
}

/** Only a hash is stored, so the length is unknown. */
const keepsRedirectPassword = (stored: ExistingLink, { link, change, hasPasswordOfState }: PlannedChange) =>
  stored.passwordHash !== null &&
  change.passwordHash === undefined &&
  !isInternal(stored.target) &&
  !(hasPasswordOfState && stored.passwordHash === link.passwordHash);

/** @throws BadRequest, LinkInvalidCode, LinkReservedCode */
function refuseKey(key: string, rule: CodeRule, target: string): void {
  const refusal = rule.refusal(codeOf(key));
  if (refusal !== null) throw refusal;
  if (domainOf(key) === DEFAULT_DOMAIN || isReport(target)) return;
  throw appError("BadRequest", `Shares are on the default domain only. Move "${codeOf(key)}" to it first.`, {
    field: "domain",
  });
}

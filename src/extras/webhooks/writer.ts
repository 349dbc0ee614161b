/** How webhooks are added, changed and removed. */
import { isIP } from "node:net";
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { checkHttpUrl } from "../../lib/http-url.ts";
import { isPublicAddress } from "../../lib/public-address.ts";
import type { SecretBox } from "../../lib/secret-box.ts";
import type { WebhookTransaction } from "./delivery.ts";
import {
  isSecret,
  newSecret,
  type CreateWebhook,
  receiverOf,
  SECRET_PURPOSE,
  type UpdateWebhook,
  type Webhook,
  webhookState,
} from "./webhook.ts";
import type { WebhookRepository } from "./webhook.repository.ts";

const MOST = 20;
/** Both secrets sign so long after a rotation. */
const ROTATION_MS = 24 * 3_600_000;

type Deps = {
  repository: WebhookRepository;
  changes: { write<T>(run: (tx: WebhookTransaction) => Promise<T>): Promise<T> };
  record: RecordEvents<Db>;
  box: SecretBox;
  allowPrivate: boolean;
  clock: Clock;
};

export function createWebhookWriter({ repository, changes, record, box, allowPrivate, clock }: Deps) {
  async function recordChange(
    tx: WebhookTransaction,
    actor: Actor,
    verb: "create" | "update" | "delete",
    { before, after }: { before: Webhook | null; after: Webhook | null },
  ): Promise<void> {
    const { id, url } = (after ?? before)!;
    tx.changed("webhooks", [String(id)]);
    const states = { before: before && webhookState(before), after: after && webhookState(after) };
    const action = `webhook.${verb}`;
    // `birthOf` finds a creation by its time and id.
    const at = verb === "create" ? after!.createdAt : clock.now();
    await record(tx.db, [{ at, actor, action, subject: receiverOf(url), ...states }]);
  }

  const change = (id: number, actor: Actor, changed: (before: Webhook) => Webhook): Promise<Webhook> =>
    changes.write(async (tx) => {
      const before = (await repository.lock(tx.db, id)) ?? unknownWebhook();
      const after = { ...changed(before), updatedAt: clock.now() };
      await repository.update(tx.db, after);
      await recordChange(tx, actor, "update", { before, after });
      return after;
    });

  const seal = (secret: string) => box.seal(secret, SECRET_PURPOSE);

  const rotated = (before: Webhook, sealed: string): Webhook => ({
    ...before,
    secret: sealed,
    previousSecret: before.secret,
    previousUntil: clock.now() + ROTATION_MS,
  });

  return {
    /** Returns the secret too. @throws BadRequest, Conflict for too many */
    async create({ url, events, secret = newSecret() }: CreateWebhook, actor: Actor) {
      const now = clock.now();
      const content = {
        url: checkUrl(url, allowPrivate),
        events: [...new Set(events)],
        secret: await seal(checkSecret(secret)),
        previousSecret: null,
        previousUntil: null,
        disabledBecause: null,
        failingSince: null,
        pausedUntil: null,
        replayAfter: null,
        replayTo: null,
        createdAt: now,
        updatedAt: now,
      };
      return changes.write(async (tx) => {
        if ((await repository.list(tx.db)).length >= MOST)
          throw appError("Conflict", `There are ${MOST} webhooks already; remove one first.`);
        const after = { id: await repository.insert(tx.db, content), ...content };
        await recordChange(tx, actor, "create", { before: null, after });
        return { webhook: after, secret };
      });
    },

    /** An absent field stays. A new secret signs beside the one before for a day. @throws NotFound, BadRequest */
    async update(
      id: number,
      { url, events, secret, enabled }: UpdateWebhook,
      actor: Actor,
    ): Promise<Webhook> {
      const patch = {
        ...(url !== undefined && { url: checkUrl(url, allowPrivate) }),
        ...(events !== undefined && { events: [...new Set(events)] }),
      };
      const sealed = secret === undefined ? null : await seal(checkSecret(secret));
      return change(id, actor, (before) => ({
        ...(sealed === null ? before : rotated(before, sealed)),
        ...patch,
        ...(enabled === false && { disabledBecause: before.disabledBecause ?? "requested" }),
        ...(enabled === true && { disabledBecause: null, failingSince: null, pausedUntil: null }),
      }));
    },

    /** @throws NotFound */
    async rotate(id: number, actor: Actor) {
      const secret = newSecret();
      const sealed = await seal(secret);
      return { webhook: await change(id, actor, (before) => rotated(before, sealed)), secret };
    },

    /** @throws NotFound */
    async remove(id: number, actor: Actor): Promise<void> {
      await changes.write(async (tx) => {
        const before = (await repository.lock(tx.db, id)) ?? unknownWebhook();
        await repository.remove(tx.db, id);
        await recordChange(tx, actor, "delete", { before, after: null });
      });
    },
  };
}

/** @throws BadRequest */
function checkUrl(text: string, allowPrivate: boolean): string {
  const url = checkHttpUrl(text);
  if (typeof url !== "string") throw appError("BadRequest", `url: ${url.error}`, { field: "url" });
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
  if (allowPrivate || isIP(host) === 0 || isPublicAddress(host)) return url;
  throw appError(
    "BadRequest",
    "url: the address is not public. The start-up setting webhooks.allow_private allows such ones.",
    { field: "url" },
  );
}

/** @throws BadRequest */
function checkSecret(secret: string): string {
  if (isSecret(secret)) return secret;
  throw appError("BadRequest", "secret must be whsec_ and the Base64 of 24 to 64 bytes.", {
    field: "secret",
  });
}

export function unknownWebhook(): never {
  throw appError("NotFound", "There is no such webhook.");
}

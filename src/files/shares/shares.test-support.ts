/** Test support: shares and links on a real database, with an account of its own for each test. */
import { createEvents } from "../../platform/events/events.service.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { QUIET_SETTINGS } from "../../links/links.test-support.ts";
import { createLinkService, type LinkServiceDeps } from "../../links/links.service.ts";
import { startDrive } from "../drive.test-support.ts";
import { createInvitations, type ShareMail, type ShareMailContent } from "../recipients/mails.ts";
import { createVisitLog } from "../recipients/visits.ts";
import type { ShareRules } from "../serving/rules.ts";
import { createSharedItems } from "../serving/plan.ts";
import { createPathsRepository } from "../tree/paths.repository.ts";
import { createShareChanges } from "../serving/changes.ts";
import { createSharesRepository } from "./repository.ts";
import { createShares } from "./service.ts";
import { createServingRepository } from "../serving/repository.ts";
import { createOwnedShares } from "../serving/service.ts";

export type SharesHarness = Awaited<ReturnType<typeof startShares>>;

export async function startShares(
  database: Database,
  settings: Partial<Pick<LinkServiceDeps, "targetLists" | "ignoresCase">> = {},
) {
  const drive = await startDrive(database);
  const { changes: feed, time } = drive.content;
  const clock = { now: () => time.now };
  const events = createEvents({ database, clock });
  const service = createLinkService({
    database,
    changes: feed,
    ...QUIET_SETTINGS,
    ...settings,
    hashPassword: async (plain) => `hash of ${plain}`,
    events,
    record: events.add,
    clock,
  });
  const serving = createServingRepository({ database, record: events.add, stored: service.domains.stored });
  const visited = createSharesRepository(database);
  const visits = createVisitLog({
    repository: serving.recipients,
    privacy: () => ({ keepsAgents: true, respectsSignals: true }),
    clock,
  });
  const rules = NO_SHARE_RULES;
  const items = createSharedItems({ repository: serving, paths: createPathsRepository(database) });
  const mailed: Mailed[] = [];
  const { invitations, mail } = inviting(mailed, clock, serving.filesOf);
  const internal = service.internal;
  const parts = {
    tree: drive.tree,
    items,
    repository: serving,
    links: internal,
    rules,
    invitations,
    clock,
  };
  /** Keys of changed links, as caches hear of them. */
  const changed: string[] = [];
  feed.subscribe("links", (keys) => void changed.push(...keys));
  return {
    ...drive,
    parts,
    time,
    visits,
    events,
    service,
    repository: { ...serving, ...visited },
    shares: {
      ...createOwnedShares(parts),
      ...createShares({
        ...parts,
        linked: drive.linked,
        serving,
        visits,
        repository: visited,
        notifyDownload: async () => {},
      }),
    },
    changes: createShareChanges({ ...parts, linksOf: service.by }),
    changed,
    /** Queued for recipients. */
    mailed,
    mail,
    actor: (accountId: number): Actor => ({
      name: `account ${accountId}`,
      via: "api",
      accountId,
      ownOnly: true,
    }),
    async eventIds(linkId: number): Promise<number[]> {
      const query = database.read.selectFrom("events").select("id").where("subject_id", "=", linkId);
      return (await query.orderBy("id").execute()).map(({ id }) => id);
    },
    /** Of a link's events, oldest first. */
    async history(linkId: number) {
      const rows = await database.read
        .selectFrom("events")
        .select(["action", "before", "after"])
        .where("subject_id", "=", linkId)
        .orderBy("id")
        .execute();
      const parsed = (text: string | null) => (text === null ? null : JSON.parse(text));
      return rows.map(({ action, before, after }) => ({
        action,
        before: parsed(before),
        after: parsed(after),
      }));
    },
    /** The number that is left when its uses and rows are compared: a share has a row, another link none. */
    async mismatches(): Promise<unknown[]> {
      return database.read
        .selectFrom("links")
        .leftJoin("shares", "shares.link_id", "links.id")
        .select(["links.code", "links.target", "shares.entry_id"])
        .where((eb) =>
          eb.or([
            eb.and([eb("links.target", "like", "waymark:%"), eb("shares.link_id", "is", null)]),
            eb.and([eb("links.target", "not like", "waymark:%"), eb("shares.link_id", "is not", null)]),
          ]),
        )
        .execute();
    },
  };
}

export const NO_SHARE_RULES: ShareRules = {
  of: () => {
    throw new Error("asks for no rules");
  },
  expiry: (_, given) => given,
  validate: (_, share) => share,
};

/** Invitations whose mails are kept in a list. */
export function inviting(
  mailed: Mailed[] = [],
  clock = { now: () => 0 },
  filesOf: Parameters<typeof createInvitations>[0]["filesOf"] = async () => null,
) {
  const mail: ShareMail & { isOn: boolean } = {
    isOn: true,
    isOffered: () => mail.isOn,
    shareUrl: (code) => `https://go.example/${code}`,
    senderOf: async () => ({ language: "en", displayName: null }),
    async queue(_, { email }, { kind, content }) {
      return mailed.push({ email, kind, content });
    },
    async sent() {
      const state = "sent" as const;
      return mailed.map(({ email }) => ({ recipient: email, state, error: null, createdAt: 0, sentAt: 0 }));
    },
    hasMore: async (_, __, ___, most) => mailed.length > most,
  };
  return { mail, invitations: createInvitations({ mail, clock, filesOf }) };
}

export type Mailed = { email: string; kind: string; content: ShareMailContent["content"] };

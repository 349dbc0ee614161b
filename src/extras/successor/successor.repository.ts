/** Copies what responses need into a database of its own: no accounts, names, notes, files, clicks or events. */
import { pagesAfter } from "../../lib/pages.ts";
import { inOrderOf } from "../../platform/db/queries.ts";
import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import { codeOf, DEFAULT_DOMAIN, domainOf } from "../../links/link/key.ts";
import { isInternal } from "../../links/link/internal-target.ts";
import type { PagedLink } from "./pages.ts";

/** Run-time settings that decide what visitors get. */
export const CARRIED_SETTINGS = [
  "api.cookie_domain",
  "api.cookie_same_site",
  "api.cookie_secure",
  "api.trusted_proxies",
  "click.enable_tracking",
  "features.accent_color",
  "features.default_url",
  "features.enforce_link_passwords",
  "features.instance_name",
  "features.logo",
  "features.public_url",
  "features.well_known",
  "links.forgive_tails",
  "links.ignore_case",
  "privacy.imprint_url",
  "privacy.notice_url",
  "routes.admin_prefix",
  "routes.frontend_prefix",
  "routes.health_prefix",
  "utm.enable_passthrough",
];

/** Nobody signs in to a successor, and its clicks stay until they are imported. */
const OWN_SETTINGS = { "features.enable_admin_panel": "false", "analytics.enable_auto_rollup": "false" };

const LINK_COLUMNS = [
  "id",
  "code",
  "target",
  "created_at",
  "updated_at",
  "expires_at",
  "password_hash",
  "options",
  "held",
] as const;

const ROWS = 2_000;

export type Copied = { links: number; leftOut: number };

/** Each link is as it was when its portion was read. Shares and drop boxes are left out: their files are elsewhere. */
export async function copyLinks(
  from: Pick<Database, "read">,
  to: Pick<Database, "transaction" | "dialect" | "read">,
  { now, onLinks }: { now: number; onLinks(links: number): void },
): Promise<Copied> {
  const { read } = from;
  const { dialect } = to;
  let leftOut = 0;
  let seen = 0;
  const links = inOrderOf(read.selectFrom("links").select(LINK_COLUMNS), "id", 0, ROWS);
  for await (const rows of links) {
    const copied = rows.filter(({ target }) => !isInternal(target));
    leftOut += rows.length - copied.length;
    // A code that moved to a newer link meanwhile is already there.
    await to.transaction((tx) => dialect.insertIgnore(tx, "links", ["code"], copied));
    onLinks((seen += rows.length));
  }
  const known = async (ids: readonly number[]) =>
    new Set(
      (await to.read.selectFrom("links").select("id").where("id", "in", ids).execute()).map(({ id }) => id),
    );
  const uses = inOrderOf(read.selectFrom("link_uses").selectAll(), "link_id", 0, ROWS);
  for await (const rows of uses) {
    const there = await known(rows.map(({ link_id }) => link_id));
    const copied = rows.filter(({ link_id }) => there.has(link_id));
    await to.transaction((tx) => dialect.insertMany(tx, "link_uses", copied));
  }
  const aliases = inOrderOf(read.selectFrom("link_aliases").selectAll(), "code", "", ROWS);
  for await (const rows of aliases) {
    const there = await known(rows.map(({ link_id }) => link_id));
    const copied = rows.filter(({ link_id }) => there.has(link_id));
    await to.transaction((tx) => dialect.insertIgnore(tx, "link_aliases", ["code"], copied));
  }
  const domains = await read.selectFrom("domains").selectAll().execute();
  const settings = await read
    .selectFrom("settings")
    .selectAll()
    .where("key", "in", CARRIED_SETTINGS)
    .execute();
  const { uuid } = await read.selectFrom("instance").select("uuid").executeTakeFirstOrThrow();
  const own = Object.entries(OWN_SETTINGS).map(([key, value]) => ({
    key,
    value,
    updated_at: now,
    updated_by: "cli",
  }));
  return to.transaction(async (tx) => {
    await dialect.insertMany(
      tx,
      "domains",
      domains.map((domain) => ({ ...domain, owner_id: null })),
    );
    for (const { id } of domains) {
      const documents = await read
        .selectFrom("domain_documents")
        .selectAll()
        .where("domain_id", "=", id)
        .execute();
      if (documents.length > 0) await dialect.insertMany(tx, "domain_documents", documents);
    }
    await dialect.insertMany(tx, "settings", [...settings, ...own]);
    // It draws the same variants for the same visitors.
    await tx.updateTable("instance").set({ uuid }).execute();
    await tx
      .insertInto("link_clicks")
      .columns(["link_id", "clicks", "ranked", "automated"])
      .expression((eb) =>
        eb.selectFrom("links").select((e) => ["id", e.lit(0).as("a"), e.lit(0).as("b"), e.lit(0).as("c")]),
      )
      .execute();
    const { n } = await tx
      .selectFrom("links")
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow();
    await tx.insertInto("link_totals").values({ links: n, clicks: 0, automated: 0 }).execute();
    return { links: n, leftOut };
  });
}

/** All codes of a copy with their links, aliases last. */
export async function* codesOf({
  read,
}: Pick<Database, "read">): AsyncGenerator<(PagedLink & { code: string })[], void> {
  const columns = ["target", "expires_at", "password_hash", "options"] as const;
  yield* inOrderOf(read.selectFrom("links").select(["code", ...columns]), "code", "", ROWS);
  const aliases = read
    .selectFrom("link_aliases")
    .innerJoin("links", "links.id", "link_aliases.link_id")
    .select(["link_aliases.code as code", ...columns]);
  yield* inOrderOf(aliases, "link_aliases.code", "", ROWS);
}

export type HourRow = { code: string; host: string | null; hour: number; clicks: number; automated: number };

/** What a successor counted, oldest hours first. */
export async function* countedHours({ read }: Pick<Database, "read">): AsyncGenerator<HourRow[], void> {
  const hosts = await hostsOf({ read });
  const rows = pagesAfter(
    { hour: 0, id: 0 },
    ROWS,
    (after: { hour: number; id: number }) =>
      read
        .selectFrom("click_hours")
        .innerJoin("links", "links.id", "click_hours.link_id")
        .select(["links.id", "code", "hour", "clicks", "automated"])
        .where((eb) =>
          eb.or([eb("hour", ">", after.hour), eb("hour", "=", after.hour).and("link_id", ">", after.id)]),
        )
        .orderBy("hour")
        .orderBy("link_id")
        .limit(ROWS)
        .execute(),
    ({ hour, id }) => ({ hour, id }),
  );
  for await (const some of rows) {
    yield some.map(({ code, ...row }) => ({
      ...row,
      code: codeOf(code),
      host: hosts.get(domainOf(code)) ?? null,
    }));
  }
}

/** Counts the clicks of all links. */
export async function countAllClicks({ read }: Pick<Database, "read">): Promise<number> {
  const { n } = await read
    .selectFrom("link_clicks")
    .select((eb) => eb.fn.sum<number>("clicks").as("n"))
    .executeTakeFirstOrThrow();
  return Number(n ?? 0);
}

/** How many codes differ from another one in nothing but case. */
export async function countSameButCase({ read }: Pick<Database, "read">): Promise<number> {
  const codes = read
    .selectFrom("links")
    .select("code")
    .unionAll(read.selectFrom("link_aliases").select("code"));
  const { rows } = await sql<{ n: number }>`select coalesce(sum(n), 0) as n from
    (select count(*) as n from ${codes} group by lower(code) having count(*) > 1)`.execute(read);
  return rows[0]!.n;
}

/** Returns the ids of the domains of a copy that compare codes without case. */
export async function domainsWithoutCase({ read }: Pick<Database, "read">): Promise<Set<number>> {
  const domains = await read.selectFrom("domains").select("id").where("ignore_case", "=", 1).execute();
  const setting = read.selectFrom("settings").select("value").where("key", "=", "links.ignore_case");
  const { value } = (await setting.executeTakeFirst()) ?? {};
  return new Set([...domains.map(({ id }) => id), ...(value === "true" ? [DEFAULT_DOMAIN] : [])]);
}

/** Returns the hosts of a copy by id. */
export const hostsOf = async ({ read }: Pick<Database, "read">): Promise<Map<number, string>> =>
  new Map(
    (await read.selectFrom("domains").select(["id", "host"]).execute()).map(({ id, host }) => [id, host]),
  );

/** Writes a portion of links, or finds what would become of it. */
import type { Database } from "../../../platform/db/database.ts";
import type { Db } from "../../../platform/db/dialect.ts";
import type { Actor } from "../../../lib/actor.ts";
import { foundInChunks } from "../../../lib/chunked.ts";
import { appError } from "../../../lib/errors.ts";
import { formatRfc3339 } from "../../../lib/rfc3339.ts";
import { inParallel } from "../../../lib/in-parallel.ts";
import { chooseCodes } from "../../../lib/random-code.ts";
import { allowedOptions, ownersOf, refusalsOfRows } from "../../../links/csv/import-plan.ts";
import type { CsvLink } from "../../../links/csv/csv-file.ts";
import { HASHED_AT_ONCE, hashPatiently, type LinkImportDeps } from "../../../links/csv/import.ts";
import { codeOf, domainOf, keyOf } from "../../../links/link/key.ts";
import { isSiteCode } from "../../../links/link/code.ts";
import { PLAIN, UNOWNED } from "../../../links/link/link.ts";
import { addToTotal } from "../../../links/link/query.repository.ts";
import type { MovedFiles } from "../../../files/moved/service.ts";
import type { ChangeTransaction } from "../../../platform/cluster/changes.ts";
import type { NewLink } from "../../../links/write/repository.ts";
import type { ValidateTargets } from "../../../links/write/allowed-targets.ts";
import { type PreparedLink, sourceKeyOf } from "./link-rows.ts";
import type { ImportRepository, StoredImport } from "./repository.ts";
import { countNote, type ImportReport, type MoveOptions, type Note } from "./state.ts";
import { internalTarget } from "../../../links/link/internal-target.ts";
import { PRODUCTS } from "../readers/products.ts";

export type LinkWriting = Pick<
  LinkImportDeps,
  "repository" | "owners" | "validateTargets" | "fetchesTitles" | "rule" | "hashPassword"
> & {
  database: Pick<Database, "dialect">;
  randomCodeLength(): number;
  files: MovedFiles;
  knownSourceKeys: ImportRepository["knownSourceKeys"];
};

type Run = { options: MoveOptions; actor: Pick<Actor, "name" | "ownOnly">; now: number };
export type LinkPortion = readonly (PreparedLink | Note)[];

const SAMPLES = 10;
const RENAMES = ["-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9"];
const MOST_CHARACTERS = 128;
const TAKEN = "The code is taken.";

const withoutOwner = (name: string) =>
  `There is no account or team ${name.slice(0, 200)}; the link has no owner.`;
const isNote = (one: PreparedLink | Note): one is Note => "kind" in one;
const isLink = (one: PreparedLink | Note): one is PreparedLink => !isNote(one);

/** Before the transaction: random codes, and hashes of passwords. `seen`: keys of a preview. */
export async function completeLinks(
  deps: LinkWriting,
  portion: LinkPortion,
  { isPreview, seen }: { isPreview: boolean; seen: ReadonlySet<string> },
) {
  const { repository, rule } = deps;
  const links = portion.filter(isLink);
  const codeless = links.filter(({ needsCode }) => needsCode);
  const codes = await chooseCodes(codeless, {
    randomCodeLength: deps.randomCodeLength,
    keyFor: ({ link }, code) => keyOf(domainOf(link.code), code),
    mayTake: (key) => !seen.has(key) && !isSiteCode(key) && rule.refusal(codeOf(key)) === null,
    taken: (keys) => repository.taken(keys),
  });
  for (const one of codeless) one.link = { ...one.link, code: codes.get(one)! };
  if (isPreview) return;
  const plain = links.filter(({ link }) => link.password !== null && "plain" in link.password);
  await inParallel(plain, HASHED_AT_ONCE, async (one) => {
    const { password } = one.link;
    if (password === null || !("plain" in password)) return;
    one.link = { ...one.link, password: { hash: await hashPatiently(deps.hashPassword, password.plain) } };
  });
}

/** Free codes for those that are taken, by key. */
async function otherCodes(
  { repository, rule }: LinkWriting,
  keys: readonly string[],
  db: Db | undefined,
): Promise<ReadonlyMap<string, string[]>> {
  const candidates = new Map(
    keys.map((key) => [
      key,
      RENAMES.map((end) => key + end).filter(
        (one) => codeOf(one).length <= MOST_CHARACTERS && rule.refusal(codeOf(one)) === null,
      ),
    ]),
  );
  const candidateCodes = [...candidates.values()].flat();
  const found = new Set(await foundInChunks(candidateCodes, 1_000, (some) => repository.taken(some, db)));
  return new Map([...candidates].map(([key, codes]) => [key, codes.filter((one) => !found.has(one))]));
}

/** Decides which links are imported, by key. Adds to `report` and `seen`. */
export async function decideLinks(
  deps: LinkWriting,
  portion: LinkPortion,
  { options, actor, now }: Run,
  {
    seen,
    report,
    notes,
    db,
  }: { seen: Set<string>; report: ImportReport; notes: Note[]; db?: Db | undefined },
): Promise<Map<string, PreparedLink>> {
  const { repository } = deps;
  const addNote = (note: Note) => {
    countNote(report, note);
    notes.push(note);
  };
  const links = portion.filter(isLink);
  const taken = await repository.taken([...new Set(links.map(({ link }) => link.code))], db);
  const isTaken = (key: string) => taken.has(key) || seen.has(key);
  const conflicts: string[] = [];
  const keys = new Set<string>();
  for (const { link } of links) {
    if (isTaken(link.code) || keys.has(link.code)) conflicts.push(link.code);
    keys.add(link.code);
  }
  const others =
    options.on_conflict === "rename"
      ? await otherCodes(deps, [...new Set(conflicts)], db)
      : new Map<string, string[]>();
  const owners = await ownersOf(
    deps,
    links.map(({ link }) => link),
  );
  const judging = { validateTargets: deps.validateTargets, actor, now, links: new Map(), owners };
  const refusals = await refusalsOfRows(
    repository,
    { rows: links.filter(({ share }) => share === null).map(({ link }) => link), done: 0 },
    judging,
    db,
  );
  const imported = new Map<string, PreparedLink>();
  for (const one of portion) {
    report.counts.links_read++;
    if (isNote(one)) {
      addNote(one);
      continue;
    }
    const { position } = one;
    const code = codeOf(one.link.code);
    const refusal = refusals.get(one.link);
    let key = one.link.code;
    if (refusal !== undefined) {
      addNote({ position, kind: "refused", code, reason: refusal.message });
      continue;
    }
    if (isTaken(key) || imported.has(key)) {
      if (options.on_conflict === "fail" && db !== undefined)
        throw appError("Conflict", `The code "${code}" is taken.`);
      const free = others
        .get(key)
        ?.find((other) => !isTaken(other) && !imported.has(other) && !keys.has(other));
      if (free === undefined) {
        addNote({ position, kind: "skipped", code, reason: TAKEN });
        continue;
      }
      addNote({
        position,
        kind: "renamed",
        code,
        reason: `The code is taken; the link has the code ${codeOf(free)} here.`,
      });
      key = free;
    }
    seen.add(key);
    imported.set(key, { ...one, link: { ...one.link, code: key } });
    for (const note of one.notes) addNote(note);
    if (one.share === null && one.link.owner && !owners.has(one.link))
      addNote({ position, kind: "partial", code: codeOf(key), reason: withoutOwner(one.link.owner) });
    report.counts.links_imported++;
    if (report.samples.length < SAMPLES) report.samples.push(sampleOf(key, one));
  }
  return imported;
}

/** Writes the links in the transaction. Notes are of this portion. */
export async function writeNewLinks(
  deps: LinkWriting,
  tx: ChangeTransaction,
  imported: ReadonlyMap<string, PreparedLink>,
  run: Run & Pick<StoredImport, "id" | "product">,
  report: ImportReport,
): Promise<void> {
  const { repository, database } = deps;
  const rows = [...imported.values()];
  const owners = await ownersOf(
    deps,
    rows.map(({ link }) => link),
  );
  const folders = await makeFolders(deps.files, tx.db, rows, run);
  const inserts = rows.map((row) => ({
    ...newLink(row.link, run, row.share === null ? deps.validateTargets : undefined),
    ownerId: owners.get(row.link) ?? null,
    ...folders.get(row)?.link,
  }));
  const ids = await repository.insertMany(tx.db, inserts);
  const found = rows.map(({ sourceKey }) => sourceKey);
  const sourceKeys = uniqueSourceKeys(rows, await deps.knownSourceKeys(tx.db, run.id, found));
  if (deps.fetchesTitles?.()) await repository.awaitTitles(tx.db, inserts, ids);
  const clicks = inserts.reduce((sum, { clickCount }) => sum + clickCount, 0);
  report.counts.clicks_imported += clicks;
  report.counts.clicks_without_date += clicks;
  await addToTotal(tx.db, { links: 0, clicks: 0, automated: 0, imported: clicks });
  await addShares(deps.files, tx.db, folders, ids, run.now);
  await database.dialect.insertIgnore(
    tx.db,
    "import_links",
    ["import_id", "source_key"],
    rows.map(({ link }, at) => ({
      import_id: run.id,
      source_key: sourceKeys[at]!,
      link_id: ids.get(link.code)!,
      made_at: run.now,
      total: link.clickCount ?? 0,
      automated: link.automatedClicks ?? 0,
    })),
  );
  tx.changed("links", [...imported.keys()]);
}

/** The key of the source stays with its first link, whose visits it names. Others get one by their position. */
function uniqueSourceKeys(rows: readonly PreparedLink[], known: ReadonlySet<string>): string[] {
  const used = new Set(known);
  return rows.map(({ sourceKey, position }) => {
    const key = used.has(sourceKey) ? sourceKeyOf(sourceKey, `\n${position}`) : sourceKey;
    used.add(key);
    return key;
  });
}

const newLink = (link: CsvLink, run: Run, validateTargets: ValidateTargets | undefined): NewLink => ({
  ...PLAIN,
  ...UNOWNED,
  ...link.more,
  createdBy: link.more.createdBy ?? run.actor.name,
  code: link.code,
  target: link.target,
  createdAt: link.createdAt ?? run.now,
  updatedAt: run.now,
  expiresAt: link.expiresAt,
  passwordHash: link.password !== null && "hash" in link.password ? link.password.hash : null,
  options: allowedOptions(link, undefined, { ...run, validateTargets }) as string | null,
  deadSince: null,
  clickCount: link.clickCount ?? 0,
  automatedClicks: link.automatedClicks ?? 0,
});

const sampleOf = (key: string, { share, link: { target, more, createdAt, clickCount } }: PreparedLink) => ({
  code: codeOf(key),
  target: share === null ? target.slice(0, 500) : `${share.folder.slice(0, 100)}/`,
  title: more.title ?? null,
  created_at: createdAt === undefined ? null : formatRfc3339(createdAt),
  click_count: clickCount ?? 0,
  disabled: Boolean(more.options.held),
});

/** `link`: what follows for it. */
type ShareFolder = { folderId: number; link: { ownerId: number; target: string } };

/** Makes the folders of the shares among the rows, whose links lead there. */
async function makeFolders(
  files: MovedFiles,
  tx: Db,
  rows: readonly PreparedLink[],
  { id, product }: Pick<StoredImport, "id" | "product">,
): Promise<Map<PreparedLink, ShareFolder>> {
  const shares = rows.filter(({ share }) => share !== null);
  if (shares.length === 0) return new Map<PreparedLink, ShareFolder>();
  const owners = shares.map(({ share }) => share!.owner);
  const accounts = await files.accountsOf(owners, tx);
  const requestedFolders = shares.map(({ share }, at) => ({ accountId: accounts[at]!, name: share!.folder }));
  const folders = await files.makeFolders(tx, id, PRODUCTS[product].title, requestedFolders);
  return new Map(
    shares.map((one, at) => {
      const [accountId, folderId] = [accounts[at]!, folders[at]!];
      return [one, { folderId, link: { ownerId: accountId, target: internalTarget("folder", folderId) } }];
    }),
  );
}

/** @param ids of the links, by key */
async function addShares(
  files: MovedFiles,
  tx: Db,
  folders: ReadonlyMap<PreparedLink, ShareFolder>,
  ids: ReadonlyMap<string, number>,
  now: number,
): Promise<void> {
  if (folders.size === 0) return;
  const shares = [...folders].map(([one, { folderId, link }]) => {
    const { message, maxDownloads, recipients } = one.share!;
    const downloads = maxDownloads === null ? 0 : Math.min(one.link.clickCount ?? 0, maxDownloads);
    const terms = { message: message || null, recipients, maxDownloads, downloads };
    return { ...terms, linkId: ids.get(one.link.code)!, folderId, accountId: link.ownerId };
  });
  await files.addShares(tx, shares, now);
}

/** The answer of PROPFIND, page by page. */
import type { Teams } from "../../lib/access.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Entry } from "../tree/entry.ts";
import type { Files } from "../tree/files.service.ts";
import type { Cursor, Folders } from "../tree/folders.service.ts";
import { covers, type DavLocks } from "./locks.ts";
import { type DavPlace, folderOf, hrefOf, pathOf } from "./places.ts";
import { asksQuota, type DeadProperty, responseOf, type Shown, type WantedProperties } from "./properties.ts";
import type { JsonLists } from "./repository.ts";
import { DECLARATION } from "./xml.ts";

const PAGE = 100;

export type DavListing = {
  folders: Pick<Folders, "page">;
  files: Pick<Files, "usage">;
  locks: Pick<DavLocks, "of">;
  properties: JsonLists<DeadProperty>;
  /** Of a team, as an owner. */
  nameOf(owner: number): Promise<string>;
  clock: Clock;
};

type Asked = {
  prefix: string;
  /** Of the address. */
  names: readonly string[];
  /** Null above the trees. */
  place: DavPlace | null;
  entry: Entry;
  wanted: WantedProperties;
  /** Also what is in the folder. */
  isDeep: boolean;
  teams: Teams | undefined;
};

const TEAM_MARK = /^team:/;

export async function* pagesOf(listing: DavListing, asked: Asked): AsyncGenerator<string, void> {
  const { place, entry, names, isDeep } = asked;
  yield `${DECLARATION}<D:multistatus xmlns:D="DAV:">\n${await responses(listing, asked, [[entry, names]])}`;
  if (isDeep && place === null) yield await responses(listing, asked, await aboveTrees(listing, asked));
  if (isDeep && place !== null) {
    for (let after: Cursor | null = null, isMore = true; isMore; ) {
      const folder = entry.kind === "folder" ? entry : null;
      const page = await listing.folders.page(place.tree, folder, after, PAGE);
      const inside = [...page.folders, ...page.files];
      yield await responses(
        listing,
        asked,
        inside.map((one) => [one, [...names, one.name]]),
      );
      after = page.next;
      isMore = after !== null;
    }
  }
  yield "</D:multistatus>\n";
}

/** Your files and the teams, or the teams. */
async function aboveTrees({ nameOf }: DavListing, { names, teams }: Asked): Promise<[Entry, string[]][]> {
  const owners = [...(teams?.keys() ?? [])];
  if (names.length === 0) {
    return ["files", ...(owners.length > 0 ? ["teams"] : [])].map((name) => [folderOf(0, name), [name]]);
  }
  const all = await Promise.all(owners.map((id) => nameOf(id)));
  return all.map((name) => {
    const team = name.replace(TEAM_MARK, "");
    return [folderOf(0, team), ["teams", team]];
  });
}

async function responses(
  { files, locks, properties, clock }: DavListing,
  { prefix, place, wanted }: Asked,
  all: readonly [Entry, readonly string[]][],
): Promise<string> {
  const top = place?.top ?? [];
  const ids = place === null ? [] : all.map(([{ id }]) => id);
  const [held, dead, usage] = await Promise.all([
    place === null ? [] : locks.of(place.tree),
    properties.of(ids),
    place !== null && asksQuota(wanted) ? files.usage(place.tree) : null,
  ]);
  const now = clock.now();
  const addressOf = (path: string) =>
    hrefOf(prefix, [...top, ...(path === "" ? [] : path.split("/"))], false);
  const paths = all.map(([, names]) => pathOf({ names: names.slice(top.length) }));
  // All are in one folder.
  const above = held.filter((lock) => lock.isDeep && paths[0] !== lock.path && covers(lock, paths[0]!));
  const own = Map.groupBy(held, ({ path }) => path);
  let text = "";
  for (const [at, [entry, names]] of all.entries()) {
    const href = hrefOf(prefix, names, entry.kind === "folder");
    const around = [...above, ...(own.get(paths[at]!) ?? [])];
    const shown: Shown = { entry, href, locks: around, hrefOf: addressOf, usage, now };
    text += responseOf(shown, dead.get(entry.id) ?? [], wanted);
  }
  return text;
}

/** The answer of PROPFIND, page by page. */
import type { Teams } from "../../lib/access.ts";
import type { Clock } from "../../lib/clock.ts";
import { TEAM_MARK } from "../../lib/owner.ts";
import type { Entry } from "../../files/tree/entry.ts";
import type { Files } from "../../files/tree/files.service.ts";
import type { Cursor, Folders } from "../../files/tree/folders.service.ts";
import { covers, type DavLocks } from "./locks.ts";
import { type DavPlace, folderOf, hrefOf, pathInside, pathOf } from "./places.ts";
import { activeLock, type DeadProperties, propertiesOf, type WantedProperties } from "./properties.ts";

const PAGE = 100;

type Deps = {
  folders: Pick<Folders, "page">;
  files: Pick<Files, "usage">;
  locks: Pick<DavLocks, "of">;
  properties: DeadProperties;
  clock: Clock;
};

type Asked = { entry: Entry; wanted: WantedProperties; isDeep: boolean };

/** Of an entry in a tree, and with `isDeep` of what is in that folder. */
export async function* entriesAt(deps: Deps, place: DavPlace, { entry, wanted, isDeep }: Asked) {
  const { root, tree } = place;
  const [path, now] = [pathOf(place), deps.clock.now()];
  const held = (await deps.locks.of(tree)).map((lock) => ({ ...lock, xml: activeLock(lock, root, now) }));
  const usage = await deps.files.usage(tree);
  async function responses(all: readonly Entry[], at: (entry: Entry) => string) {
    const dead = await deps.properties.of(all.map(({ id }) => id));
    const texts = all.map((one) => {
      const around = held.filter((lock) => covers(lock, at(one)));
      const shown = { entry: one, href: hrefOf(root, at(one), one.kind), dead: dead.get(one.id) ?? [] };
      const locks = around.map(({ xml }) => xml).join("");
      return propertiesOf({ ...shown, locks, usage: one.kind === "folder" ? usage : null }, wanted);
    });
    return texts.join("");
  }
  yield await responses([entry], () => path);
  if (entry.kind !== "folder" || !isDeep) return;
  for (let after: Cursor | null = null, isMore = true; isMore; isMore = after !== null) {
    const page = await deps.folders.page(tree, entry, after, PAGE);
    after = page.next;
    yield await responses([...page.folders, ...page.files], ({ name }) =>
      pathInside(path, encodeURIComponent(name)),
    );
  }
}

type Above = { prefix: string; names: readonly string[]; teams: Teams | undefined };

/** Of a folder above the trees, which has your files and the teams, or the teams. */
export async function* entriesAbove(
  nameOf: (owner: number) => Promise<string>,
  { prefix, names, teams }: Above,
  { wanted, isDeep }: Omit<Asked, "entry">,
) {
  const owners = names.length > 0 ? await Promise.all([...(teams?.keys() ?? [])].map(nameOf)) : null;
  const inside = owners?.map((name) => name.replace(TEAM_MARK, "")) ?? ["files", "teams"];
  for (const path of [names, ...(isDeep ? inside.map((name) => [...names, name]) : [])]) {
    const href = hrefOf(prefix, pathOf({ names: path }), "folder");
    yield propertiesOf({ entry: folderOf(path.at(-1)), href, dead: [], locks: "", usage: null }, wanted);
  }
}

/** WebDAV over the trees of files: its locks and properties are rows of their own. */
import type { Drive } from "../../files/drive.ts";
import type { Database } from "../../platform/db/database.ts";
import type { DavDoor } from "./asking.routes.ts";
import { createChecked } from "./checks.ts";
import { createDavLocks, type DavLock } from "./locks.ts";
import { createSpots } from "./places.ts";
import type { DeadProperty } from "./properties.ts";
import { createJsonLists } from "./dav.repository.ts";
import { createDav } from "./dav.routes.ts";

type Deps = DavDoor & { database: Database; drive: Pick<Drive, "treeParts" | "versions"> };

export function createDavRoom({ database, drive, ...door }: Deps) {
  const { repository, ...parts } = drive.treeParts;
  const spotOf = createSpots(repository);
  const locks = createDavLocks({ rows: createJsonLists<DavLock>(database, "dav_locks"), clock: parts.clock });
  return createDav({
    ...door,
    ...parts,
    overwriting: drive.versions.overwriting,
    locks,
    spotOf,
    checked: createChecked({ tree: parts.tree, spotOf, locks }),
    properties: createJsonLists<DeadProperty>(database, "dav_properties"),
  });
}

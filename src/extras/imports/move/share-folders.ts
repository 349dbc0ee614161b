/** What the links of shares serve. Both parts run in the transaction that writes the links. */
import type { Db } from "../../../platform/db/dialect.ts";
import type { MovedFiles } from "../../../files/moved/service.ts";
import { internalTarget } from "../../../links/link/internal-target.ts";
import { PRODUCTS } from "../readers/products.ts";
import type { PreparedLink } from "./link-rows.ts";
import type { StoredImport } from "./repository.ts";

/** `link`: what follows for it. */
type ShareFolder = { folderId: number; link: { ownerId: number; target: string } };

/** Of the shares among the rows, whose links lead there. */
export async function makeFolders(
  files: MovedFiles,
  tx: Db,
  rows: readonly PreparedLink[],
  { id, product }: Pick<StoredImport, "id" | "product">,
): Promise<Map<PreparedLink, ShareFolder>> {
  const shares = rows.filter(({ share }) => share !== null);
  if (shares.length === 0) return new Map<PreparedLink, ShareFolder>();
  const owners = shares.map(({ share }) => share!.owner);
  const accounts = await files.accountsOf(owners, tx);
  const wanted = shares.map(({ share }, at) => ({ accountId: accounts[at]!, name: share!.folder }));
  const folders = await files.makeFolders(tx, id, PRODUCTS[product].title, wanted);
  return new Map(
    shares.map((one, at) => {
      const [accountId, folderId] = [accounts[at]!, folders[at]!];
      return [one, { folderId, link: { ownerId: accountId, target: internalTarget("folder", folderId) } }];
    }),
  );
}

/** @param ids of the links, by key */
export async function addShares(
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
    const says = { message: message || null, recipients, maxDownloads, downloads };
    return { ...says, linkId: ids.get(one.link.code)!, folderId, accountId: link.ownerId };
  });
  await files.addShares(tx, shares, now);
}

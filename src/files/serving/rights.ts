/** Who changes a link that serves files: who may change the files. */
import { type Actor, mayChangeFiles } from "../../lib/actor.ts";
import { servedRefusal } from "../../links/write/served-links.ts";
import type { HeldLink, ShareChangesRepository } from "./changes.repository.ts";

/** @throws Forbidden */
export async function refuseOthers(
  repository: Pick<ShareChangesRepository, "linkWith">,
  key: string,
  actor: Actor,
): Promise<void> {
  const refusal = servedRefusal(actor, key, (await repository.linkWith(key))?.accountId);
  if (refusal !== null) throw refusal;
}

/** In the transaction: others may have changed what the link serves meanwhile. */
export const isOwnerOf =
  (actor: Actor): ((link: HeldLink) => boolean) =>
  ({ serves }) =>
    serves === null || mayChangeFiles(actor, serves.accountId);

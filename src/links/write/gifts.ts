/** Owners of new links, and links that get another one. */
import { type Actor, mayChange, mayManage } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { linkServesShare } from "../link/code.ts";
import { isInternal } from "../link/internal-target.ts";
import type { Link } from "../link/link.ts";
import type { Owners } from "../link/owners.repository.ts";

type Deps = { owners: Pick<Owners, "idOf">; get(key: string): Promise<Link>; actor: Actor };

export function createGifts({ owners, get, actor }: Deps) {
  /** @throws BadRequest for an unknown owner, Forbidden for one whose links the actor may not change */
  async function newOwner(name: string): Promise<number> {
    const id = await owners.idOf(name);
    if (mayChange(actor, id)) return id;
    throw appError("Forbidden", `You may not make '${name}' the owner of links.`, { field: "owner" });
  }

  /** @throws Forbidden (not the owner's to give), Conflict (it serves a share) */
  async function gift(code: string, name: string | undefined) {
    if (name === undefined) return {};
    const link = await get(code);
    const ownerId = await newOwner(name);
    if (ownerId === link.ownerId) return {};
    if (!mayManage(actor, link.ownerId)) {
      throw appError(
        "Forbidden",
        "Only the owner, managers of the team and administrators give a link away.",
      );
    }
    if (isInternal(link.target)) throw linkServesShare(code);
    return { ownerId, owners: { before: link.ownerName, after: name.toLowerCase() } };
  }

  return { newOwner, gift };
}

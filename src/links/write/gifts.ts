/** Owners of new links, and of links that get another one, by their names. */
import { type Actor, mayChange } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import type { Owners } from "../link/owners.repository.ts";

type Named = { owner?: string | null | undefined };
type Owned<T> = Omit<T, "owner"> & { ownerId: number | undefined };

export type Gifts = ReturnType<typeof createGifts>;

export function createGifts({ owners, actor }: { owners: Pick<Owners, "reachedBy">; actor: Actor }) {
  /** Undefined without a name. @throws Forbidden for one whose links the actor may not change, BadRequest for an unknown one */
  async function newOwner(name: string | null | undefined): Promise<number | undefined> {
    if (!name) return undefined;
    const reaches = (id: number) => mayChange(actor, id);
    return owners.reachedBy(actor, name, {
      reaches,
      refusal: `You may not make '${name}' the owner of links.`,
    });
  }

  /** With ids in place of names, or why an item is refused. */
  async function owned<T extends Named>(items: readonly (T | AppError)[]): Promise<(Owned<T> | AppError)[]> {
    const known = new Map<string, Promise<number | AppError | undefined>>();
    const idOf = (name: string) =>
      newOwner(name).catch((error: unknown) => {
        if (error instanceof AppError) return error;
        throw error;
      });
    const results: (Owned<T> | AppError)[] = [];
    for (const item of items) {
      if (item instanceof AppError) {
        results.push(item);
        continue;
      }
      const { owner, ...rest } = item;
      if (owner && !known.has(owner)) known.set(owner, idOf(owner));
      const ownerId = owner ? await known.get(owner)! : undefined;
      results.push(ownerId instanceof AppError ? ownerId : { ...rest, ownerId });
    }
    return results;
  }

  return { newOwner, owned };
}

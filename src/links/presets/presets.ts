/** Views of lists and parameters of campaigns that an account keeps under a name, for itself or for a team. */
import type { Changes } from "../../platform/cluster/changes.ts";
import { type Actor, mayChange } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { ownerNames, type Owners } from "../link/owners.repository.ts";
import type { PresetKind } from "./preset.ts";
import type { Preset, PresetRepository } from "./repository.ts";
import type { Db } from "../../platform/db/dialect.ts";

export type Presets = ReturnType<typeof createPresets>;

export type ShownPreset = Preset & { ownerName: string | null };

type NewPreset = { kind: PresetKind; name: string; content: object; owner?: string | undefined };

/** Of an owner and kind. */
const MOST = 200;
const MOST_BYTES = 8_000;

type Deps = {
  repository: PresetRepository;
  owners: Pick<Owners, "newOwner">;
  changes: Pick<Changes, "write">;
  database: { read: Db };
  clock: Clock;
};

export function createPresets({ repository, owners, changes, database, clock }: Deps) {
  const shown = async (presets: readonly Preset[]): Promise<ShownPreset[]> => {
    const names = await ownerNames(
      database.read,
      presets.map(({ ownerId }) => ownerId),
    );
    return presets.map((preset) => ({ ...preset, ownerName: names.get(preset.ownerId) ?? null }));
  };

  return {
    /** Those of the account and of its teams, by name. */
    async list({ accountId, teams }: Actor, kind: PresetKind): Promise<ShownPreset[]> {
      const of = [...(accountId === null ? [] : [accountId]), ...(teams?.keys() ?? [])];
      return shown(await repository.list(of, kind));
    },

    /** Replaces the one of the same owner and name. @throws Forbidden, BadRequest */
    async save(actor: Actor, { kind, name, content, owner }: NewPreset): Promise<ShownPreset> {
      const ownerId = (await owners.newOwner(actor, owner)) ?? actor.accountId;
      if (ownerId === null)
        throw appError("BadRequest", "owner: name an account or team.", { field: "owner" });
      const json = JSON.stringify(content);
      if (Buffer.byteLength(json) > MOST_BYTES) {
        throw appError("BadRequest", "content: it is too long; leave something out.", { field: "content" });
      }
      const key = { kind, ownerId, name: name.trim() };
      const saved = await changes.write(async ({ db }) => {
        const isNew = (await repository.find(db, key)) === null;
        if (isNew && (await repository.count(db, key)) >= MOST) {
          throw appError("BadRequest", `There are ${MOST} already; delete some.`);
        }
        await repository.save(db, { ...key, content: json, createdAt: clock.now(), createdBy: actor.name });
        return (await repository.find(db, key))!;
      });
      return (await shown([saved]))[0]!;
    },

    /** @throws NotFound, Forbidden for one of a team that the actor only sees */
    remove: (actor: Actor, id: number): Promise<void> =>
      changes.write(async ({ db }) => {
        const preset = await repository.findById(db, id);
        const { accountId, teams } = actor;
        const isSeen =
          preset !== null && (preset.ownerId === accountId || teams?.has(preset.ownerId) === true);
        if (!isSeen) throw appError("NotFound", "There is no such preset.");
        if (!mayChange({ accountId, teams, ownOnly: true }, preset.ownerId)) {
          throw appError("Forbidden", "Viewers of a team can't change what it keeps.");
        }
        await repository.remove(db, id);
      }),
  };
}

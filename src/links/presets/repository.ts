import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { countRows } from "../../platform/db/queries.ts";
import type { RowFields } from "../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import type { PresetKind } from "./preset.ts";

/** `content` is JSON. */
export type Preset = RowFields<"presets", { kind: PresetKind }>;

type PresetName = Pick<Preset, "ownerId" | "kind" | "name">;

export type PresetRepository = ReturnType<typeof createPresetRepository>;

export function createPresetRepository({ read, dialect }: Database) {
  const named = (db: Db, { ownerId, kind, name }: PresetName) =>
    db
      .selectFrom("presets")
      .selectAll()
      .where("owner_id", "=", ownerId)
      .where("kind", "=", kind)
      .where("name", "=", name);

  const toPreset = (row: object): Preset => camelCased(row) as Preset;

  return {
    async list(owners: readonly number[], kind: PresetKind): Promise<Preset[]> {
      if (owners.length === 0) return [];
      const query = read.selectFrom("presets").selectAll().where("owner_id", "in", owners);
      return (await query.where("kind", "=", kind).orderBy("name").orderBy("id").execute()).map(toPreset);
    },

    count: (tx: Db, { ownerId, kind }: PresetName): Promise<number> =>
      countRows(tx.selectFrom("presets").where("owner_id", "=", ownerId).where("kind", "=", kind)),

    async find(tx: Db, name: PresetName): Promise<Preset | null> {
      const row = await named(tx, name).executeTakeFirst();
      return row === undefined ? null : toPreset(row);
    },

    async findById(tx: Db, id: number): Promise<Preset | null> {
      const row = await tx.selectFrom("presets").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toPreset(row);
    },

    /** Replaces the content of one with this name. */
    save: (tx: Db, preset: Omit<Preset, "id">): Promise<void> =>
      dialect.upsert(tx, { table: "presets", keys: ["owner_id", "kind", "name"], set: ["content"] }, [
        snakeCased(preset),
      ]),

    async remove(tx: Db, id: number): Promise<void> {
      await tx.deleteFrom("presets").where("id", "=", id).execute();
    },
  };
}

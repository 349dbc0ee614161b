import { type Selectable, sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { explainViolations } from "../../platform/db/failures.ts";
import { countRows } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import { ownerNames } from "../../links/link/owners.repository.ts";
import { appError } from "../../lib/errors.ts";
import { driverType, type MoveState, type Policy } from "./policy.ts";

/** With sealed keys; null for local ones. `moveTo`: the target of the last move, as `moveState`. */
export type StoredPolicy = Policy & {
  sealedAccessKey: string | null;
  sealedSecretKey: string | null;
  moveTo: number | null;
};

/** What prevents the deletion of a policy. */
export type PolicyUses = {
  blobs: number;
  /** Those of them whose content was moved away, and whose objects go soon. */
  kept: number;
  /** The name of a policy whose content moves into this one, or null. */
  movingFrom: string | null;
  uploads: number;
  /** At most as many as requested. */
  folders: { id: number; name: string }[];
};

export type PoliciesRepository = ReturnType<typeof createPoliciesRepository>;

/** What an account has in a policy. `username` is null for one that is being removed. */
export type PolicyShare = { accountId: number; username: string | null; files: number; bytes: number };

const MOST_POLICIES = 1_000;

export function createPoliciesRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    /** All policies, in the order of their ids. */
    async list(db: Db = read): Promise<StoredPolicy[]> {
      return (await withMoves(db).orderBy("policies.id").limit(MOST_POLICIES).execute()).map(toPolicy);
    },

    async find(id: number, db: Db = read): Promise<StoredPolicy | null> {
      const row = await withMoves(db).where("policies.id", "=", id).executeTakeFirst();
      return row === undefined ? null : toPolicy(row);
    },

    /** Serialises all callers until the transaction ends. */
    async lock(tx: Db): Promise<void> {
      await tx.selectFrom("instance").select("id").where("id", "=", 1).$call(dialect.forUpdate).execute();
    },

    /** Returns its id. @throws Conflict if the name is taken */
    insert: (tx: Db, policy: Omit<StoredPolicy, "id">): Promise<number> =>
      explainViolations(() => dialect.insertReturningId(tx, "policies", toRow(policy)), {
        unique: nameTaken(policy),
      }),

    /** @throws Conflict if the name is taken */
    async update(tx: Db, policy: StoredPolicy): Promise<void> {
      const query = tx.updateTable("policies").set(toRow(policy)).where("id", "=", policy.id);
      await explainViolations(() => query.execute(), { unique: nameTaken(policy) });
    },

    async clearDefault(tx: Db): Promise<void> {
      await tx.updateTable("policies").set({ is_default: null }).where("is_default", "=", 1).execute();
    },

    /** With records of complete uploads, whose files are gone. @throws PolicyInUse if something else refers to it */
    async remove(tx: Db, id: number): Promise<void> {
      const complete = tx.deleteFrom("uploads").where("policy_id", "=", id);
      await complete.whereRef("received", ">=", "size").execute();
      await explainViolations(() => tx.deleteFrom("policies").where("id", "=", id).execute(), {
        foreignKey: (cause) => appError("PolicyInUse", "The policy is now in use.", { cause }),
      });
    },

    async uses(id: number, mostFolders: number, db: Db = read): Promise<PolicyUses> {
      const folders = db.selectFrom("entries").select(["id", "name"]).where("policy_id", "=", id);
      const blobs = db.selectFrom("blobs").where("policy_id", "=", id);
      // Complete ones have become files.
      const uploads = db
        .selectFrom("uploads")
        .where("policy_id", "=", id)
        .where((eb) => eb.or([eb("received", "<", eb.ref("size")), eb("size", "is", null)]));
      const moving = await db
        .selectFrom("storage_moves")
        .innerJoin("policies", "policies.id", "storage_moves.policy_id")
        .select("policies.name")
        .where("to_id", "=", id)
        .where("state", "=", "running")
        .executeTakeFirst();
      return {
        blobs: await countRows(blobs),
        kept: await countRows(blobs.where("state", "=", "dead").where("kept_until", ">", 0)),
        movingFrom: moving?.name ?? null,
        uploads: await countRows(uploads),
        folders: await folders.orderBy("id").limit(mostFolders).execute(),
      };
    },

    /** Stored bytes; the same content counts once. */
    async storedBytes(id: number): Promise<number> {
      const query = read.selectFrom("blobs").where("policy_id", "=", id);
      const { n } = await query
        .select((eb) => eb.fn.coalesce(eb.fn.sum<number>("size"), eb.lit(0)).as("n"))
        .executeTakeFirstOrThrow();
      return Number(n);
    },

    /** The accounts with the most bytes, and how many accounts there are. */
    async shares(id: number, most: number): Promise<{ accounts: number; largest: PolicyShare[] }> {
      const files = contentsIn(read, id);
      const { accounts } = await files
        .select((eb) => eb.fn.count<number>("entries.account_id").distinct().as("accounts"))
        .executeTakeFirstOrThrow();
      const rows = await files
        .select((eb) => [
          "entries.account_id as accountId",
          eb.fn.sum<number>("entries.n").as("files"),
          eb.fn.sum<number>("entries.size").as("bytes"),
        ])
        .groupBy("entries.account_id")
        .orderBy("bytes", "desc")
        .orderBy("accountId")
        .limit(most)
        .execute();
      const owners = rows.map(({ accountId }) => accountId);
      const names = await ownerNames(read, owners);
      const largest = rows.map((row) => ({
        ...row,
        username: names.get(row.accountId) ?? null,
        files: Number(row.files),
        bytes: Number(row.bytes),
      }));
      return { accounts: Number(accounts), largest };
    },

    async installation(): Promise<string> {
      const query = read.selectFrom("instance").select("uuid").where("id", "=", 1);
      return (await query.executeTakeFirstOrThrow()).uuid;
    },
  };
}

/** Contents of files and of their versions, which may be in other policies than the file; `n`: 1 for a file. */
const contentsIn = (read: Db, id: number) =>
  read
    .selectFrom((eb) =>
      eb
        .selectFrom("entries")
        .select(["blob_id", "account_id", "size", sql<number>`1`.as("n")])
        .where("blob_id", "is not", null)
        .unionAll(
          eb
            .selectFrom("file_versions")
            .innerJoin("entries", "entries.id", "file_versions.entry_id")
            .select([
              "file_versions.blob_id",
              "entries.account_id",
              "file_versions.size",
              sql<number>`0`.as("n"),
            ]),
        )
        .as("entries"),
    )
    .innerJoin("blobs", "blobs.id", "entries.blob_id")
    .where("blobs.policy_id", "=", id);

const nameTaken =
  ({ name }: Pick<StoredPolicy, "name">) =>
  (cause: unknown) =>
    appError("Conflict", `There is already a policy '${name}'.`, { cause });

const withMoves = (db: Db) =>
  db
    .selectFrom("policies")
    .leftJoin("storage_moves", "storage_moves.policy_id", "policies.id")
    .selectAll("policies")
    .select(["storage_moves.state as move_state", "storage_moves.to_id as move_to"]);

type PolicyRow = Selectable<Schema["policies"]> & { move_state: string | null; move_to: number | null };

const toPolicy = ({ access_key, secret_key, ...row }: PolicyRow): StoredPolicy => ({
  ...camelCased(row),
  driverType: driverType.parse(row.driver_type),
  hasCredentials: access_key !== null && secret_key !== null,
  sealedAccessKey: access_key,
  sealedSecretKey: secret_key,
  download: row.download === "redirect" ? "redirect" : "relay",
  isDefault: row.is_default === 1,
  moveState: row.move_state as MoveState | null,
  readOnly: row.read_only === null ? null : row.read_only === 1,
});

const toRow = ({
  sealedAccessKey,
  sealedSecretKey,
  hasCredentials: _has,
  moveState: _state,
  moveTo: _to,
  ...policy
}: Omit<StoredPolicy, "id">) => ({
  ...snakeCased(policy),
  access_key: sealedAccessKey,
  secret_key: sealedSecretKey,
  is_default: policy.isDefault ? 1 : null,
  read_only: policy.readOnly === null ? null : Number(policy.readOnly),
});

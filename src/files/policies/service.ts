/** All writes hold one lock, so there is always exactly one default. */
import type { Changes } from "../../platform/cluster/changes.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, SYSTEM } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError, messageOf } from "../../lib/errors.ts";
import type { RecordEvents, EventRecord } from "../../lib/event.ts";
import type { SecretBox } from "../../lib/secret-box.ts";
import { type PolicyCache, ACCESS_KEY_PURPOSE, SECRET_KEY_PURPOSE, unsealSettings } from "./drivers.ts";
import type { PoliciesRepository, PolicyShare, PolicyUses, StoredPolicy } from "./repository.ts";
import {
  DEFAULT_REGION,
  RESCAN_MINUTES,
  type Policy,
  viewPolicy,
  changedFixedField,
  type CreatePolicy,
  type UpdatePolicy,
} from "./policy.ts";
import { checkDriverSettings, checkPlacement, isSharedPlace, type StorageContext } from "../storage/index.ts";
import type { DriverType } from "../storage/driver.ts";

const FIRST_POLICY = { name: "local", driver_type: "local", base_path: "files" } as const;
const MOST_FOLDERS_NAMED = 10;
const MOST_ACCOUNTS_NAMED = 10;

/** What refers to a policy. */
export type PolicyUsage = PolicyUses & {
  bytes: number;
  accounts: number;
  /** The accounts with the most bytes. */
  largest: PolicyShare[];
  obstacle: string | null;
};

export type Policies = ReturnType<typeof createPolicies>;

export type PoliciesDeps = {
  repository: PoliciesRepository;
  cache: PolicyCache;
  changes: Changes;
  box: SecretBox;
  context: StorageContext;
  record: RecordEvents<Db>;
  clock: Clock;
  /** Removes unused content whose removal failed before. */
  finishDeletes(policyId: number): Promise<void>;
  /** Writes, reads and removes an object. @throws StorageUnavailable */
  probe(policyId: number): Promise<void>;
};

export function createPolicies(deps: PoliciesDeps) {
  const { repository, cache, changes, box, context, record, clock, finishDeletes, probe } = deps;
  changes.subscribe("policies", cache.forget);
  const seal = (key: string, purpose: string) => box.seal(key, purpose);

  /** The first policy becomes the default. `isFirst`: null if there is one. */
  const insert = (policy: Omit<StoredPolicy, "id">, actor: Actor, { isFirst = false } = {}) =>
    changes.write(async (tx): Promise<Policy | null> => {
      await repository.lock(tx.db);
      const isAlone = (await repository.list(tx.db)).length === 0;
      if (isFirst && !isAlone) return null;
      const isDefault = policy.isDefault || isAlone;
      if (isDefault) await repository.clearDefault(tx.db);
      const id = await repository.insert(tx.db, { ...policy, isDefault });
      const made = { ...policy, id, isDefault };
      await record(tx.db, [policyEvent({ actor, now: clock.now(), verb: "create" }, null, made)]);
      tx.changed("policies", [String(id)]);
      return made;
    });

  return {
    /** All policies, in the order of their ids. */
    list: (): Promise<Policy[]> => cache.list(),
    /** @throws PolicyNotFound */
    find: (id: number): Promise<Policy> => cache.find(id),
    defaultPolicy: (): Promise<Policy> => cache.defaultPolicy(),

    receiving: (id: number | null): Promise<Policy> => cache.receiving(id),

    /** Several processes may start at once. */
    async ensureDefault(): Promise<void> {
      if ((await cache.list()).length > 0) return;
      const first = newPolicyOf(FIRST_POLICY, clock.now()).policy;
      await insert({ ...first, sealedAccessKey: null, sealedSecretKey: null }, SYSTEM, { isFirst: true });
      cache.forget();
    },

    /** @throws BadRequest (a place that is not allowed), Conflict (the name) */
    async create(given: CreatePolicy, actor = SYSTEM): Promise<Policy> {
      const { policy, accessKey, secretKey } = newPolicyOf(given, clock.now());
      await checkDriverSettings({ ...policy, accessKey, secretKey }, context);
      refuseSharedPlace(policy, await cache.list(), context);
      const sealed = {
        ...policy,
        sealedAccessKey: accessKey === null ? null : await seal(accessKey, ACCESS_KEY_PURPOSE),
        sealedSecretKey: secretKey === null ? null : await seal(secretKey, SECRET_KEY_PURPOSE),
      };
      return (await insert(sealed, actor))!;
    },

    /** @throws PolicyNotFound, BadRequest, Conflict (the name) */
    async update(id: number, given: UpdatePolicy, actor = SYSTEM): Promise<Policy> {
      const keys = {
        ...(given.access_key !== undefined && {
          sealedAccessKey: await seal(given.access_key, ACCESS_KEY_PURPOSE),
        }),
        ...(given.secret_key !== undefined && {
          sealedSecretKey: await seal(given.secret_key, SECRET_KEY_PURPOSE),
        }),
      };
      return changes.write(async (tx) => {
        await repository.lock(tx.db);
        const policy = (await repository.find(id, tx.db)) ?? unknownPolicy();
        refuseImpossible(policy, given);
        const next = { ...applied(policy, given, clock.now()), ...keys };
        if (next.isDefault && !policy.isDefault) await repository.clearDefault(tx.db);
        await repository.update(tx.db, next);
        await record(tx.db, [policyEvent({ actor, now: clock.now(), verb: "update" }, policy, next)]);
        tx.changed("policies", [String(id)]);
        return next;
      });
    },

    /** @throws PolicyNotFound */
    async usage(id: number): Promise<PolicyUsage> {
      const policy = await cache.find(id);
      const [uses, bytes, shares] = await Promise.all([
        repository.uses(id, MOST_FOLDERS_NAMED),
        repository.storedBytes(id),
        repository.shares(id, MOST_ACCOUNTS_NAMED),
      ]);
      return { ...uses, bytes, ...shares, obstacle: obstacleOf(policy, uses) };
    },

    /** @throws PolicyNotFound, PolicyInUse naming the references */
    async remove(id: number, actor = SYSTEM): Promise<void> {
      await cache.find(id);
      await finishDeletes(id);
      await changes.write(async (tx) => {
        await repository.lock(tx.db);
        const policy = (await repository.find(id, tx.db)) ?? unknownPolicy();
        const uses = await repository.uses(id, MOST_FOLDERS_NAMED, tx.db);
        const obstacle = obstacleOf(policy, uses);
        if (obstacle !== null) throw appError("PolicyInUse", obstacle, { details: uses });
        await repository.remove(tx.db, id);
        await record(tx.db, [policyEvent({ actor, now: clock.now(), verb: "delete" }, policy, null)]);
        tx.changed("policies", [String(id)]);
      });
    },

    /** @throws PolicyNotFound, BadRequest, StorageUnavailable with the reason */
    async test(id: number): Promise<void> {
      const policy = await cache.find(id);
      // An existing local policy keeps working even where a new one is refused.
      if (policy.driverType === "s3") await checkDriverSettings(unsealSettings(policy, box), context);
      await probe(id);
    },

    /** Policies whose places would be refused for new ones, with the refusal. */
    async misplaced(): Promise<{ name: string; refusal: string }[]> {
      const found = await Promise.all(
        (await cache.list()).map(async (policy) => ({
          name: policy.name,
          refusal: await checkPlacement(policy, context).then(() => null, messageOf),
        })),
      );
      return found.flatMap(({ name, refusal }) => (refusal === null ? [] : [{ name, refusal }]));
    },
  };
}

/** Stored content must not be shown as it lies. @throws BadRequest */
function refuseSharedPlace(
  policy: Pick<Policy, "driverType" | "basePath">,
  others: readonly Policy[],
  context: StorageContext,
): void {
  for (const other of others) {
    const isLinked = policy.driverType === "linked" || other.driverType === "linked";
    if (!isLinked || policy.driverType === other.driverType) continue;
    if (!isSharedPlace(policy, other, context)) continue;
    throw appError(
      "BadRequest",
      `base_path: the folder and that of the storage '${other.name}' may not lie in one another.`,
    );
  }
}

type NewPolicy = Omit<StoredPolicy, "id" | "sealedAccessKey" | "sealedSecretKey">;

function newPolicyOf(given: CreatePolicy, now: number) {
  const isS3 = given.driver_type === "s3";
  const isLinked = given.driver_type === "linked";
  const policy: NewPolicy = {
    name: given.name,
    driverType: given.driver_type,
    endpoint: isS3 ? (given.endpoint ?? null) : null,
    bucket: isS3 ? (given.bucket ?? null) : null,
    region: isS3 ? given.region || DEFAULT_REGION : null,
    hasCredentials: isS3,
    basePath: basePathOf(given.driver_type, given.base_path ?? ""),
    maxFileSize: given.max_file_size ?? 0,
    download: isLinked ? "relay" : (given.download ?? "relay"),
    isDefault: given.is_default ?? false,
    moveState: null,
    moveTo: null,
    readOnly: isLinked ? (given.read_only ?? true) : null,
    rescanMinutes: isLinked ? (given.rescan_minutes ?? RESCAN_MINUTES) : null,
    createdAt: now,
    updatedAt: now,
  };
  return {
    policy,
    accessKey: isS3 ? (given.access_key ?? null) : null,
    secretKey: isS3 ? (given.secret_key ?? null) : null,
  };
}

/** A local policy without a folder gets its own. */
function basePathOf(driverType: DriverType, given: string): string {
  if (driverType === "linked") return given;
  if (driverType === "s3") return given.replace(/^\/+|(?<!\/)\/+$/g, "");
  return given === "" ? `${FIRST_POLICY.base_path}-${crypto.randomUUID().slice(0, 8)}` : given;
}

/** Drivers are reopened when the time changes, so it grows with each change. */
const applied = (policy: StoredPolicy, given: UpdatePolicy, now: number): StoredPolicy => ({
  ...policy,
  name: given.name ?? policy.name,
  maxFileSize: given.max_file_size ?? policy.maxFileSize,
  download: given.download ?? policy.download,
  region: given.region ?? policy.region,
  isDefault: given.is_default ?? policy.isDefault,
  readOnly: given.read_only ?? policy.readOnly,
  rescanMinutes: given.rescan_minutes ?? policy.rescanMinutes,
  updatedAt: Math.max(now, policy.updatedAt + 1),
});

/** Fields that a policy of the type does not have. */
const FOREIGN = {
  s3: ["read_only", "rescan_minutes"],
  local: ["access_key", "secret_key", "region", "read_only", "rescan_minutes"],
  linked: ["access_key", "secret_key", "region", "download", "max_file_size"],
} as const;

function refuseImpossible(policy: Policy, given: UpdatePolicy): void {
  const fixed = changedFixedField(policy, given);
  if (fixed !== undefined) {
    throw appError(
      "BadRequest",
      `${fixed}: it can't be changed, because content is stored there. Make another policy.`,
    );
  }
  if (policy.isDefault && given.is_default === false) {
    throw appError("BadRequest", "is_default: make another policy the default instead.");
  }
  if (policy.driverType === "linked" && given.is_default === true) {
    throw appError("BadRequest", "is_default: nothing is stored in a linked folder.");
  }
  const foreign = FOREIGN[policy.driverType].find((field) => given[field] !== undefined);
  if (foreign !== undefined)
    throw appError("BadRequest", `${foreign}: a ${policy.driverType} policy has none.`);
}

/** Why the policy can't be deleted, as a sentence, or null. */
function obstacleOf(
  { isDefault, driverType }: Policy,
  { blobs, kept, uploads, folders, movingFrom }: PolicyUses,
): string | null {
  if (movingFrom !== null) return `The content of the policy '${movingFrom}' is moving into it.`;
  if (isDefault) return "The default policy can't be deleted; make another one the default first.";
  const names = folders.map(({ id, name }) => `'${name}' (${id})`);
  const more = folders.length === MOST_FOLDERS_NAMED ? " and maybe more" : "";
  const uses = [
    ...(blobs > kept && (driverType !== "linked" || folders.length === 0)
      ? [`the content of files (${blobs - kept} stored)`]
      : []),
    ...(kept > 0 ? [`moved objects that downloads may still read (${kept}, for a few minutes)`] : []),
    ...(uploads > 0 ? [`unfinished uploads (${uploads})`] : []),
    ...(names.length > 0 ? [`the folders ${names.join(", ")}${more}`] : []),
  ];
  return uses.length === 0 ? null : `The policy is in use by ${uses.join(" and ")}.`;
}

function unknownPolicy(): never {
  throw appError("PolicyNotFound", "There is no such storage policy.");
}

const MASK = "[REDACTED]";

type Doing = { actor: Pick<Actor, "name" | "via">; now: number; verb: "create" | "update" | "delete" };

/** An event never contains keys; a new key is a mask in the new state. At least one state is given. */
export const policyEvent = (
  { actor, now, verb }: Doing,
  before: StoredPolicy | null,
  after: StoredPolicy | null,
): EventRecord => ({
  at: now,
  actor,
  action: `policy.${verb}`,
  subject: (after ?? before)!.name,
  before: before && viewPolicy(before),
  after: after && { ...viewPolicy(after), ...newKeys(before, after) },
});

/** The masks of changed keys; a new policy has `has_credentials`. */
const newKeys = (before: StoredPolicy | null, after: StoredPolicy): Record<string, string> => ({
  ...(before && before.sealedAccessKey !== after.sealedAccessKey && { access_key: MASK }),
  ...(before && before.sealedSecretKey !== after.sealedSecretKey && { secret_key: MASK }),
});

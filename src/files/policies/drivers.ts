/** One open driver per policy in its current form. */
import { madeOnce } from "../../lib/made-once.ts";
import { appError } from "../../lib/errors.ts";
import { SealedWithAnotherKey, type SecretBox } from "../../lib/secret-box.ts";
import type { PoliciesRepository, StoredPolicy } from "./repository.ts";
import { observeDriver } from "../storage/observed-driver.ts";
import type { StorageMetrics } from "../storage/metrics.ts";
import type { Disk } from "../storage/disk.ts";
import type { Driver } from "../storage/driver.ts";
import { folderAway } from "../storage/storage-failure.ts";
import { type DriverSettings, openDriver, type StorageContext } from "../storage/index.ts";
import { tagOf, newContentGeneration, newStagingId } from "../storage/object-key.ts";

export const ACCESS_KEY_PURPOSE = "policies.access_key";
export const SECRET_KEY_PURPOSE = "policies.secret_key";

export type Drivers = ReturnType<typeof createDrivers>;

type Deps = {
  policies: PolicyCache;
  repository: Pick<PoliciesRepository, "uses" | "installation">;
  box: SecretBox;
  context: StorageContext;
  metrics?: StorageMetrics | undefined;
};

type Opened = { policy: StoredPolicy; driver: Driver; claimed(): Promise<void> };

export function createDrivers({ policies, repository, box, context, metrics }: Deps) {
  const opened = new Map<number, Opened>();
  const installationName = madeOnce(repository.installation);

  async function open(policyId: number): Promise<Opened> {
    const policy = await policies.find(policyId);
    const known = opened.get(policyId);
    if (known?.policy.updatedAt === policy.updatedAt) return known;
    const bare = openDriver(unsealSettings(policy, box), context);
    const driver = metrics === undefined ? bare : observeDriver(bare, metrics[policy.driverType]);
    const one = { policy, driver, claimed: madeOnce(() => claim({ policy, driver }, false)) };
    opened.set(policyId, one);
    return one;
  }

  async function claim({ policy, driver }: Pick<Opened, "policy" | "driver">, anew: boolean): Promise<void> {
    const name = await installationName();
    const mark = anew || (await repository.uses(policy.id, 1)).blobs === 0;
    if (await driver.claim(name, mark)) return;
    throw appError("StorageUnavailable", MARKER_GONE, {
      cause: new Error(`the location of policy ${policy.id} is not marked for ${name}`),
    });
  }

  return {
    /** @throws PolicyNotFound, StorageUnavailable if its keys can't be read */
    async forReading(policyId: number): Promise<Driver> {
      return (await open(policyId)).driver;
    },
    /**
     * For changes. Verifies that the location was used before: an empty mount point must not pass for a storage whose
     * files are gone. @throws PolicyNotFound, StorageUnavailable
     */
    async forWriting(policyId: number): Promise<Driver> {
      const one = await open(policyId);
      await one.claimed();
      return one.driver;
    },
    /** How to look at the folder of a linked policy. @throws PolicyNotFound, BadRequest for another one */
    async diskOf(policyId: number): Promise<Disk> {
      const { policy, driver } = await open(policyId);
      if (driver.disk === undefined)
        throw appError("BadRequest", `The storage '${policy.name}' is not linked.`);
      return driver.disk;
    },
    /** The tag in names of objects of this installation (files/storage/object-key.ts). */
    tag: async (): Promise<number> => tagOf(await installationName()),
    /** Like forWriting, but asks the storage again. `mark` marks the location. */
    async verify(policyId: number, { mark }: { mark: boolean }): Promise<Driver> {
      const one = await open(policyId);
      await claim(one, mark);
      return one.driver;
    },
  };
}

const MARKER_GONE =
  "This is not the storage that was used before: its disk may not be mounted, or its marker is lost.";

/** @throws StorageUnavailable if the keys were sealed with another secret key */
export function unsealSettings(policy: StoredPolicy, box: SecretBox): DriverSettings {
  const open = (sealed: string | null, purpose: string): string | null => {
    try {
      return sealed === null ? null : box.open(sealed, purpose);
    } catch (cause) {
      const reason =
        cause instanceof SealedWithAnotherKey ? "were sealed with another secret key" : "are damaged";
      throw appError("StorageUnavailable", `The stored keys of the policy ${reason}.`, { cause });
    }
  };
  return {
    driverType: policy.driverType,
    endpoint: policy.endpoint,
    bucket: policy.bucket,
    region: policy.region,
    basePath: policy.basePath,
    readOnly: policy.readOnly,
    accessKey: open(policy.sealedAccessKey, ACCESS_KEY_PURPOSE),
    secretKey: open(policy.sealedSecretKey, SECRET_KEY_PURPOSE),
  };
}

export type PolicyCache = ReturnType<typeof createPolicyCache>;

/** Read on demand and again after a change. There are few. */
export function createPolicyCache({ list }: Pick<PoliciesRepository, "list">) {
  const read = () =>
    madeOnce(
      async (): Promise<ReadonlyMap<number, StoredPolicy>> =>
        new Map((await list()).map((policy) => [policy.id, policy])),
    );
  let loading: ReturnType<typeof read> | undefined;
  const all = () => (loading ??= read())();
  return {
    list: async (): Promise<StoredPolicy[]> => [...(await all()).values()],
    /** Reads again for an unknown policy: another node may have just made it. @throws PolicyNotFound */
    async find(id: number): Promise<StoredPolicy> {
      const known = loading;
      let policy = (await all()).get(id);
      if (policy === undefined) {
        if (loading === known) loading = undefined;
        policy = (await all()).get(id);
      }
      if (policy === undefined) throw appError("PolicyNotFound", "There is no such storage policy.");
      return policy;
    },
    async defaultPolicy(): Promise<StoredPolicy> {
      for (const policy of (await all()).values()) if (policy.isDefault) return policy;
      throw appError("StorageUnavailable", "There is no default storage policy.");
    },
    /** Takes new uploads of this policy, or of the default: another one while its content moves. @throws PolicyNotFound */
    async receiving(id: number | null): Promise<StoredPolicy> {
      const policy = id === null ? await this.defaultPolicy() : await this.find(id);
      return policy.moveState === "running" ? this.find(policy.moveTo!) : policy;
    },
    forget(): void {
      loading = undefined;
    },
  };
}

/** Writes, reads and removes an object. @throws StorageUnavailable with the reason */
export const createProbe =
  (drivers: Drivers) =>
  async (policyId: number): Promise<void> => {
    const driver = await drivers.verify(policyId, { mark: false });
    if (driver.disk !== undefined) await expectFolder(driver.disk);
    if (driver.isReadOnly) return;
    const bytes = new TextEncoder().encode(
      `Waymark checks whether it can store files here: ${crypto.randomUUID()}\n`,
    );
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    const tag = await drivers.tag();
    const staging = await driver.stage(newStagingId(tag));
    let key: string;
    try {
      await staging.append(single(bytes));
      if (driver.disk !== undefined) return await staging.abort();
      key = await staging.finish({ sha256, generation: newContentGeneration(tag) });
    } catch (error) {
      await staging.abort();
      throw error;
    }
    try {
      const body = await driver.open(key, { size: bytes.length });
      const read = await new Response(body).text().catch(() => "");
      if (read !== new TextDecoder().decode(bytes)) {
        throw appError("StorageUnavailable", "The storage does not return what was written.");
      }
    } finally {
      await driver.remove(key);
    }
    if ((await driver.stat(key)) !== null) {
      throw appError("StorageUnavailable", "The storage keeps deleted objects.");
    }
  };

/** Whether the folder of a linked policy is there. */
async function expectFolder(disk: Disk): Promise<void> {
  const answer = await disk.look();
  if (!("value" in answer)) throw folderAway(answer.code);
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

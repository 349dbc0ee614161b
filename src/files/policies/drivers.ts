/** One open driver per policy in its current form. */
import { madeOnce } from "../../lib/made-once.ts";
import { appError } from "../../lib/errors.ts";
import { SealedWithAnotherKey, type SecretBox } from "../../lib/secret-box.ts";
import type { PolicyCache } from "./cache.ts";
import type { PoliciesRepository, StoredPolicy } from "./repository.ts";
import { observeDriver } from "../storage/observed-driver.ts";
import type { StorageMetrics } from "../storage/metrics.ts";
import type { Driver } from "../storage/driver.ts";
import { type DriverSettings, openDriver, type StorageContext } from "../storage/index.ts";
import { tagOf } from "../storage/object-key.ts";

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
    /** For names of this installation (files/storage/object-key.ts). */
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
    accessKey: open(policy.sealedAccessKey, ACCESS_KEY_PURPOSE),
    secretKey: open(policy.sealedSecretKey, SECRET_KEY_PURPOSE),
  };
}

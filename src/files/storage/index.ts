/** A new driver needs its file, a line here and a test that runs driver-contract.test-support.ts. */
import { resolve as absolute } from "node:path";
import { isInside } from "../../lib/real-path.ts";
import type { RowFields } from "../../platform/db/schema.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Driver, DriverType } from "./driver.ts";
import { createLinkedDriver } from "./linked/linked.ts";
import {
  checkLinkedLocation,
  checkNewLocation,
  checkRealLocation,
  type LocationRules,
  resolveBasePath,
} from "./local/location.ts";
import { createLocalDriver } from "./local/local.ts";
import { checkedAddress, parseEndpoint, type ResolveHost } from "./s3/endpoint.ts";
import { checkPrefix, createS3Driver } from "./s3/s3.ts";

/** The columns of a policy that drivers read. Null ones are unused by the driver. */
export type DriverSettings = Pick<
  RowFields<"policies", { driverType: DriverType }>,
  "driverType" | "endpoint" | "bucket" | "region" | "basePath" | "accessKey" | "secretKey"
> & {
  /** linked: false if it may be written. */
  readOnly?: boolean | null;
};

export type StorageContext = {
  locations: LocationRules;
  clock: Clock;
  resolve?: ResolveHost;
};

type DriverKind = {
  /** Validates a new policy; does not connect. @throws BadRequest */
  check(settings: DriverSettings, context: StorageContext): Promise<void>;
  /** Validates the place only. @throws BadRequest */
  checkPlacement(basePath: string, context: StorageContext): Promise<void>;
  open(settings: DriverSettings, context: StorageContext): Driver;
};

const DRIVERS: Record<DriverType, DriverKind> = {
  local: {
    check: ({ basePath }, { locations }) => checkNewLocation(basePath, locations),
    checkPlacement: (basePath, { locations }) => checkNewLocation(basePath, locations),
    open({ basePath }, { locations }) {
      const folder = resolveBasePath(basePath, locations);
      return createLocalDriver({
        folder,
        checkRealPath: (path) => checkRealLocation(folder, path, locations),
      });
    },
  },
  linked: {
    check: ({ basePath }, { locations }) => checkLinkedLocation(basePath, locations),
    checkPlacement: (basePath, { locations }) => checkLinkedLocation(basePath, locations),
    open: ({ basePath, readOnly }) =>
      createLinkedDriver({ folder: basePath, isReadOnly: readOnly !== false }),
  },
  s3: {
    async check({ endpoint, basePath }, { resolve }) {
      checkPrefix(basePath);
      const parsed = parseEndpoint(endpoint ?? "");
      // The name may resolve later; each connection checks it.
      await checkedAddress(parsed, resolve).catch((error: { name?: unknown }) => {
        if (error.name !== "StorageUnavailable") throw error;
      });
    },
    checkPlacement: async () => {},
    open: ({ endpoint, bucket, region, basePath, accessKey, secretKey }, { clock, resolve }) =>
      createS3Driver({
        endpoint: parseEndpoint(endpoint ?? ""),
        bucket: bucket ?? "",
        prefix: basePath,
        credentials: { accessKey: accessKey ?? "", secretKey: secretKey ?? "", region: region ?? "" },
        clock,
        ...(resolve && { resolve }),
      }),
  },
};

/** Validates a new policy; does not connect. @throws BadRequest */
export const checkDriverSettings = (settings: DriverSettings, context: StorageContext): Promise<void> =>
  DRIVERS[settings.driverType].check(settings, context);

/** Validates the place of a new policy. @throws BadRequest */
export const checkPlacement = (
  { driverType, basePath }: Pick<DriverSettings, "driverType" | "basePath">,
  context: StorageContext,
): Promise<void> => DRIVERS[driverType].checkPlacement(basePath, context);

/** Whether one of two folders of the machine lies in the other, or is it. */
export function isSharedPlace(one: DriverPlace, other: DriverPlace, { locations }: StorageContext): boolean {
  if (one.driverType === "s3" || other.driverType === "s3") return false;
  const [first, second] = [one, other].map(({ basePath }) => absolute(locations.dataDir, basePath));
  return isInside(first!, second!) || isInside(second!, first!);
}

type DriverPlace = Pick<DriverSettings, "driverType" | "basePath">;

/** Does not connect. @throws BadRequest */
export const openDriver = (settings: DriverSettings, context: StorageContext): Driver =>
  DRIVERS[settings.driverType].open(settings, context);

/** Which storage drivers there are. To add one: its file here, a line in the table, a test that calls the contract. */
import type { Clock } from "../../lib/clock.ts";
import type { Driver, DriverType } from "./driver.ts";
import {
  checkNewLocation,
  checkRealLocation,
  type LocationRules,
  resolveBasePath,
} from "./local/location.ts";
import { createLocalDriver } from "./local/local.ts";
import { checkedAddress, parseEndpoint, type ResolveHost } from "./s3/endpoint.ts";
import { checkPrefix, createS3Driver } from "./s3/s3.ts";

/** Where content is, and what it takes to get there; what a driver does not use is null. */
export type DriverSettings = {
  driverType: DriverType;
  endpoint: string | null;
  bucket: string | null;
  region: string | null;
  basePath: string;
  accessKey: string | null;
  secretKey: string | null;
};

export type StorageContext = {
  locations: LocationRules;
  clock: Clock;
  /** Instead of the system's resolver. */
  resolve?: ResolveHost;
};

type DriverKind = {
  /** Of a new policy. @throws BadRequest for settings that can't work or are not allowed; reaches no storage */
  check(settings: DriverSettings, context: StorageContext): Promise<void>;
  /** Only where the content is. @throws BadRequest when a new policy could not be there */
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
  s3: {
    async check({ endpoint, basePath }, { resolve }) {
      checkPrefix(basePath);
      const parsed = parseEndpoint(endpoint ?? "");
      // A name that does not resolve now may do so later; it is looked at again with each connection.
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

/** @throws BadRequest */
export const checkDriverSettings = (settings: DriverSettings, context: StorageContext): Promise<void> =>
  DRIVERS[settings.driverType].check(settings, context);

/** Whether a new policy could be where this one is. @throws BadRequest */
export const checkPlacement = (
  { driverType, basePath }: Pick<DriverSettings, "driverType" | "basePath">,
  context: StorageContext,
): Promise<void> => DRIVERS[driverType].checkPlacement(basePath, context);

/** Reaches no storage yet. @throws BadRequest */
export const openDriver = (settings: DriverSettings, context: StorageContext): Driver =>
  DRIVERS[settings.driverType].open(settings, context);

import { readFile, stat } from "node:fs/promises";
import { type CityResponse, Reader } from "maxmind";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { GeoProvider } from "./geo-provider.ts";

/** Between checks for a newer file. */
const CHECK_MS = 30_000;

type Loaded = { reader: Reader<CityResponse>; version: string };

/** A City or Country database. Reports a missing or broken file once. */
export function createMaxmindGeo(
  path: string,
  { clock, logger }: { clock: Clock; logger: Logger },
): GeoProvider {
  let loaded: Loaded | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | null = null;
  let complaint = "";

  async function reload(): Promise<void> {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const version = `${mtimeMs} ${size} ${ino}`;
      if (loaded?.version !== version)
        loaded = { reader: new Reader<CityResponse>(await readFile(path)), version };
      complaint = "";
    } catch (error) {
      // The loaded version stays in use.
      const message = messageOf(error);
      if (message !== complaint) logger.warn({ path, reason: message }, "the geo database can't be read");
      complaint = message;
    }
  }

  return {
    async lookup(address) {
      if (Math.abs(clock.now() - checkedAt) >= CHECK_MS) {
        checkedAt = clock.now();
        loading = reload().finally(() => (loading = null));
      }
      if (loading !== null) await loading;
      if (loaded === null) return undefined;
      const found = loaded.reader.get(address);
      const country = found?.country?.iso_code ?? found?.registered_country?.iso_code;
      if (country === undefined || !/^[A-Z]{2}$/.test(country)) return null;
      return { country, city: found?.city?.names.en ?? null };
    },
    close() {
      loaded = null;
    },
  };
}

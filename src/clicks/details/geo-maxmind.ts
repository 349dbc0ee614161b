import { readFile, stat } from "node:fs/promises";
import { type CityResponse, Reader } from "maxmind";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Place } from "../rollups/dimensions.ts";

/** Between checks for a newer file. */
const CHECK_MS = 30_000;

type Loaded = { reader: Reader<CityResponse>; version: string };
type Deps = { clock: Clock; logger: Logger };

/** A City or Country database in memory. Reports a missing or broken file once. */
export function openMaxmindFile(path: string, { clock, logger }: Deps) {
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
    /** Loads a newer file now and then. Null while there is nothing to wait for. Never rejects. */
    refresh(): Promise<void> | null {
      if (Math.abs(clock.now() - checkedAt) >= CHECK_MS) {
        checkedAt = clock.now();
        loading = reload().finally(() => (loading = null));
      }
      return loading;
    },
    /** Undefined without a file. */
    find(address: string): Place | null | undefined {
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

export function createMaxmindGeo(path: string, deps: Deps) {
  const file = openMaxmindFile(path, deps);
  return {
    async lookup(address: string): Promise<Place | null | undefined> {
      await file.refresh();
      return file.find(address);
    },
    close: file.close,
  };
}

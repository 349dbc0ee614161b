/** Countries of addresses for redirects: from a MaxMind file in memory, loaded when a rule first asks for one. */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { openMaxmindFile } from "./geo-maxmind.ts";
import { isPublicAddress } from "../../lib/public-address.ts";

/** `path`: null without a file. */
export function createCountries(path: string | null, deps: { clock: Clock; logger: Logger }) {
  let file: ReturnType<typeof openMaxmindFile> | undefined;
  let opening: Promise<void> | undefined;

  async function open(from: string): Promise<void> {
    const { openMaxmindFile } = await import("./geo-maxmind.ts");
    const opened = openMaxmindFile(from, deps);
    await opened.refresh();
    file = opened;
  }

  return {
    /** Null unless the first file is loading. Never rejects. Call it before `countryOf`. */
    loading(): Promise<void> | null {
      if (path === null) return null;
      if (file === undefined) return (opening ??= open(path));
      void file.refresh();
      return null;
    },
    /** Null without a file, and for addresses that are not public. */
    countryOf: (address: string): string | null =>
      file === undefined || !isPublicAddress(address) ? null : (file.find(address)?.country ?? null),
  };
}

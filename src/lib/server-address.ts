/** The address at which the server of a data folder listens, or listened last, for the short URLs of commands. */
import { readFileSync, writeFileSync } from "node:fs";
import { dataPath } from "./data-folder.ts";

/** Such as `http://0.0.0.0:8080`. A folder that can't be written costs only the port in the output of commands. */
export function noteServerAddress(dataDir: string, address: string): void {
  try {
    writeFileSync(dataPath(dataDir, "address"), address);
  } catch {}
}

/** Its origin, for a browser on this machine; null if no server has listened on a port. */
export function knownServerOrigin(dataDir: string): string | null {
  try {
    const url = URL.parse(readFileSync(dataPath(dataDir, "address"), "utf8"));
    if (url === null || !url.protocol.startsWith("http")) return null;
    if (["0.0.0.0", "[::]"].includes(url.hostname)) url.hostname = "localhost";
    return url.origin;
  } catch {
    return null;
  }
}

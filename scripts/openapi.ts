/**
 * Prints the OpenAPI document of a new installation, made from the endpoints without a server. With --release it is
 * without texts and examples, as docs/openapi/ keeps it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApi } from "../src/server/http.ts";
import { loadEnv } from "../src/server/settings.ts";
import { openApiDocument } from "../src/platform/http/openapi.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { openRooms } from "../src/server/open.ts";
import type { House } from "../src/server/rooms.ts";

export const newApiDocument = () => withNewApi(openApiDocument);

/** Starts the rooms of a new installation, without listening. */
export async function openNewRooms() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-api-"));
  const env = loadEnv({ cwd: folder, processEnv: { WAYMARK__DATA__DIR: folder } });
  const opened = await openRooms<House>(env, { logger: silentLogger, isServer: true });
  return {
    house: opened.house,
    api: createApi(opened.house, opened.rooms),
    async close(): Promise<void> {
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Gives the endpoints of a new installation. */
export async function withNewApi<T>(use: (api: ReturnType<typeof createApi>) => T): Promise<Awaited<T>> {
  const { api, close } = await openNewRooms();
  try {
    return await use(api);
  } finally {
    await close();
  }
}

/** A field of this name, which is a schema, stays. */
const isText = (key: string, value: unknown): boolean =>
  ((key === "description" || key === "summary") && typeof value === "string") ||
  key === "example" ||
  (key === "examples" && Array.isArray(value));

if (import.meta.main) {
  const bare = process.argv.includes("--release");
  const keep = (key: string, value: unknown) => (bare && isText(key, value) ? undefined : value);
  console.log(JSON.stringify(await newApiDocument(), keep, bare ? 1 : 2));
}

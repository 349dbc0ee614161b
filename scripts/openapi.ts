/**
 * Prints the OpenAPI document of a new installation, made from the endpoints without a server. With --release it is
 * without texts and examples, as docs/openapi/ keeps it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApi } from "../src/server/app-http.ts";
import { loadEnv } from "../src/platform/settings/env.ts";
import { openApiDocument } from "../src/platform/http/openapi.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { openServices } from "../src/server/services.ts";

/** Endpoints answer nothing here. */
const ABSENT = undefined as never;

export const newApiDocument = () => withNewApi(openApiDocument);

/** Gives the endpoints of a new installation, which answer nothing. */
export async function withNewApi<T>(use: (api: ReturnType<typeof createApi>) => T): Promise<Awaited<T>> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-api-"));
  const env = loadEnv({ cwd: folder, processEnv: { WAYMARK__DATA__DIR: folder } });
  const services = await openServices(env, { logger: silentLogger, server: false });
  try {
    return await use(
      createApi({
        services,
        health: ABSENT,
        system: ABSENT,
        scrape: ABSENT,
        live: ABSENT,
        explainLink: ABSENT,
        ask: ABSENT,
      }),
    );
  } finally {
    await services.close();
    rmSync(folder, { recursive: true, force: true });
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

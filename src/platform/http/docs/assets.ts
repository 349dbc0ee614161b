/** The files of {v1}/docs: Swagger UI from its package, and ours. The one-file executable embeds them. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
// @ts-expect-error a path, not a module
import bundlePath from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
// @ts-expect-error a path, not a module
import stylePath from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import viewer from "swagger-ui-dist/package.json" with { type: "json" };
import { madeOnce } from "../../../lib/made-once.ts";
import { type SharedBytes, shareBytes } from "../../../lib/shared-bytes.ts";
import { startScript, STYLE } from "./theme.ts";

const compress = promisify(gzip);

type Asset = { type: string; read(): Promise<Uint8Array> };

const file = (path: string, type: string): Asset => ({ type, read: () => Bun.file(path).bytes() });
const text = (content: string, type: string): Asset => ({ type, read: async () => Buffer.from(content) });

const SCRIPT = "text/javascript; charset=utf-8";
const CSS = "text/css; charset=utf-8";

/** @param csrf as in startScript */
export function createDocsAssets(csrf: { cookie: string; header: string }) {
  const start = startScript(csrf);
  const assets: Record<string, Asset> = {
    "swagger-ui.css": file(stylePath, CSS),
    "swagger-ui-bundle.js": file(bundlePath, SCRIPT),
    "docs.css": text(STYLE, CSS),
    "docs.js": text(start, SCRIPT),
  };
  /** Covers all files, so that a browser may keep them for good. */
  const version = `${viewer.version}-${Bun.hash(start + STYLE).toString(16)}`;
  /** By name and encoding. */
  const kept = new Map<string, () => Promise<SharedBytes>>();

  return {
    version,
    /** Null for an unknown name or version. Compressed once, in a thread. */
    async read(path: string, acceptsGzip: boolean): Promise<{ type: string; body: SharedBytes } | null> {
      const [given, name = "", ...rest] = path.split("/");
      const asset = Object.hasOwn(assets, name) ? assets[name]! : null;
      if (given !== version || asset === null || rest.length > 0) return null;
      const key = `${acceptsGzip ? "gzip" : "plain"} ${name}`;
      const made = async () => {
        const bytes = await asset.read();
        return shareBytes(acceptsGzip ? await compress(bytes) : bytes);
      };
      const read = kept.getOrInsertComputed(key, () => madeOnce(made));
      return { type: asset.type, body: await read() };
    },
  };
}

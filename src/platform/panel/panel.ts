/**
 * The web panel below `routes.frontend_prefix`: one page for every address that a person opens, and its files. File
 * names carry a hash of the content, so browsers keep them for good.
 */
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { appError } from "../../lib/errors.ts";
import { pathStart } from "../../lib/request-target.ts";
import { shareBytes, type SharedBytes, sharedResponse } from "../../lib/shared-bytes.ts";
import { failureResponse, toAppError } from "../http/errors.ts";
import { type OfflinePage, type PanelIdentity, versionOf, webAppResponse } from "./web-app.ts";
import { wholeResponse } from "../../lib/whole-response.ts";

type PackedFile = { type: string; br: string; gzip: string };
export type Pack = {
  files: Record<string, PackedFile>;
  /** Names of scripts that a page needs besides those of index.html, by its path. */
  preloads: Record<string, readonly string[]>;
  /** Name of the script with the texts, by language. */
  catalogs: Record<string, string>;
};

/** Resolves with null while the panel is not built. */
async function readPack(): Promise<Pack | null> {
  try {
    // The bundler puts the file into the executable and replaces its path.
    // @ts-expect-error a path, not a module
    const { default: path } = (await import("../../../panel/dist/panel.pack", {
      with: { type: "file" },
    })) as {
      default: string;
    };
    return JSON.parse(await readFile(path, "utf8")) as Pack;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  ("code" in error
    ? ["ENOENT", "ERR_MODULE_NOT_FOUND"].includes(String(error.code))
    : error.name === "ResolveMessage");

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Components set styles of single elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  // The reference of the API; previews of PDF files, sandboxed.
  "frame-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** Around what stands there in development. */
const PLACEHOLDER = ["<!--waymark-->", "<!--/waymark-->"] as const;

/** Text of the button for OpenID Connect (null: none; empty: a usual one), and whether a password does it. */
type WaysToSignIn = { oidc: string | null; password: boolean };

type PagePlace = {
  /** `routes.frontend_prefix` and `routes.admin_prefix` */
  prefix: string;
  admin: string;
  /** Path below the prefix, such as `/links/docs`. */
  path: string;
  instanceName: string;
  /** `features.accent_color` */
  accentColor: string;
  /** Changes with every icon. */
  icons: string;
  isSetUp: boolean;
  /** `features.enforce_link_passwords` */
  asksPasswords: boolean;
  /** `analytics.time_zone` */
  timeZone: string;
  /** `links.ignore_case` */
  ignoresCase: boolean;
  /** Mails with links into the panel can be sent. */
  sendsMails: boolean;
  /** The names of the rooms that this program has. */
  rooms: readonly string[];
  signIn: WaysToSignIn;
};

const up = (levels: number): string => (levels === 0 ? "./" : "../".repeat(levels));
const slashesIn = (path: string): number => path.split("/").length - 1;

const attribute = (text: string): string => text.replace(/[&"<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/**
 * `html`: the built page with its placeholder. `preloads`: names of scripts below the prefix. `requested`: paths below
 * the admin prefix whose responses the page needs at once.
 */
function panelPage(
  html: string,
  { preloads, requested }: { preloads: readonly string[]; requested: readonly string[] },
  { prefix, path, ...place }: PagePlace,
): string {
  const root = up(slashesIn(prefix));
  const content = JSON.stringify({ root, ...place });
  const base = up(slashesIn(path) - 1);
  const { instanceName, icons, admin } = place;
  const early = [
    ...preloads.map((name) => `<link rel="modulepreload" href="${name}" crossorigin />`),
    ...requested.map(
      (name) =>
        `<link rel="preload" as="fetch" href="${attribute(root + admin.slice(1) + name)}" crossorigin />`,
    ),
  ];
  const head = `<base href="${base}" />
    <meta name="waymark" content="${attribute(content)}" />
    <title>${attribute(instanceName)}</title>
    <link rel="icon" href="mark?v=${icons}" />
    <link rel="apple-touch-icon" href="icon?v=${icons}" />
    <link rel="manifest" href="manifest.webmanifest" />${early.map((link) => `\n    ${link}`).join("")}`;
  const [begin, end] = PLACEHOLDER;
  return html.slice(0, html.indexOf(begin)) + head + html.slice(html.indexOf(end) + end.length);
}

/** To the prefix with a slash at its end. */
function redirectInto(prefix: string): Response {
  const Location = `${prefix.slice(prefix.lastIndexOf("/") + 1)}/`;
  return new Response(null, { status: 307, headers: { Location } });
}

export type Panel = ReturnType<typeof createPanel>;

export type PanelOptions = {
  prefix: string;
  admin: string;
  isEnabled(): boolean;
  identity: PanelIdentity;
  /** Whether it has the cookies of a session: what the page needs is then sent with it. */
  isSignedIn(request: Request): boolean;
  /** Whether it has the cookie for calls, which runs out before the session does. */
  mayCall(request: Request): boolean;
  /** Whose texts the page needs, unless the person chose another. */
  language(request: Request): string;
  /** What the app shows while the server is away, in the reader's language. */
  offline(request: Request): OfflinePage;
  /** Whether a password is set. */
  isSetUp(): boolean;
  /** Whether visitors have to give the passwords of links. */
  asksPasswords(): boolean;
  timeZone(): string;
  ignoresCase(): boolean;
  /** Whether mails with links into the panel can be sent. */
  sendsMails(): boolean;
  /** The names of the rooms that this program has. */
  rooms: readonly string[];
  waysToSignIn(): WaysToSignIn;
  /** Resolves with null while the panel is not built. */
  read?: () => Promise<Pack | null>;
};

const PAGE = "index.html";
const PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": PAGE_POLICY,
  "Cache-Control": "no-cache",
  "X-Frame-Options": "DENY",
};
/** What pages ask for first, by their path, as they ask it: below the admin prefix. */
const REQUESTED: Record<string, readonly string[]> = {
  links: ["/v1/links?domain=*&page=1&page_size=50&total=false"],
};
const ASSETS = "assets/";
const decompress = promisify(brotliDecompress);

type Encoding = "br" | "gzip" | "plain";

const unpack = async (file: PackedFile, encoding: Encoding): Promise<Uint8Array> =>
  encoding === "plain" ? decompress(Buffer.from(file.br, "base64")) : Buffer.from(file[encoding], "base64");

export function createPanel({
  prefix,
  admin,
  isEnabled,
  identity,
  isSignedIn,
  mayCall,
  language,
  offline,
  isSetUp,
  asksPasswords,
  timeZone,
  ignoresCase,
  sendsMails,
  rooms,
  waysToSignIn,
  read = readPack,
}: PanelOptions) {
  let loaded: Promise<Pack | null> | undefined;
  /** Bytes by name and encoding. */
  const kept = new Map<string, Promise<SharedBytes>>();

  async function load(): Promise<Pack | null> {
    const pack = await (loaded ??= read());
    // A build may follow.
    if (pack === null) loaded = undefined;
    return pack;
  }

  function bytesOf(name: string, file: PackedFile, encoding: Encoding): Promise<SharedBytes> {
    const key = `${encoding} ${name}`;
    const bytes = kept.get(key) ?? unpack(file, encoding).then(shareBytes);
    kept.set(key, bytes);
    return bytes;
  }

  async function asset(name: string, file: PackedFile, request: Request): Promise<Response> {
    const accepted = request.headers.get("accept-encoding") ?? "";
    const encoding = /\bbr\b/i.test(accepted) ? "br" : /\bgzip\b/i.test(accepted) ? "gzip" : "plain";
    return sharedResponse(request, await bytesOf(name, file, encoding), {
      "Content-Type": file.type,
      "Cache-Control": "public, max-age=31536000, immutable",
      Vary: "Accept-Encoding",
      ...(encoding !== "plain" && { "Content-Encoding": encoding }),
    });
  }

  async function page(pack: Pack, path: string, request: Request): Promise<Response> {
    const place = path.startsWith("/link/") ? "link" : path.slice(1);
    const comesBack = isSignedIn(request);
    const parts = comesBack && Object.hasOwn(pack.preloads, place) ? pack.preloads[place]! : [];
    const catalog = pack.catalogs[language(request)];
    // A query asks for other rows.
    const rows = !request.url.includes("?") && Object.hasOwn(REQUESTED, place) ? REQUESTED[place]! : [];
    const early = {
      preloads: catalog === undefined ? parts : [catalog, ...parts],
      requested: mayCall(request) ? ["/v1/auth/me", ...rows] : [],
    };
    const { bytes } = await bytesOf(PAGE, pack.files[PAGE]!, "plain");
    const html = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    const shown = panelPage(html, early, {
      prefix,
      admin,
      path,
      instanceName: identity.name(),
      accentColor: identity.accentColor(),
      icons: versionOf(identity),
      isSetUp: isSetUp(),
      asksPasswords: asksPasswords(),
      timeZone: timeZone(),
      ignoresCase: ignoresCase(),
      sendsMails: sendsMails(),
      rooms,
      signIn: waysToSignIn(),
    });
    return wholeResponse(shown, { headers: PAGE_HEADERS });
  }

  async function responseTo(request: Request): Promise<Response> {
    const path = pathIn(request.url, prefix);
    if (!isEnabled()) throw nothing();
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw appError("MethodNotAllowed", "This address allows GET and HEAD only.", {
        details: { allow: "GET, HEAD" },
      });
    }
    const pack = await load();
    if (pack === null) {
      throw appError("NotFound", "The panel is not built. Run 'npm run build:panel' on the server.");
    }
    if (path === "") return redirectInto(prefix);
    const name = path.slice(1);
    if (name.startsWith(ASSETS)) {
      const file = Object.hasOwn(pack.files, name) ? pack.files[name]! : null;
      if (file === null) throw nothing();
      return asset(name, file, request);
    }
    const part = webAppResponse(name, identity, () => offline(request));
    if (part !== null) return part;
    // Programs that guess addresses get 404.
    if (name !== "" && !/\btext\/html\b/i.test(request.headers.get("accept") ?? "")) throw nothing();
    return page(pack, path, request);
  }

  return {
    /**
     * Responds to a request at or below the prefix. Never rejects. A response to HEAD has its body, for its length; the
     * server drops it.
     */
    async respond(request: Request): Promise<Response> {
      const response = await responseTo(request).catch((error) => failureResponse(toAppError(error)));
      response.headers.set("X-Content-Type-Options", "nosniff");
      response.headers.set("Referrer-Policy", "same-origin");
      return response;
    },
  };
}

const nothing = () => appError("NotFound", "There is nothing at this address.");

/** Below the prefix, without query. */
function pathIn(url: string, prefix: string): string {
  const start = pathStart(url) + prefix.length;
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

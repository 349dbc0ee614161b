/**
 * A successor bundle is a tar.gz with a signature at its end (signature.ts):
 *
 *   private/waymark.db        a database of links, aliases, domains and the settings that visitors notice; first, so
 * that
 *                             it is read without the rest
 *   site/HOST/CODE.html       a page for each public code, for any host of files; where case is ignored, one more in
 *                             capitals, as QR codes have them
 *   manifest.json             what it has, and what it lacks
 */
import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { createWriteStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { createTarDecoder, createTarPacker } from "modern-tar";
import { type Database, openSnapshot } from "../../platform/db/database.ts";
import { migrateUp } from "../../platform/db/migrate.ts";
import { appError } from "../../lib/errors.ts";
import { tryFileLock } from "../../lib/file-lock.ts";
import { silentLogger } from "../../lib/logger.ts";
import { syncFolder } from "../../lib/sync-folder.ts";
import { VERSION } from "../../lib/version.ts";
import { codeOf, domainOf } from "../../links/link/key.ts";
import { type NoPage, redirectPage, staticResponse } from "./pages.ts";
import { codesOf, copyLinks, countSameButCase, domainsWithoutCase, hostsOf } from "./successor.repository.ts";

const DATABASE = "private/waymark.db";
/** A file in the folder of an unfinished bundle, held by its command. */
const LOCK = "lock";

export type BundleManifest = {
  format: 1;
  version: string;
  created_at: string;
  signed_by: string;
  links: number;
  /** Shares and drop boxes. */
  left_out: number;
  /** Folders in site/. */
  hosts: string[];
  /** Codes and aliases whose page leads on. */
  pages: number;
  /** Codes without such a page, by reason; `unfit`: it can't be the name of a file beside the others. */
  without: Record<NoPage | "unfit", number>;
  /** Pages of which a file system that ignores case keeps one. */
  differ_in_case_only: number;
};

type Sources = {
  database: Pick<Database, "read">;
  signer: Signer;
  /** The URL of the default domain. */
  publicUrl: string;
  /** The page for links that need a server. */
  waitingPage: string;
  now: number;
  onProgress(step: "links" | "pages", done: number, total?: number): void;
};

/**
 * Replaces the file when the new one is complete and on disk. Only its owner may read it.
 * @throws Conflict while another command writes the same file
 */
export async function makeBundle(path: string, sources: Sources): Promise<BundleManifest> {
  if ((await stat(path).catch(() => null))?.isDirectory()) {
    throw appError("BadRequest", `${path} is a folder; name a file.`);
  }
  const work = `${path}.part`;
  await mkdir(work, { recursive: true, mode: 0o700 });
  const lock = tryFileLock(join(work, LOCK));
  if (lock === null)
    throw appError("Conflict", `Another command writes ${path} now. Wait until it has ended.`);
  try {
    // What a killed one left.
    for (const name of await readdir(work)) if (name !== LOCK) await rm(join(work, name));
    const copy = await openSnapshot(join(work, "copy.db"), silentLogger);
    try {
      await migrateUp(copy, { logger: silentLogger });
      const { now, onProgress } = sources;
      const copied = await copyLinks(sources.database, copy, {
        now,
        onLinks: (links) => onProgress("links", links),
      });
      await copy.dialect.snapshot!(copy.slow, join(work, "waymark.db"));
      const manifest = await writeBundle(work, copy, { ...sources, ...copied });
      await rename(join(work, "bundle"), path);
      await syncFolder(dirname(path));
      return manifest;
    } finally {
      await copy.close();
    }
  } finally {
    await rm(work, { recursive: true, force: true });
    lock.release();
  }
}

async function writeBundle(
  work: string,
  copy: Database,
  { signer, links, leftOut, ...sources }: Sources & { links: number; leftOut: number },
): Promise<BundleManifest> {
  const { readable, controller } = createTarPacker();
  const mtime = new Date(sources.now);
  const put = async (name: string, content: string | Buffer, mode = 0o644) => {
    const bytes = Buffer.from(content);
    const entry = controller.add({ name, size: bytes.length, mode, mtime }).getWriter();
    await entry.write(bytes);
    await entry.close();
  };
  const hash = createHash("sha512");
  const file = await open(join(work, "bundle"), "wx", 0o600);
  const written = pipeline(
    Readable.fromWeb(readable as never),
    createGzip(),
    async function* (parts) {
      for await (const bytes of parts as AsyncIterable<Buffer>) {
        hash.update(bytes);
        yield bytes;
      }
      yield signer.trailer(hash.digest());
    },
    createWriteStream("", { fd: file.fd, autoClose: false }),
  );
  try {
    const filled = (async () => {
      const database = Bun.file(join(work, "waymark.db"));
      await database
        .stream()
        .pipeTo(controller.add({ name: DATABASE, size: database.size, mode: 0o600, mtime }));
      const found = await writePages(copy, put, { ...sources, links });
      const manifest: BundleManifest = {
        format: 1,
        version: VERSION,
        created_at: mtime.toISOString(),
        signed_by: signer.publicKey,
        links,
        left_out: leftOut,
        ...found,
        differ_in_case_only: await countSameButCase(copy),
      };
      await put("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`);
      controller.finalize();
      return manifest;
    })();
    filled.catch((error: unknown) => controller.error(error));
    const [manifest] = await Promise.all([filled, written]);
    await file.sync();
    return manifest;
  } finally {
    await file.close();
  }
}

type Put = (name: string, content: string) => Promise<void>;

async function writePages(
  copy: Database,
  put: Put,
  {
    publicUrl,
    waitingPage,
    now,
    links,
    onProgress,
  }: Pick<Sources, "publicUrl" | "waitingPage" | "now" | "onProgress"> & { links: number },
): Promise<Pick<BundleManifest, "hosts" | "pages" | "without">> {
  const hosts = await hostsOf(copy);
  hosts.set(0, URL.parse(publicUrl)?.hostname ?? "_default");
  const without = { locked: 0, limited: 0, held: 0, expired: 0, not_started: 0, unfit: 0 };
  const withoutCase = await domainsWithoutCase(copy);
  const seen = new Set<string>();
  let pages = 0;
  let done = 0;
  for await (const rows of codesOf(copy)) {
    for (const row of rows) {
      const host = hosts.get(domainOf(row.code));
      const code = codeOf(row.code);
      const response = staticResponse(row, now);
      if ("reason" in response) without[response.reason]++;
      if (host === undefined || !isFit(code)) {
        if (!("reason" in response)) without.unfit++;
        continue;
      }
      const spellings = withoutCase.has(domainOf(row.code)) ? new Set([code, code.toUpperCase()]) : [code];
      const putPage = async (page: string) => {
        for (const spelling of spellings) await put(`site/${host}/${spelling}.html`, page);
      };
      if (!("reason" in response)) {
        pages++;
        await putPage(redirectPage(response));
      } else if (response.reason === "locked" || response.reason === "limited") await putPage(waitingPage);
      seen.add(host);
    }
    onProgress("pages", (done += rows.length), links);
  }
  return { hosts: [...seen].sort(), pages, without };
}

/** Older codes may have any segments. A folder `a.html` would take the place of the page of `a`. */
const isFit = (code: string): boolean =>
  !code.includes(".html/") && code.split("/").every((segment) => !["", ".", ".."].includes(segment));

export type Opened = Signature & { file: FileHandle };

/** Checks the bundle and calls `use` with it. @throws BadRequest that explains what is wrong */
export async function withBundle<T>(
  path: string,
  key: string | undefined,
  use: (bundle: Opened) => Promise<T>,
): Promise<T> {
  const file = await open(path, "r").catch((cause: unknown) => {
    throw appError("BadRequest", `${path} can't be opened; name a successor bundle.`, { cause });
  });
  try {
    return await use({ ...(await checkSignature(file, path, key)), file });
  } finally {
    await file.close();
  }
}

/** The time at which the bundle was made. With `to`, writes its database there. */
export async function readDatabase({ file, size }: Opened, to?: string): Promise<Date> {
  const { readable, writable } = createTarDecoder();
  const stop = new AbortController();
  const bytes = file.createReadStream({ start: 0, end: size - 1, autoClose: false });
  const unpacked = Readable.toWeb(bytes.pipe(createGunzip())) as unknown as ReadableStream<Uint8Array>;
  const feeding = unpacked.pipeTo(writable, { signal: stop.signal }).catch(() => undefined);
  const { value: entry } = await readable.getReader().read();
  try {
    if (entry?.header.name !== DATABASE)
      throw appError("BadRequest", "The bundle has no database; another version of Waymark made it.");
    if (to !== undefined)
      await pipeline(
        Readable.fromWeb(entry.body as never),
        createWriteStream(to, { flags: "wx", mode: 0o600, flush: true }),
      );
    return entry.header.mtime ?? new Date(0);
  } finally {
    stop.abort();
    await feeding;
    bytes.destroy();
  }
}

/** PKCS #8 of RFC 8410 before the 32 bytes of the private key, SubjectPublicKeyInfo before those of the public one. */
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Header with an extra field `W1` of 96 bytes; an empty deflate block, CRC and length. */
const HEAD = Buffer.from("1f8b08040000000000ff640057316000", "hex");
const TAIL = Buffer.from("03000000000000000000", "hex");
const TRAILER_BYTES = HEAD.length + KEY_BYTES + SIGNATURE_BYTES + TAIL.length;

/**
 * The signature at the end of a bundle: Ed25519 (RFC 8032) over the SHA-512 of all bytes before it. It is an empty gzip
 * member (RFC 1952) with an extra field, which `tar` and `gzip` skip. The key follows from the installation's secret
 * key, so all nodes sign alike.
 */
const signedText = (sha512: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from("waymark successor 1\n"), sha512]);

type Signer = ReturnType<typeof createSigner>;

/** @param seed 32 bytes */
export function createSigner(seed: Uint8Array) {
  const der = Buffer.concat([PRIVATE_PREFIX, seed]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const raw = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(PUBLIC_PREFIX.length);
  return {
    /** As people compare it: base64url. */
    publicKey: raw.toString("base64url"),
    /** What follows bytes with this SHA-512. */
    trailer: (sha512: Uint8Array): Buffer =>
      Buffer.concat([HEAD, raw, sign(null, signedText(sha512), key), TAIL]),
  };
}

type Signature = {
  publicKey: string;
  /** The id of the bundle, which differs for each. */
  id: string;
  /** Bytes before it. */
  size: number;
};

/** Reads the file once. @param key whose signature it must be. @throws BadRequest that explains what is wrong */
async function checkSignature(file: FileHandle, path: string, key?: string): Promise<Signature> {
  const status = await file.stat();
  const { size } = status;
  const trailer = Buffer.alloc(TRAILER_BYTES);
  const start = size - TRAILER_BYTES;
  if (status.isFile() && start > 0) await file.read(trailer, 0, TRAILER_BYTES, start);
  const isWhole =
    trailer.subarray(0, HEAD.length).equals(HEAD) && trailer.subarray(-TAIL.length).equals(TAIL);
  if (!isWhole) {
    throw appError("BadRequest", `${path} is no whole successor bundle. It may be cut short; copy it again.`);
  }
  const raw = trailer.subarray(HEAD.length, HEAD.length + KEY_BYTES);
  const signature = trailer.subarray(HEAD.length + KEY_BYTES, -TAIL.length);
  const publicKey = raw.toString("base64url");
  if (key !== undefined && key !== publicKey) {
    throw appError("BadRequest", `${path} is signed by the key ${publicKey}, not by ${key}. Don't use it.`);
  }
  const hash = createHash("sha512");
  for await (const bytes of file.createReadStream({ start: 0, end: start - 1, autoClose: false })) {
    hash.update(bytes as Buffer);
  }
  const verifier = createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, raw]), format: "der", type: "spki" });
  if (!verify(null, signedText(hash.digest()), verifier, signature)) {
    throw appError(
      "BadRequest",
      `${path} was changed or damaged: its signature does not fit. Copy it again, or make a new bundle.`,
    );
  }
  return { publicKey, id: signature.toString("base64url"), size: start };
}

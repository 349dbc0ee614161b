/**
 * Names in a storage location. Objects lie two folders deep; other names of Waymark begin with a dot. Foreign names are
 * ignored.
 *
 * Installations may share a location, even by mistake. Each name contains 20 bits of its installation's tag, so none
 * removes another's objects.
 */
import type { ContentIdentity } from "./driver.ts";

const CONTENT_KEY = /^[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}-([0-9]{1,16})$/;
const ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const ID_KEY = new RegExp(`^([0-9a-f]{2})/([0-9a-f]{2})/((?=\\1\\2)${ID})$`);
const STAGING_ID = new RegExp(`^${ID}$`);

export const STAGING = ".staging";

const TAG_DIGITS = 5;
const TAG_UNIT = 2 ** 32;

export const markerOf = (installation: string): string => `.waymark-${installation}`;

/** A random folder `ab/cd` for neighbours in time. */
export function newObjectFolder(): string {
  const digits = Buffer.from(crypto.getRandomValues(new Uint8Array(2))).toString("hex");
  return `${digits.slice(0, 2)}/${digits.slice(2)}`;
}

/** The key of known content: `ab/cd/<sha256>-<generation>`. */
export const contentKey = (folder: string, { sha256, generation }: ContentIdentity): string =>
  `${folder}/${sha256}-${generation}`;

/** The key of bytes written to their final place: `ab/cd/<staging id>`. */
export const idKey = (id: string): string => `${id.slice(0, 2)}/${id.slice(2, 4)}/${id}`;

export const stagingOfKey = (key: string): string | null => ID_KEY.exec(key)?.[3] ?? null;

export const isObjectKey = (key: string): boolean => generationOf(key) !== null || ID_KEY.test(key);

/** The generation in a content key, or null for any other key. */
const generationOf = (key: string): string | null => CONTENT_KEY.exec(key)?.[1] ?? null;

export const isStagingId = (text: string): boolean => STAGING_ID.test(text);

/** 20 bits of a hash. */
export const tagOf = (installation: string): number =>
  Number.parseInt(new Bun.CryptoHasher("sha256").update(installation).digest("hex").slice(0, TAG_DIGITS), 16);

/** Digits of a process's number that the generations of its objects contain. */
const WRITER_DIGITS = 3;
const WRITER_UNIT = TAG_UNIT / 16 ** WRITER_DIGITS;

/** Counts from a random start, so that a process repeats no generation within a million contents. */
let [counter = 0] = crypto.getRandomValues(new Uint32Array(1));

/**
 * The tag, 12 bits of the number of the process that stores the content, and 20 bits that count: below 2^52 and never
 * 0, which means live (blobs.retired).
 */
export function newContentGeneration(tag: number, process = crypto.randomUUID() as string): number {
  counter = (counter + 1) % WRITER_UNIT;
  const writer = Number.parseInt(process.slice(0, WRITER_DIGITS), 16);
  return tag * TAG_UNIT + writer * WRITER_UNIT + counter || 1;
}

/** A random UUID that ends with the tag and seven random digits. */
export function newStagingId(tag: number): string {
  const random = crypto.randomUUID();
  const last = random.lastIndexOf("-") + 1;
  return random.slice(0, last) + tag.toString(16).padStart(TAG_DIGITS, "0") + random.slice(last + TAG_DIGITS);
}

/** Version of UUIDs of the application's own form (RFC 9562). */
const OWN_VERSION = "8";
const PROCESS_DIGITS = 7;

/** The part of a process's number that its staging ids contain. */
export const processDigits = (number: string): string => number.slice(0, PROCESS_DIGITS);

/** An id for bytes that nobody needs after the process has ended. Groups two and three name the process. */
export function newOwnStagingId(tag: number, process: string): string {
  const id = newStagingId(tag);
  const digits = processDigits(process);
  return `${id.slice(0, 9)}${digits.slice(0, 4)}-${OWN_VERSION}${digits.slice(4)}${id.slice(18)}`;
}

/** The process in a staging id, or null for ids of resumable uploads. */
export const processOfStaging = (id: string): string | null =>
  id[14] === OWN_VERSION ? id.slice(9, 13) + id.slice(15, 18) : null;

export const tagOfStaging = (id: string): number =>
  Number.parseInt(id.slice(id.lastIndexOf("-") + 1).slice(0, TAG_DIGITS), 16);

/** The first digits of the process that stored the object, or null for ids of resumable uploads. */
export function processOfKey(key: string): string | null {
  const id = stagingOfKey(key);
  if (id !== null) return processOfStaging(id);
  const writer = Math.floor((Number(generationOf(key)) % TAG_UNIT) / WRITER_UNIT);
  return writer.toString(16).padStart(WRITER_DIGITS, "0");
}

/** The tag in an object's key, or null for other keys. */
export function tagOfKey(key: string): number | null {
  const id = stagingOfKey(key);
  if (id !== null) return tagOfStaging(id);
  const generation = generationOf(key);
  return generation === null ? null : Math.floor(Number(generation) / TAG_UNIT);
}

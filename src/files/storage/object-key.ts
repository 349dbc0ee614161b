/**
 * Names in a storage location. Objects lie two folders deep, spread by their first hex digits; what begins with a dot
 * is ours but no object; everything else is not ours and left alone.
 */
import type { Content } from "./driver.ts";

const CONTENT_KEY = /^([0-9a-f]{2})\/([0-9a-f]{2})\/\1\2[0-9a-f]{60}\.[0-9]{1,16}$/;
const ID_KEY =
  /^([0-9a-f]{2})\/([0-9a-f]{2})\/(\1\2[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;
const STAGING_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Says whose the location is. */
export const MARKER = ".waymark";
export const STAGING = ".staging";

/** Where the content is known before the bytes get their key: `ab/cd/<sha256>.<generation>`. */
export const contentKey = ({ sha256, generation }: Content): string =>
  `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}.${generation}`;

/** Where bytes are sent to their place at once: `ab/cd/<staging id>`. */
export const idKey = (id: string): string => `${id.slice(0, 2)}/${id.slice(2, 4)}/${id}`;

export const stagingOfKey = (key: string): string | null => ID_KEY.exec(key)?.[3] ?? null;

export const isObjectKey = (key: string): boolean => CONTENT_KEY.test(key) || ID_KEY.test(key);

export const isStagingId = (text: string): boolean => STAGING_ID.test(text);

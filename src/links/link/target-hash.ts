/** By which a create with `reuse` finds a link of a domain with a target and nothing else set. */
import { createHash } from "node:crypto";
import { fieldKey } from "./field-kinds.ts";
import { FIELD_COLUMNS } from "./field-values.ts";
import { isInternal } from "./internal-target.ts";
import { domainOf } from "./key.ts";
import type { LinkContent } from "./link.ts";

/** 48 bits, which are a safe integer. Two targets may share one. */
const HASH_BYTES = 6;

/** Whether it has its target alone. */
export const isBare = (link: Omit<LinkContent, "target" | "deadSince">): boolean =>
  link.options === null &&
  link.expiresAt === null &&
  link.passwordHash === null &&
  link.tags.length === 0 &&
  FIELD_COLUMNS.every((column) => link[fieldKey(column)] === null);

export const hashOfTarget = (domain: number, target: string): number =>
  createHash("sha256").update(`${domain} ${target}`).digest().readUIntBE(0, HASH_BYTES);

/** The column `target_hash` of a link. @param key its key */
export const targetHash = (key: string, link: LinkContent): number | null =>
  isBare(link) && !isInternal(link.target) ? hashOfTarget(domainOf(key), link.target) : null;

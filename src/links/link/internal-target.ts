/** Targets of links that serve something of ours. Most other targets differ in the first character. */
export const INTERNAL_SCHEME = "waymark:";
const DROP = `${INTERNAL_SCHEME}drop/`;
const FOLDER = `${INTERNAL_SCHEME}folder/`;
const REPORT = `${INTERNAL_SCHEME}report/`;
const FIRST = INTERNAL_SCHEME.charCodeAt(0);

type InternalKind = "file" | "folder" | "drop" | "items" | "report";

/** `waymark:file/12`; of a drop box the folder that takes the files, of several items and of reports 0. */
export const internalTarget = (kind: InternalKind, id: number): string => `${INTERNAL_SCHEME}${kind}/${id}`;

/** Parses an internal target; null for a URL. */
export function readInternalTarget(target: string): { kind: InternalKind; id: number } | null {
  const [, kind, id] = /^waymark:(file|folder|drop|items|report)\/(\d{1,15})$/.exec(target) ?? [];
  return kind === undefined ? null : { kind: kind as InternalKind, id: Number(id) };
}

/** Takes stored targets and their locations. */
export const isInternal = (target: string): boolean =>
  target.charCodeAt(0) === FIRST && target.startsWith(INTERNAL_SCHEME);

/** Takes internal targets. */
export const isDrop = (target: string): boolean => target.startsWith(DROP);

/** Takes internal targets. */
export const isFolder = (target: string): boolean => target.startsWith(FOLDER);

/** Takes internal targets. */
export const isReport = (target: string): boolean => target.startsWith(REPORT);

/** Takes texts from outside. */
export const namesInternal = (text: string): boolean => text.trim().startsWith(INTERNAL_SCHEME);

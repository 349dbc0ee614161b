/**
 * Targets of links that serve something of ours instead of redirecting. No http URL begins with a `w`, so one
 * character tells them apart; what creates, updates or imports links takes none of them and leaves those links alone.
 */
export const INTERNAL_SCHEME = "waymark:";
const FIRST = INTERNAL_SCHEME.charCodeAt(0);

/** `waymark:file/12` */
export const internalTarget = (kind: "file" | "folder", id: number): string =>
  `${INTERNAL_SCHEME}${kind}/${id}`;

/** For targets as they are stored, and locations made of them. */
export const isInternal = (target: string): boolean => target.charCodeAt(0) === FIRST;

/** Whether a text from outside is such a target. */
export const namesInternal = (text: string): boolean => text.trim().startsWith(INTERNAL_SCHEME);

const DIGITS = 12;

/** A sender of files into a drop box for people: the first digits of the hash of the visitor's cookie. */
export const shortSender = (hash: string): string => hash.slice(0, DIGITS);

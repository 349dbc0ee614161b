const DIGITS = 12;

/** The first digits of the hash of a sender's cookie, which tell the senders of a drop box apart. */
export const shortSender = (hash: string): string => hash.slice(0, DIGITS);

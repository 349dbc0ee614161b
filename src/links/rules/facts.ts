/** What rules ask about a visitor. Each is read when a condition asks for it. */
export type Facts = {
  /** Epoch ms. */
  readonly now: number;
  /** `device` is one of DEVICES, or another word. */
  agent(): { device: string; os: string; browser: string };
  /** The Accept-Language header; null without one. */
  language(): string | null;
  /** ISO 3166 in upper case; null where it is not known. */
  country(): string | null;
  /** Host in lower case; null without one. */
  referrer(): string | null;
  query(): URLSearchParams;
  /** 16 bytes as of parseIp; null if unknown. */
  address(): Uint8Array | null;
  /** 0 ≤ n < 100, the same for a visitor at each visit. @param ordinal each has other numbers */
  draw(ordinal: number): number;
};

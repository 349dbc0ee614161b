import type { Link } from "../../base/api.ts";

/** A link, or a share with its code. */
export type QrLink = Pick<Link, "code" | "domain" | "short_url">;

export const LEVELS = ["L", "M", "Q", "H"] as const;

export type QrLook = {
  /** Pixels, of a PNG. */
  size: number;
  /** Millimetres, of an SVG or PDF. */
  mm: number;
  /** Modules. */
  margin: number;
  /** `#rrggbb` */
  dark: string;
  light: string;
  ecc: (typeof LEVELS)[number];
  /** Text of the frame; empty: no frame. */
  frame: string;
};

export const PLAIN_LOOK: QrLook = {
  size: 1024,
  mm: 30,
  margin: 4,
  dark: "#000000",
  light: "#ffffff",
  ecc: "M",
  frame: "",
};
export const SIZES = { least: 64, most: 2048 } as const;
export const MM = { least: 5, most: 2000 } as const;
export const MOST_MARGIN = 32;
export const LONGEST_FRAME = 24;

/** A logo hides modules, so it needs the highest level. */
export const levelFor = (look: QrLook, hasLogo: boolean): QrLook["ecc"] => (hasLogo ? "H" : look.ecc);

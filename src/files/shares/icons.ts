/** Icons of entries. A page defines each one once and refers to it. */
import type { FileKind } from "./kind.ts";

export type IconName = FileKind | "folder";

const SHEET = "M6 2.75h8.5L19.25 7.5v13.75H6zM14.25 3v4.75H19";
const SHAPES: Readonly<Record<IconName, string>> = {
  folder: "M2.75 6.5v12.75h18.5V7.75h-9l-2.5-3H2.75z",
  picture: "M3 4.5h18v15H3zM3 16.5l5-5 4.5 4.5 3-3L21 17.5M15.5 9.25a1 1 0 1 0 .01 0",
  video: "M3 5h18v14H3zM10 9v6l5-3z",
  audio:
    "M9 18V5.5l10.5-2V16M9 18a2.75 2.25 0 1 1-5.5 0A2.75 2.25 0 0 1 9 18m10.5-2a2.75 2.25 0 1 1-5.5 0 2.75 2.25 0 0 1 5.5 0",
  pdf: `${SHEET}M9 17.5c2-1 4-6 3.25-7.75-.5-1-1.25 0-.75 1.75.75 2.5 2.5 4 4.25 3.75 1-.25.5-1.25-1-1-2.25.25-4.5 1.25-5.75 3.25`,
  text: `${SHEET}M9 11.5h7M9 14.5h7M9 17.5h4.5`,
  document: `${SHEET}M9 8.5h2.5M9 11.5h7M9 14.5h7M9 17.5h7`,
  table: "M3 4.5h18v15H3zM3 9.5h18M3 14.5h18M9 4.5v15M15 4.5v15",
  slides: "M3 4h18v12H3zM12 16v4.5M8 20.5h8M7.5 12.5v-2M12 12.5V7.5M16.5 12.5v-3",
  archive: "M3.5 8.5h17v12h-17zM2.75 3.75h18.5V8.5H2.75zM9.5 12.25h5",
  program: "M3 4.5h18v15H3zM7 9l3 3-3 3M12.5 15.25H17",
  other: SHEET,
};

/** Hidden definitions, for the body of the page. */
export const iconsOf = (names: Iterable<IconName>): string =>
  `<svg width="0" height="0" class="icons" aria-hidden="true">${[...new Set(names)]
    .map((name) => `<symbol id="i-${name}" viewBox="0 0 24 24"><path d="${SHAPES[name]}"/></symbol>`)
    .join("")}</svg>`;

export const icon = (name: IconName): string =>
  `<svg class="icon ${name}" aria-hidden="true"><use href="#i-${name}"/></svg>`;

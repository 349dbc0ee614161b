/** Sizes, dates and numbers for the pages of shares. */
import type { Look } from "../../visitors/look.ts";
import { countText, dayText, instantText, quantityOfBytes } from "../../visitors/quantity-text.ts";

export const countWords = ({ language }: Look, count: number): string => countText(language, count);
export const sizeWords = ({ language }: Look, bytes: number): string => quantityOfBytes(language, bytes);

const time = (ms: number, shown: string): string =>
  `<time datetime="${new Date(ms).toISOString()}">${shown}</time>`;

export const dayHtml = ({ language }: Look, ms: number): string => time(ms, dayText(language, ms));
export const instantHtml = ({ language }: Look, ms: number): string => time(ms, instantText(language, ms));

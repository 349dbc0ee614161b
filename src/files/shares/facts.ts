/** Sizes and numbers for the pages of shares. */
import type { Look } from "../../visitors/look.ts";
import { countText, quantityOfBytes } from "../../visitors/quantity-text.ts";

export const countWords = ({ language }: Look, count: number): string => countText(language, count);
export const sizeWords = ({ language }: Look, bytes: number): string => quantityOfBytes(language, bytes);

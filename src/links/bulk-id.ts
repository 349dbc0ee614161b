/** Names a bulk change of an account: the instant of its events and their common number. */
import { randomInt } from "node:crypto";
import { cursorText } from "../lib/cursor.ts";

export type BulkId = { at: number; bulk: number };

const NUMBERS = 2 ** 47;

export const newBulk = (): number => randomInt(1, NUMBERS);

/** The text by which the account names it. */
export const bulkText = ({ at, bulk }: BulkId): string => cursorText({ at, id: bulk });

/** Which bulk change of an account: the instant of its events and the number that they have in common. */
import { randomInt } from "node:crypto";
import { cursorText } from "./cursor.ts";

export type BulkId = { at: number; bulk: number };

const NUMBERS = 2 ** 47;

export const newBulk = (): number => randomInt(1, NUMBERS);

/** For the account, to name it. */
export const bulkText = ({ at, bulk }: BulkId): string => cursorText({ at, id: bulk });

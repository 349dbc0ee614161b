/** A test that CI leaves out of a file and the long suite runs. */
import { test } from "bun:test";
import { isLong } from "../../src/platform/db/fresh.test-support.ts";

type Work = () => void | Promise<void>;

export const longTest: (name: string, work: Work, timeoutMs?: number) => void = isLong ? test : () => {};

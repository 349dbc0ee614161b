import { AppError, appError } from "../../lib/errors.ts";
import { inParallel } from "../../lib/in-parallel.ts";
import type { LinkRepository } from "../write/repository.ts";
import type { CsvLink } from "./row.ts";
import { type CsvFile, type FailedRow, isFailed } from "./csv-file.ts";

/** By row. */
export type RowHashes = ReadonlyMap<number, string>;

type HashingOptions = {
  /** Mode of the import (import.ts). */
  mode: string;
  onProgress?: (progress: { stage: "passwords"; done: number; total: number }) => void;
  signal?: AbortSignal;
};

type HashPassword = (plain: string) => Promise<string>;
type Deps = { repository: LinkRepository; hashPassword: HashPassword };

/** Per process. Others wait their turn. */
export const HASHED_AT_ONCE = 2;
const TRIES = 60;

/** Waits while the queue is full. @throws ServiceUnavailable after a minute */
export async function hashPatiently(hashPassword: HashPassword, plain: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await hashPassword(plain);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "unavailable" || tries === TRIES) throw error;
      await Bun.sleep(1_000);
    }
  }
}

/** The client left. */
export const cancelled = () => appError("BadRequest", "The import was cancelled; nothing was changed.");

/** Not of existing links that stay. About fifty a second, so this dominates an import with passwords. */
export function createPasswordHashing({ repository, hashPassword }: Deps) {
  /** @throws BadRequest if the signal ends it */
  return async function hashAll(file: CsvFile, options: HashingOptions): Promise<RowHashes> {
    const { mode, signal, onProgress } = options;
    const hashes = new Map<number, string>();
    let before = 0;
    for await (const { rows, done } of file.chunks()) {
      const secret = rows.filter(hasPlainPassword);
      const codes = mode === "overwrite" ? [] : [...new Set(secret.map((link) => link.code))];
      const taken = await repository.taken(codes);
      const open = secret.filter((link) => !taken.has(link.code));
      const [start, bytes] = [before, done - before];
      await inParallel(open.entries(), HASHED_AT_ONCE, async ([index, link]) => {
        if (signal?.aborted) throw cancelled();
        hashes.set(link.row, await hashPatiently(hashPassword, link.password.plain));
        const share = Math.floor((bytes * index) / open.length);
        onProgress?.({ stage: "passwords", done: start + share, total: file.bytes });
      });
      before = done;
    }
    return hashes;
  };
}

type SecretLink = CsvLink & { password: { plain: string } };
const hasPlainPassword = (row: CsvLink | FailedRow): row is SecretLink =>
  !isFailed(row) && row.password !== null && "plain" in row.password;

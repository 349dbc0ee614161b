/** Counts what an import would do, without a write or a lock. */
import type { AppError } from "../../lib/errors.ts";
import { isAlias, linkServesShare } from "../link/code.ts";
import { isInternal } from "../link/internal-target.ts";
import { codeOf } from "../link/key.ts";
import type { LinkRepository } from "../write/repository.ts";
import { type CsvChunk, type CsvFile, failedRow, isFailed } from "./csv-file.ts";
import { exists, fail, type ImportOptions, type ImportResult, noRows, succeed } from "./import-result.ts";
import { createImportPace } from "./pace.ts";
import type { LinkBulkRepository } from "./repository.ts";

type Deps = {
  repository: Pick<LinkRepository, "aliases">;
  bulk: Pick<LinkBulkRepository, "existing">;
};

/** `overwritten_count`: rows that would replace a link or an earlier row. */
export async function previewImport(
  { repository, bulk }: Deps,
  file: CsvFile,
  { mode, onProgress }: ImportOptions,
): Promise<ImportResult> {
  const result = noRows();
  // At most as many as rows fit into the file.
  const seen = new Set<string>();
  const rest = createImportPace();
  for await (const chunk of file.chunks()) {
    await rest();
    onProgress?.({ stage: "links", done: chunk.done, total: file.bytes });
    const codes = codesIn(chunk);
    const [stored, aliases] = [await bulk.existing(codes), await repository.aliases.among(codes)];
    for (const row of chunk.rows) {
      result.total_rows++;
      if (isFailed(row)) {
        fail(result, row);
        continue;
      }
      if (isInternal(row.target)) {
        result.skipped_count++;
        continue;
      }
      const code = codeOf(row.code);
      const refuse = (error: AppError): void => fail(result, failedRow(row.row, code, error));
      const isTaken = stored.has(row.code) || seen.has(row.code);
      if (mode === "overwrite") {
        if (stored.get(row.code)?.isInternal) refuse(linkServesShare(code));
        else if (aliases.has(row.code)) refuse(isAlias(code));
        else {
          succeed(result, row);
          if (isTaken) result.overwritten_count++;
          seen.add(row.code);
        }
      } else if (!isTaken && !aliases.has(row.code)) {
        succeed(result, row);
        seen.add(row.code);
      } else if (mode === "skip") result.skipped_count++;
      else refuse(exists(code));
    }
  }
  return result;
}

const codesIn = (chunk: CsvChunk): string[] => [
  ...new Set(chunk.rows.flatMap((row) => (isFailed(row) ? [] : row.code))),
];

/** Several settings in one request; each error names its key. */
import { AppError, appError, type FieldFault, MOST_FIELD_FAULTS } from "../../lib/errors.ts";
import { type ConfigKey, isConfigKey } from "./definitions.ts";
import type { SettingWrites } from "./writer.ts";

const MOST_SENTENCES = 5;
const KEY = /^[a-z]+\.[a-z_]+/;

/** A fault of `value`, or of an item `value.2`. */
const inKey = (key: string, { field, message }: FieldFault): FieldFault => ({
  field: field.replace(/^value/, key.slice(0, 100)),
  message,
});

/** @param read throws an AppError for a value that is refused. @throws BadRequest with all refusals */
export function gathered(
  entries: readonly (readonly [key: string, value: string | null])[],
  read: (key: string, value: string | null) => string | null,
): SettingWrites {
  const writes = new Map<ConfigKey, string | null>();
  const faults: FieldFault[] = [];
  for (const [key, value] of entries) {
    try {
      const text = read(key, value);
      if (isConfigKey(key)) writes.set(key, text);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const own = error.faults ?? [{ field: "value", message: error.message }];
      faults.push(...own.map((fault) => inKey(key, fault)));
      if (faults.length >= MOST_FIELD_FAULTS) break;
    }
  }
  if (faults.length === 0) return writes;
  const sentences = faults.slice(0, MOST_SENTENCES).map(({ message }) => message);
  throw appError("BadRequest", sentences.join(" "), { field: faults });
}

/** A refusal of settings together begins with the key concerned. */
export async function namingKey<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const key = error instanceof AppError ? KEY.exec(error.message)?.[0] : undefined;
    if (!(error instanceof AppError) || key === undefined) throw error;
    throw appError("BadRequest", error.message, { field: key });
  }
}

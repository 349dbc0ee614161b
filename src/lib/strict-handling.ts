/** What `Prefer: handling=strict` (RFC 7240) refuses and others may send: names that a schema does not know, and more. */
import { z } from "zod";
import { createTimeSlices } from "./time-slices.ts";
import { appError, type FieldError, MOST_FIELD_ERRORS } from "./errors.ts";

type Strictness = {
  /** Why the value is refused, as the rest of a sentence that begins with the field's name; null: it is not. */
  refusal?(value: unknown, beside: Readonly<Record<string, unknown>>): string | null;
  /** Schema of a value that is checked later. */
  later?: z.core.$ZodType;
  /** Whether others than the client make the object, so that it may have fields that nobody reads. */
  isOpen?: true | undefined;
};

const MOST_CHARACTERS = 200;
const SLICE_MS = 4;

type Steps = Generator<void, void>;

/** How schemas in objects, and those of items, are checked. */
export const strictly = new WeakMap<z.core.$ZodType, Strictness>();

export const isStrict = (prefer: string | undefined): boolean =>
  prefer !== undefined &&
  prefer
    .toLowerCase()
    .split(",")
    .some((preference) => /^handling\s?=\s?"?strict"?$/.test(preference.split(";", 1)[0]!.trim()));

/** `schema` null: nothing is known. @throws BadRequest naming each */
export async function refuseIgnored(schema: z.core.$ZodType | null, value: unknown): Promise<void> {
  const faults: FieldError[] = [];
  const slices = createTimeSlices(SLICE_MS);
  for (const _item of find(schema ?? z.object({}), value, "", faults)) if (slices.due()) await slices.rest();
  if (faults.length === 0) return;
  throw appError("BadRequest", faults.map(({ message }) => message).join(" "), { field: faults });
}

/** Pauses at each item of a list. */
function* find(schema: z.core.$ZodType, value: unknown, path: string, faults: FieldError[]): Steps {
  if (typeof value !== "object" || value === null || faults.length >= MOST_FIELD_ERRORS) return;
  const { later, isOpen } = strictly.get(schema) ?? {};
  if (later !== undefined) return yield* find(later, value, path, faults);
  const { def } = schema._zod as { def: z.core.$ZodTypes["_zod"]["def"] };
  if ("innerType" in def) return yield* find(def.innerType, value, path, faults);
  if (def.type === "pipe") return yield* find(def.in, value, path, faults);
  if (def.type === "lazy") return yield* find(def.getter(), value, path, faults);
  if (def.type === "array" && Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      yield;
      yield* find(def.element, item, `${path}${at}.`, faults);
    }
  } else if (def.type === "record") {
    for (const [name, item] of Object.entries(value))
      yield* find(def.valueType, item, `${path}${name}.`, faults);
  } else if (def.type === "union") {
    const fitting = def.options.find((option) => z.safeParse(option, value).success);
    if (fitting !== undefined) yield* find(fitting, value, path, faults);
  } else if (def.type === "object" && !Array.isArray(value))
    yield* inObject({ ...def, isOpen }, value, path, faults);
}

type ObjectDefinition = Pick<z.core.$ZodObjectDef, "shape" | "catchall"> & Pick<Strictness, "isOpen">;

function* inObject(
  { shape, catchall, isOpen }: ObjectDefinition,
  value: object,
  path: string,
  faults: FieldError[],
): Steps {
  for (const [name, item] of Object.entries(value)) {
    if (faults.length >= MOST_FIELD_ERRORS) return;
    const field = `${path}${name.slice(0, MOST_CHARACTERS)}`;
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const refused =
      known === undefined
        ? catchall === undefined && !isOpen && "is unknown"
        : strictly.get(known)?.refusal?.(item, value as Record<string, unknown>);
    if (refused) faults.push({ field, message: `${field} ${refused}.` });
    else if (known !== undefined) yield* find(known, item, `${field}.`, faults);
  }
}

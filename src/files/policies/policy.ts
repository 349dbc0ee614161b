/** A storage policy. Its view never shows a key. */
import { z } from "zod";
import { createView, type ViewFields } from "../../lib/case-names.ts";
import { namedObject } from "../../lib/named-object.ts";

export const DEFAULT_REGION = "us-east-1";

/** From S3 through Waymark, or from a presigned address. */
export const downloadWay = z.enum(["relay", "redirect"]);

export const moveState = z.enum(["running", "stopped", "done"]);
export type MoveState = z.output<typeof moveState>;
/** linked: a folder of the server, shown as it lies. */
export const driverType = z.enum(["local", "s3", "linked"]);

export const RESCAN_MINUTES = 60;

export const policyView = namedObject("Policy", {
  id: z.int(),
  /** Unique. */
  name: z.string(),
  driver_type: driverType,
  /** S3's endpoint; null for other policies, like bucket and region. */
  endpoint: z.string().nullable(),
  bucket: z.string().nullable(),
  region: z.string().nullable(),
  has_credentials: z.boolean(),
  /** local: a folder, relative to the data folder unless absolute. linked: a folder. s3: a prefix without slashes at its ends. */
  base_path: z.string(),
  /** Bytes; 0 is unlimited. */
  max_file_size: z.int(),
  download: downloadWay,
  is_default: z.boolean(),
  /** Of the last move of its content to another policy; null: there was none. */
  move_state: moveState.nullable(),
  /** Of linked policies, else null. */
  read_only: z
    .boolean()
    .nullable()
    .describe("linked: true, nothing is written there, false, files there can be changed; else null"),
  rescan_minutes: z.int().nullable().describe("linked: minutes between two scans; else null"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export type Policy = ViewFields<z.output<typeof policyView>>;

export const viewPolicy = createView(policyView);

/** Trimmed and printable. */
const text = (maxBytes: number) =>
  z
    .string()
    .trim()
    .refine((value) => Buffer.byteLength(value) <= maxBytes, `must have at most ${maxBytes} bytes`)
    .refine((value) => !/\p{Cc}/u.test(value), "must have no control characters")
    .refine((value) => value.isWellFormed(), "holds half a character (a lone surrogate)");

export const name = text(255).refine((value) => value !== "", "must have at least one character");

const key = text(256).refine((value) => value !== "[REDACTED]", "is a mask, not a key");

export const region = text(64).regex(/^[\w-]*$/, "must have only letters, digits and -");

export const bucket = text(255).regex(
  /^$|^[a-zA-Z0-9][a-zA-Z0-9._-]*$/,
  "must have only letters, digits, dots and -",
);

export const maxFileSize = z.int().min(0).describe("bytes; 0 is unlimited");

const MOST_RESCAN_MINUTES = 100_000;
const rescanMinutes = z.int().min(1).max(MOST_RESCAN_MINUTES);

export const createPolicySchema = z
  .object({
    name,
    driver_type: driverType,
    endpoint: text(1_000).nullish().describe("s3: http or https URL without a path"),
    bucket: bucket.nullish(),
    region: region.nullish().describe(`s3: default ${DEFAULT_REGION}`),
    access_key: key.nullish(),
    secret_key: key.nullish(),
    base_path: text(900)
      .nullish()
      .describe(
        "local: a folder, relative to the data folder unless absolute; linked: a folder; s3: a prefix",
      ),
    max_file_size: maxFileSize.nullish(),
    download: downloadWay.nullish(),
    is_default: z
      .boolean()
      .nullish()
      .describe("true makes this policy the default instead of the current one"),
    read_only: z
      .boolean()
      .nullish()
      .describe("linked: true (default), or false: what is there can be changed through Waymark"),
    rescan_minutes: rescanMinutes.nullish().describe(`linked: default ${RESCAN_MINUTES}`),
  })
  .superRefine((given, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (given.driver_type === "linked") {
      if (given.is_default) refuse("is_default", "can't be true: nothing is stored in a linked folder");
      if (!given.base_path) refuse("base_path", "is required for linked: the folder's path on the server");
    } else {
      for (const field of ["read_only", "rescan_minutes"] as const)
        if ((given[field] ?? null) !== null) refuse(field, "is for linked policies only");
    }
    if (given.driver_type !== "s3") return;
    for (const field of ["endpoint", "bucket", "access_key", "secret_key"] as const) {
      if (!given[field]) refuse(field, "is required for s3");
    }
  });
createPolicySchema.register(z.globalRegistry, { id: "NewPolicy" });

export type CreatePolicy = z.output<typeof createPolicySchema>;

const FIXED = ["driver_type", "endpoint", "bucket", "base_path"] as const;

export const updatePolicySchema = namedObject("PolicyUpdate", {
  name: name.optional(),
  max_file_size: maxFileSize.optional(),
  download: downloadWay.optional(),
  region: region.min(1, "must have at least one character").optional(),
  access_key: key.min(1, "must have at least one character").optional(),
  secret_key: key.min(1, "must have at least one character").optional(),
  is_default: z.boolean().optional(),
  read_only: z.boolean().optional().describe("of a linked policy: false, what is there can be changed"),
  rescan_minutes: rescanMinutes.optional().describe("of a linked policy"),
  ...(Object.fromEntries(FIXED.map((field) => [field, z.string().nullish()])) as Record<
    (typeof FIXED)[number],
    z.ZodOptional<z.ZodNullable<z.ZodString>>
  >),
});

export type UpdatePolicy = z.output<typeof updatePolicySchema>;

/** The first given field that names the location and differs. */
export function changedFixedField(policy: Policy, given: UpdatePolicy): string | undefined {
  const view = viewPolicy(policy);
  return FIXED.find((field) => given[field] !== undefined && given[field] !== view[field]);
}

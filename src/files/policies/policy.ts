/** A storage policy. Its view never shows a key. */
import { z } from "zod";
import { createView, type ViewFields } from "../../lib/case-names.ts";
import { namedObject } from "../../lib/named-object.ts";

export const DEFAULT_REGION = "us-east-1";

/** From S3 through Waymark, or from a presigned address. */
export const downloadWay = z.enum(["relay", "redirect"]);

export const policyView = namedObject("Policy", {
  id: z.int(),
  /** Unique. */
  name: z.string(),
  driver_type: z.enum(["local", "s3"]),
  /** Null for local policies, like bucket and region. */
  endpoint: z.string().nullable(),
  bucket: z.string().nullable(),
  region: z.string().nullable(),
  has_credentials: z.boolean(),
  /** local: a folder, relative to the data folder unless absolute. s3: a prefix without slashes at its ends. */
  base_path: z.string(),
  /** Bytes; 0 is unlimited. */
  max_file_size: z.int(),
  download: downloadWay,
  is_default: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export type Policy = ViewFields<z.output<typeof policyView>>;

export const viewPolicy = createView(policyView);

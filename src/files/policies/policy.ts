/** A storage policy. Its view never shows a key. */
import { z } from "zod";
import { createView } from "../../lib/case-names.ts";
import type { DriverType } from "../storage/driver.ts";
import { namedObject } from "../../lib/named-object.ts";

export type DownloadWay = "relay" | "redirect";

export type Policy = {
  id: number;
  /** Unique. */
  name: string;
  driverType: DriverType;
  /** Null for local policies, like bucket and region. */
  endpoint: string | null;
  bucket: string | null;
  region: string | null;
  hasCredentials: boolean;
  /** local: a folder, relative to the data folder unless absolute. s3: a prefix without slashes at its ends. */
  basePath: string;
  /** Bytes; 0 is unlimited. */
  maxFileSize: number;
  /** From S3 through Waymark, or from a presigned address. */
  download: DownloadWay;
  isDefault: boolean;
  /** Epoch milliseconds, like updatedAt. */
  createdAt: number;
  updatedAt: number;
};

export const DEFAULT_REGION = "us-east-1";

export const downloadWay = z.enum(["relay", "redirect"]);

export const policyView = namedObject("Policy", {
  id: z.int(),
  name: z.string(),
  driver_type: z.enum(["local", "s3"]),
  endpoint: z.string().nullable(),
  bucket: z.string().nullable(),
  region: z.string().nullable(),
  has_credentials: z.boolean(),
  base_path: z.string(),
  max_file_size: z.int(),
  download: downloadWay,
  is_default: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const viewPolicy = createView(policyView);

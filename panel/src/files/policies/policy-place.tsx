import { Trans } from "@lingui/react/macro";
import type { Policy } from "../../base/api.ts";

/** Where a storage keeps its files. */
export const PolicyPlace = ({ policy }: { policy: Policy }) =>
  policy.driver_type === "s3" ? (
    <Trans>
      S3 storage {policy.endpoint}, bucket {policy.bucket}, prefix {policy.base_path || "/"}, region{" "}
      {policy.region}
    </Trans>
  ) : policy.driver_type === "linked" ? (
    <Trans>Existing folder: {policy.base_path}</Trans>
  ) : (
    <Trans>Folder: {policy.base_path}</Trans>
  );

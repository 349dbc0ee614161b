import type { NewPolicy, Policy, PolicyUpdate } from "../../base/api.ts";

export type PolicyValues = {
  name: string;
  driver_type: Policy["driver_type"];
  endpoint: string;
  bucket: string;
  region: string;
  access_key: string;
  secret_key: string;
  base_path: string;
  /** Bytes; 0 is unlimited. */
  max_file_size: number;
  download: Policy["download"];
  is_default: boolean;
  /** Of an existing folder. Text while the field is empty. */
  rescan_minutes: number | string;
  /** Of an existing folder. */
  is_writable: boolean;
};

const RESCAN_MINUTES = 60;

export const policyValuesOf = (policy: Policy | null): PolicyValues => ({
  name: policy?.name ?? "",
  driver_type: policy?.driver_type ?? "local",
  endpoint: policy?.endpoint ?? "",
  bucket: policy?.bucket ?? "",
  region: policy?.region ?? "",
  access_key: "",
  secret_key: "",
  base_path: policy?.base_path ?? "",
  max_file_size: policy?.max_file_size ?? 0,
  download: policy?.download ?? "relay",
  is_default: policy?.is_default ?? false,
  rescan_minutes: policy?.rescan_minutes ?? RESCAN_MINUTES,
  is_writable: policy?.read_only === false,
});

export function newPolicyOf(values: PolicyValues): NewPolicy {
  const { endpoint, bucket, region, access_key, secret_key, download, ...others } = values;
  const { rescan_minutes, is_writable, ...shared } = others;
  if (values.driver_type === "linked") {
    const { name, driver_type, base_path } = shared;
    const scan = { rescan_minutes: Number(rescan_minutes), read_only: !is_writable };
    return { name, driver_type, base_path, ...scan };
  }
  if (values.driver_type === "local") return shared;
  return { ...shared, endpoint, bucket, region, access_key, secret_key, download };
}

/** The location of the content can't be changed. An empty key stays. */
export function policyUpdateOf(policy: Policy, values: PolicyValues): PolicyUpdate {
  const { name, max_file_size, download, region, access_key, secret_key, is_default } = values;
  if (policy.driver_type === "linked")
    return { name, rescan_minutes: Number(values.rescan_minutes), read_only: !values.is_writable };
  return {
    name,
    max_file_size,
    ...(is_default && !policy.is_default && { is_default }),
    ...(policy.driver_type === "s3" && {
      download,
      ...(region !== "" && { region }),
      ...(access_key !== "" && { access_key }),
      ...(secret_key !== "" && { secret_key }),
    }),
  };
}
